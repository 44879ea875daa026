"""Scaled dot-product attention with hand-written queries, keys and values. Nothing is learned.

query: what I lack (do I miss the Hydralisk? the Medivac? company?)
key:   what the sender has
value: the sender's relative positions of both enemies
"""

import math

import numpy as np

from generated_protocols import Array, Inbox, Observation

KEY_DIM = 3
SCALE = 1.0 / math.sqrt(KEY_DIM)
SHARPNESS = 4.0
NEGATIVE = -1e9


def what_i_have(own: Observation) -> Array:
    """`[R, 3]`: Hydralisk in sight, Medivac in sight, ally in sight."""
    hydra = own["enemy_0.distance"] > 0
    medivac = own["enemy_1.distance"] > 0
    company = (own.group("ally_*.visible") > 0).any(axis=1)
    return np.stack([hydra, medivac, company], axis=1).astype(np.float32)


def send(own: Observation) -> dict[str, Array]:
    key = what_i_have(own)
    value = np.stack(
        [
            own["enemy_0.relative_x"],
            own["enemy_0.relative_y"],
            own["enemy_1.relative_x"],
            own["enemy_1.relative_y"],
        ],
        axis=1,
    )
    return {"key": key, "value": value}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    query = 1.0 - what_i_have(own)                                              # [R, 3]
    scores = (inbox["key"] * query[:, None, :]).sum(axis=2) * SCALE * SHARPNESS   # [R, N]
    scores = np.where(inbox.delivered, scores, NEGATIVE)
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores) * inbox.delivered
    total = weights.sum(axis=1, keepdims=True)
    attention = np.divide(weights, np.maximum(total, 1e-12))
    context = np.matmul(attention[:, None, :], inbox["value"])[:, 0, :]
    return {"context": context, "attention": attention}
