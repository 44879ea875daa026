"""Cooperative foraging protocol, version 1.

Purpose
-------
Both foragers are needed for every food, and each sees one cell around itself. The one that finds food must therefore
bring the other one to it. Since neither knows where it is on the grid, positions have to be told by landmarks: the
border of the world shows as inaccessible cells.

Message layout
--------------
=================  ======  =====================================================
component          width   meaning
=================  ======  =====================================================
``border``         4       inaccessible cells to the north, south, west and east
``found``          1       1 when there is food within one cell
``level``          1       the highest level of that food
``self_level``     1       my own level
=================  ======  =====================================================
"""

import numpy as np

from generated_protocols import Array, Inbox, Observation

FOUND_THRESHOLD = 0.0


def _border(own: Observation) -> Array:
    """Return `[R, 4]`: 1 where the neighbouring cell cannot be entered and holds nothing."""
    sides = []
    for cell in ("n1", "s1", "w1", "e1"):
        closed = own[f"cell_{cell}.accessible"] < 0.5
        empty = (own[f"cell_{cell}.food_level"] == 0) & (own[f"cell_{cell}.agent_level"] == 0)
        sides.append((closed & empty).astype(np.float32))
    return np.stack(sides, axis=1)


def send(own: Observation) -> dict[str, Array]:
    """Return the message described above."""
    food = own.group("cell_*.food_level")
    found = (food > FOUND_THRESHOLD).any(axis=1)
    return {
        "border": _border(own),
        "found": found,
        "level": food.max(axis=1),
        "self_level": own["cell_here.agent_level"],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep the other's message, and remember for the window whether it has found food."""
    found_lately = inbox.past("found").max(axis=(1, 2))
    return {
        "border": inbox["border"].sum(axis=1),
        "found": inbox["found"].max(axis=1),
        "found_lately": found_lately,
        "level": inbox["level"].max(axis=1),
        "self_level": inbox["self_level"].sum(axis=1),
    }
