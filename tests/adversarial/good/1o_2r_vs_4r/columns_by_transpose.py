"""Columns of a group, one after the other: iterating over the transpose gives one `[R]` array per Reaper."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    threat = np.zeros_like(own["own.health"])
    pairs = zip(own.group("enemy_*.distance").T, own.group("enemy_*.health").T)
    for distance, health in pairs:
        visible = distance > 0
        threat = threat + np.where(visible, health * (1.0 - np.clip(distance, 0.0, 1.0)), 0.0)
    count = np.zeros_like(threat)
    for attackable in own.group("enemy_*.attackable").T:
        count = count + attackable
    return {"threat": threat, "count": count}
