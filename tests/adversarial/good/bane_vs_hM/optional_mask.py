from __future__ import annotations

import numpy as np
from generated_protocols import Array, Inbox, Observation


def masked_mean(values: Array, mask: Array | None = None, eps: float = 1e-8) -> Array:
    """Mean over axis 1; with a mask, over its True entries only (0 where there is none)."""
    if mask is None:
        return values.mean(axis=1)
    weights = mask.astype(np.float32)
    return (values * weights).sum(axis=1) / (weights.sum(axis=1) + eps)


def send(own: Observation) -> dict[str, Array]:
    """Average openness of the ground, and average distance of whom one sees."""
    distances = np.concatenate([own.group("enemy_*.distance"), own.group("ally_*.distance")], axis=1)
    return {
        "openness": masked_mean(own.group("move.*")),
        "company_distance": masked_mean(distances, mask=distances > 0),
        "company": (distances > 0).sum(axis=1) / distances.shape[1],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "openness": masked_mean(inbox["openness"], inbox.delivered),
        "company": masked_mean(inbox["company"], inbox.delivered),
        "company_distance": masked_mean(inbox["company_distance"], inbox["company"] > 0),
    }
