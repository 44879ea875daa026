"""Overseer scouting report.

The Overseer is the only unit that sees the Reapers from the start. It broadcasts where they are relative to itself,
and, for every Roach it can see, where that Roach stands, so that each Roach can translate the report into its own frame.
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation

ENEMIES = 4


def _enemy_matrix(own: Observation, quantity: str) -> Array:
    """Stack one quantity over all enemies: [R, ENEMIES]."""
    return np.stack([own[f"enemy_{i}.{quantity}"] for i in range(ENEMIES)], axis=1)


def send(own: Observation) -> dict[str, Array]:
    """Broadcast the visible enemies (overseer only) and the allies' offsets."""
    is_scout = own.is_role("overseer").astype(np.float32)
    distance = _enemy_matrix(own, "distance")
    visible = (distance > 0.0).astype(np.float32) * is_scout[:, None]
    rel_x = _enemy_matrix(own, "relative_x") * visible
    rel_y = _enemy_matrix(own, "relative_y") * visible
    health = _enemy_matrix(own, "health") * visible
    ally_seen = own.allies("visible") * is_scout[:, None]
    return {
        "visible": visible,
        "rel_x": rel_x,
        "rel_y": rel_y,
        "health": health,
        "ally_seen": ally_seen,
        "ally_x": own.allies("relative_x") * ally_seen,
        "ally_y": own.allies("relative_y") * ally_seen,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Translate the scout's report into the receiver's own frame where the scout sees the receiver."""
    me = inbox.addressed("ally_seen").max(axis=1)
    my_x = inbox.addressed("ally_x").sum(axis=1)
    my_y = inbox.addressed("ally_y").sum(axis=1)
    visible = inbox["visible"].max(axis=1)
    x = inbox["rel_x"].sum(axis=1) - my_x[:, None] * visible
    y = inbox["rel_y"].sum(axis=1) - my_y[:, None] * visible
    return {"visible": visible, "x": x, "y": y, "health": inbox["health"].max(axis=1), "in_frame": me}
