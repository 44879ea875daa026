import numpy as np
from generated_protocols import Array, Inbox, Observation

GRID = 8


def blocked_without_content(own: Observation, cell: str) -> Array:
    """`[R]` bool: the cell is off the grid (not accessible, yet neither an agent nor food stands there)."""
    closed = own[f"cell_{cell}.accessible"] == 0
    nobody = own[f"cell_{cell}.agent_level"] == 0
    nothing = own[f"cell_{cell}.food_level"] == 0
    return closed & nobody & nothing


def walked_since_border(own: Observation, cell: str, away: str, back: str) -> tuple[Array, Array]:
    """Cells walked away from a border since it was last beside the agent, and whether it was in the window at all."""
    closed = own.past(f"cell_{cell}.accessible") == 0
    nothing = (own.past(f"cell_{cell}.food_level") == 0) & (own.past(f"cell_{cell}.agent_level") == 0)
    window = closed.shape[1]
    real = np.arange(window)[None, :] >= (window - 1 - own.age)[:, None]
    at_border = closed & nothing & real
    last = np.where(at_border, np.arange(window)[None, :], -1).max(axis=1)
    after = np.arange(window)[None, :] > last[:, None]
    steps = own.past(f"last_action.{away}") - own.past(f"last_action.{back}")
    distance = (steps * after).sum(axis=1)
    known = last >= 0
    return np.where(known, np.clip(distance, 0, GRID - 1), 0.0) / (GRID - 1), known


def send(own: Observation) -> dict[str, Array]:
    """Estimate of the absolute position from the borders that were touched."""
    from_north, north_known = walked_since_border(own, "n1", "south", "north")
    from_south, south_known = walked_since_border(own, "s1", "north", "south")
    from_west, west_known = walked_since_border(own, "w1", "east", "west")
    from_east, east_known = walked_since_border(own, "e1", "west", "east")
    row = np.where(north_known, from_north, np.where(south_known, 1.0 - from_south, 0.0))
    column = np.where(west_known, from_west, np.where(east_known, 1.0 - from_east, 0.0))
    corner = blocked_without_content(own, "n1") | blocked_without_content(own, "s1")
    corner = corner & (blocked_without_content(own, "w1") | blocked_without_content(own, "e1"))
    return {
        "row": row,
        "row_known": north_known | south_known,
        "column": column,
        "column_known": west_known | east_known,
        "corner": corner,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "row": inbox["row"].sum(axis=1),
        "row_known": inbox["row_known"].any(axis=1),
        "column": inbox["column"].sum(axis=1),
        "column_known": inbox["column_known"].any(axis=1),
        "corner": inbox["corner"].any(axis=1),
    }
