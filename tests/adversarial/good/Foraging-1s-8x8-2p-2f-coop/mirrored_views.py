"""Align two overlapping 3 x 3 views by landmarks.

The receiver tries all shifts of up to two cells and scores how well the other one's map of accessible cells agrees with
its own in the overlap.
"""

from __future__ import annotations

import numpy as np
from generated_protocols import Array, Inbox, Observation

MAX_SHIFT = 2


def overlap_score(mine: Array, theirs: Array, down: int, right: int) -> Array:
    """Mean agreement of two `[R, 3, 3]` views where `theirs` is shifted by (down, right); `[R]`."""
    rows_mine = slice(max(down, 0), min(3, 3 + down))
    rows_theirs = slice(max(-down, 0), min(3, 3 - down))
    columns_mine = slice(max(right, 0), min(3, 3 + right))
    columns_theirs = slice(max(-right, 0), min(3, 3 - right))
    a = mine[:, rows_mine, columns_mine]
    b = theirs[:, rows_theirs, columns_theirs]
    return (a == b).mean(axis=(1, 2))


def send(own: Observation) -> dict[str, Array]:
    return {"view": own.group("cell_*.accessible"), "level": own["cell_here.agent_level"]}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    mine = own.group("cell_*.accessible").reshape(-1, 3, 3)
    theirs = inbox["view"].sum(axis=1).reshape(-1, 3, 3)
    scores = [
        overlap_score(mine, theirs, down, right)
        for down in range(-MAX_SHIFT, MAX_SHIFT + 1)
        for right in range(-MAX_SHIFT, MAX_SHIFT + 1)
    ]
    table = np.stack(scores, axis=1)
    heard = inbox.delivered.any(axis=1)
    return {"scores": table * heard[:, None], "best": table.argmax(axis=1) * heard / 24.0}
