"""Synchronised detonation protocol.

Idea
----
Three blasts have to land close together in time. The agents therefore need to know, for every other agent,
(1) whether it has arrived at the junction, (2) for how long it has been there, and (3) whether it is about to attack.
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation

# How many steps count as "long enough" at the junction.
PATIENCE_STEPS = 4
# Small number to avoid division by zero.
EPSILON = 1e-6


def consecutive_true(flags: Array) -> Array:
    """Return the length of the run of True values that ends at the current step, `[R]`.

    Args:
        flags: boolean array `[R, W]`, oldest first.
    """
    reversed_flags = flags[:, ::-1].astype(np.float32)
    # A cumulative product becomes 0 at the first False and stays there.
    still_running = np.cumprod(reversed_flags, axis=1)
    return still_running.sum(axis=1)


def send(own: Observation) -> dict[str, Array]:
    """Broadcast arrival, waiting time and intent."""
    hydra_in_range = own.past("enemy_0.attackable") > 0.5  # [R, W]
    arrived = hydra_in_range[:, -1]
    waiting = consecutive_true(hydra_in_range)

    # Normalise so that everything lies in [0, 1].
    waiting_normalised = np.clip(waiting / PATIENCE_STEPS, 0.0, 1.0)

    attacked = own["last_action.attack_enemy_0"] > 0.5
    return {
        "arrived": arrived.astype(np.float32),
        "waiting": waiting_normalised.astype(np.float32),
        "attacked": attacked.astype(np.float32),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Summarise the team: how many arrived, the least patient one, and whether somebody already attacked."""
    own_arrived = (own["enemy_0.attackable"] > 0.5).astype(np.float32)
    heard = inbox.delivered.astype(np.float32)  # [R, N]

    number_arrived = (inbox["arrived"] * heard).sum(axis=1) + own_arrived
    fraction_arrived = number_arrived / max(own.n_agents, 1)
    mean_waiting = (inbox["waiting"] * heard).sum(axis=1) / (heard.sum(axis=1) + EPSILON)

    return {
        "fraction_arrived": np.clip(fraction_arrived, 0.0, 1.0),
        "mean_waiting": np.clip(mean_waiting, 0.0, 1.0),
        "someone_attacked": inbox["attacked"].max(axis=1),
        "go": (number_arrived >= own.n_agents - 0.5).astype(np.float32),
    }
