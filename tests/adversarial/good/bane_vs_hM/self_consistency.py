import numpy as np
from generated_protocols import Array, Inbox, Observation

SIGHT = 2.0  # map units


def send(own: Observation) -> dict[str, Array]:
    """Positions of the enemies in map units, with a consistency flag.

    The distance should equal sqrt(dx^2 + dy^2). If it does not (e.g. corrupted observation), say so.
    """
    offsets = []
    consistent = np.ones_like(own["own.health"], dtype=bool)
    for index in range(2):
        dx = own[f"enemy_{index}.relative_x"] * SIGHT
        dy = own[f"enemy_{index}.relative_y"] * SIGHT
        distance = own[f"enemy_{index}.distance"] * SIGHT
        consistent &= np.abs(np.hypot(dx, dy) - distance) < 0.5
        offsets += [dx, dy]
    return {
        "offsets": np.stack(offsets, axis=1) / SIGHT,
        "consistent": consistent,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    trust = (inbox["consistent"] > 0) & inbox.delivered
    weights = trust / np.maximum(trust.sum(axis=1, keepdims=True), 1)
    return {
        "offsets": (inbox["offsets"] * weights[:, :, None]).sum(axis=1),
        "trusted": trust.sum(axis=1) / (own.n_agents - 1),
    }
