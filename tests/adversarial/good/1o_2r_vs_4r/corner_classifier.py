"""The Overseer starts in one of four corners; which one shows in the directions it cannot move.

We count, over the real part of the window, how often each side was closed, and turn that into a soft one-hot over
(south-west, south-east, north-west, north-east).
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

TEMPERATURE = 0.25


def softmax(logits: Array) -> Array:
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    exponent = np.exp(shifted)
    return exponent / np.sum(exponent, axis=1, keepdims=True)


def send(own: Observation) -> dict[str, Array]:
    closed = 1.0 - own.past("move.*")                                 # [R, W, 4], north south east west
    window = closed.shape[1]
    is_real = np.arange(window)[None, :] >= window - 1 - own.age[:, None]
    closed = closed * is_real[:, :, None]
    share = closed.sum(axis=1) / (own.age[:, None] + 1)               # [R, 4]
    north, south, east, west = share[:, 0], share[:, 1], share[:, 2], share[:, 3]
    logits = np.stack([south + west, south + east, north + west, north + east], axis=1) / TEMPERATURE
    belief = softmax(logits)
    speaks = own.is_role("overseer")[:, None] & (own["own.health"] > 0)[:, None]
    return {"corner": np.where(speaks, belief, 0.0)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    # exactly one Overseer: a sum over senders is its message
    return {"corner": inbox["corner"].sum(axis=1)}
