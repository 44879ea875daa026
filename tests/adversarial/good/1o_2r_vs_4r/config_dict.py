"""All settings in one place."""

from __future__ import annotations

import numpy as np
from generated_protocols import Array, Inbox, Observation

CONFIG = {
    "n_enemies": 4,
    "near": 0.3,
    "decay": 0.7,
    "weights": (0.5, 0.3, 0.2),
    "fields": ("attackable", "distance", "health"),
}


def enemy_score(own: Observation, index: int) -> Array:
    """Weighted sum of three quantities of one Reaper."""
    w_attackable, w_distance, w_health = CONFIG["weights"]
    attackable, distance, health = [own[f"enemy_{index}.{field}"] for field in CONFIG["fields"]]
    visible = distance > 0
    closeness = np.where(visible, 1.0 - np.clip(distance, 0.0, 1.0), 0.0)
    weakness = np.where(visible, 1.0 - health, 0.0)
    return w_attackable * attackable + w_distance * closeness + w_health * weakness


def send(own: Observation) -> dict[str, Array]:
    scores = np.stack([enemy_score(own, i) for i in range(CONFIG["n_enemies"])], axis=1)
    near = own.past("enemy_*.distance")
    near = (near > 0) & (near < CONFIG["near"])
    window = near.shape[1]
    decay = CONFIG["decay"] ** np.arange(window - 1, -1, -1)
    pressure = (near.any(axis=2) * decay).sum(axis=1) / decay.sum()
    return {"scores": scores, "pressure": pressure}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {"scores": inbox["scores"].max(axis=1), "pressure": inbox["pressure"].max(axis=1)}
