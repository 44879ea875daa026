"""When a Baneling dies, it goes silent. The receiver keeps what it said last.

A dead agent sends nothing (its payload does not arrive), so `inbox.past` shows zeros from then on. What it said in its
last living step tells whether its blast hit the Hydralisk.
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    return {
        "alive": np.ones(own.agent_id.shape, dtype=np.float32),
        "reach": own["enemy_0.attackable"],
        "health": own["own.health"],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    alive = inbox.past("alive") > 0.5                            # [R, W, N]
    window = alive.shape[1]
    index = np.where(alive, np.arange(window)[None, :, None], -1).max(axis=1)   # [R, N]
    ever = index >= 0
    silent_now = ~alive[:, -1, :]
    died = ever & silent_now
    pick = np.maximum(index, 0)[:, None, :]
    last_reach = np.take_along_axis(inbox.past("reach"), pick, axis=1)[:, 0, :]
    last_health = np.take_along_axis(inbox.past("health"), pick, axis=1)[:, 0, :]
    steps_ago = np.where(died, window - 1 - index, 0)
    return {
        "died": died,
        "blast_hit": np.where(died, last_reach, 0.0),
        "last_health": np.where(died, last_health, 0.0),
        "steps_ago": steps_ago / window,
    }
