"""Attention over senders by the health of what they see."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

TEMPERATURE = 4.0


def softmax(scores: Array, mask: Array) -> Array:
    """Masked softmax along the last axis; zeros where nothing is allowed."""
    masked = np.where(mask, scores, -1e9)
    shifted = masked - masked.max(axis=1, keepdims=True)
    weights = np.exp(shifted) * mask
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)


def send(own: Observation) -> dict[str, Array]:
    """How much enemy health is in sight, and where."""
    distance = own.group("enemy_*.distance")
    seen = distance > 0
    return {
        "value": (own.group("enemy_*.health") * seen).sum(axis=1),
        "x": (own.group("enemy_*.relative_x") * seen).mean(axis=1),
        "y": (own.group("enemy_*.relative_y") * seen).mean(axis=1),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Average over senders, weighted by a softmax of what they see."""
    attention = softmax(inbox["value"] * TEMPERATURE, inbox.delivered)
    return {
        "x": (attention * inbox["x"]).sum(axis=1),
        "y": (attention * inbox["y"]).sum(axis=1),
        "attention": attention,
    }
