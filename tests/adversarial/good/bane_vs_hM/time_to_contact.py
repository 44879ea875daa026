"""Estimate the steps until the Hydralisk is in reach, from how its distance shrinks."""
import numpy as np
from generated_protocols import Array, Observation

REACH = 0.25
MAX_STEPS = 20.0


def send(own: Observation) -> dict[str, Array]:
    """Steps to contact, capped, and whether the estimate means anything."""
    d = own.past("enemy_0.distance")
    seen = (d[:, -1] > 0) & (d[:, -2] > 0)
    speed = np.maximum(d[:, -2] - d[:, -1], 1e-3)
    steps = np.clip((d[:, -1] - REACH) / speed, 0.0, MAX_STEPS)
    return {"steps": np.where(seen, steps, MAX_STEPS) / MAX_STEPS, "known": seen}
