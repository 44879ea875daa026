import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """The Overseer: its corner as two signs, the Reapers' mean place, and where each Roach in sight stands."""
    scout = own.is_role("overseer") * 1.0
    window = own.past("move.east").shape[1]
    real = np.arange(window)[None, :] >= (window - 1 - own.age)[:, None]  # [R, W]
    east = ((own.past("move.east") == 0) & real).max(axis=1) * 1.0
    west = ((own.past("move.west") == 0) & real).max(axis=1) * 1.0
    north = ((own.past("move.north") == 0) & real).max(axis=1) * 1.0
    south = ((own.past("move.south") == 0) & real).max(axis=1) * 1.0
    sees = (own.group("enemy_*.distance") > 0) * 1.0  # [R, 4]
    count = np.maximum(sees.sum(axis=1), 1.0)
    near = own.allies("visible") * scout[:, None]
    return {
        "side_x": (east - west) * scout,
        "side_y": (north - south) * scout,
        "reapers_x": own.group("enemy_*.relative_x").sum(axis=1) / count * scout,
        "reapers_y": own.group("enemy_*.relative_y").sum(axis=1) / count * scout,
        "reapers": sees.sum(axis=1) * scout,
        "near": near,
        "roach_dx": own.allies("relative_x") * near,
        "roach_dy": own.allies("relative_y") * near,
        "health": own["own.health"],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The corner, the Reapers around the Overseer and, where it sees this Roach, around this Roach."""
    near = inbox.addressed("near").max(axis=1)
    x, y = inbox["reapers_x"].sum(axis=1), inbox["reapers_y"].sum(axis=1)
    return {
        "side_x": inbox["side_x"].sum(axis=1),
        "side_y": inbox["side_y"].sum(axis=1),
        "reapers_x": x,
        "reapers_y": y,
        "reapers": inbox["reapers"].sum(axis=1),
        "near": near,
        "here_x": (x - inbox.addressed("roach_dx").sum(axis=1)) * near,
        "here_y": (y - inbox.addressed("roach_dy").sum(axis=1)) * near,
        "health": inbox["health"],
    }
