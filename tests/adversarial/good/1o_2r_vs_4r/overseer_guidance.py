from __future__ import annotations

import numpy as np
from generated_protocols import Array, Inbox, Observation

DIRECTIONS: dict[str, tuple[float, float]] = {
    "north": (0.0, 1.0),
    "south": (0.0, -1.0),
    "east": (1.0, 0.0),
    "west": (-1.0, 0.0),
}


def send(own: Observation) -> dict[str, Array]:
    """For each Roach in sight, the compass direction that brings it closest to the nearest Reaper.

    The Overseer computes, per receiver, the dot product of the vector (Reaper - Roach) with each compass direction.
    """
    overseer = own.is_role("overseer")
    distance = own.group("enemy_*.distance")
    big = 10.0
    nearest = np.argmin(np.where(distance > 0, distance, big), axis=1)
    row = np.arange(nearest.shape[0])
    target_x = own.group("enemy_*.relative_x")[row, nearest]
    target_y = own.group("enemy_*.relative_y")[row, nearest]
    valid = overseer & (distance > 0).any(axis=1)

    to_target_x = target_x[:, None] - own.allies("relative_x")
    to_target_y = target_y[:, None] - own.allies("relative_y")
    dots = []
    for _, (ux, uy) in DIRECTIONS.items():
        dots.append(to_target_x * ux + to_target_y * uy)
    score = np.stack(dots, axis=-1)  # [R, N, 4]
    advice = score.argmax(axis=-1) + 1  # 1..4, 0 is no advice
    mask = valid[:, None] & (own.allies("visible") > 0)
    return {"advice": np.where(mask, advice, 0)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    advice = inbox.addressed("advice").max(axis=1).astype(np.int64)
    one_hot = np.eye(len(DIRECTIONS) + 1, dtype=np.float32)[advice]
    return {"advice": one_hot[:, 1:]}
