import math

import numpy as np

from generated_protocols import Array, Inbox, Observation

RIM = 4


def turning_number(own: Observation) -> Array:
    """How far a unit has gone round the ring in the window, in quarter turns (counter-clockwise positive).

    Uses the cross product of consecutive headings.
    """
    hx = own.past("last_action.east") - own.past("last_action.west")
    hy = own.past("last_action.north") - own.past("last_action.south")
    cross = hx[:, :-1] * hy[:, 1:] - hy[:, :-1] * hx[:, 1:]
    return cross.sum(axis=1)


def inner_and_outer_walls(own: Observation) -> Array:
    """How often each side was closed lately, `[R, 4]` (north, south, east, west)."""
    recent = own.past("move.*")[:, -RIM:, :]
    return 1.0 - recent.mean(axis=1)


def send(own: Observation) -> dict[str, Array]:
    turns = np.clip(turning_number(own) / 4.0, -1.0, 1.0)
    walls = inner_and_outer_walls(own)
    # Angle of the mean wall normal; (1, 0) is a wall in the east.
    nx = walls[:, 2] - walls[:, 3]
    ny = walls[:, 0] - walls[:, 1]
    length = np.hypot(nx, ny)
    angle = np.where(length > 1e-6, np.arctan2(ny, nx), 0.0)
    return {
        "turns": turns,
        "wall_sin": np.sin(angle) * (length > 1e-6),
        "wall_cos": np.cos(angle) * (length > 1e-6),
        "wall_strength": length / math.sqrt(2.0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    roaches = slice(1, None)
    return {
        "scout": np.stack(
            [inbox[name][:, 0] for name in ("turns", "wall_sin", "wall_cos", "wall_strength")],
            axis=1,
        ),
        "roach_turns": inbox["turns"][:, roaches].mean(axis=1),
        "roach_wall": np.stack(
            [inbox["wall_sin"][:, roaches].mean(axis=1), inbox["wall_cos"][:, roaches].mean(axis=1)],
            axis=1,
        ),
    }
