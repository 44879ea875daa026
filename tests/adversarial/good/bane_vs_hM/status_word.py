"""
Analysis of the task:
- All three Banelings must explode together.
- Nobody sees the others before the junction.

Design decision: a compact "status word" per agent.

    status = [ready, waiting time, health, can move N/S/E/W]
"""

import numpy as np

from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Return the status word."""
    ready = (own["enemy_0.attackable"] > 0.5).astype(np.float32)
    waiting = own.past("enemy_0.attackable").mean(axis=1)
    word = np.concatenate([ready[:, None], waiting[:, None], own["own.health"][:, None], own.group("move.*")], axis=1)
    return {"status": word}
