import numpy as np
from generated_protocols import Array, Inbox, Observation

SCALE = 10.0


def since_contact(own: Observation, flag: str, steps: Array) -> tuple[Array, Array]:
    """How far one has walked since one last touched closed ground on this side, and whether one has of late."""
    window = steps.shape[1]
    number = (np.arange(window) + 1)[None, :]
    real = number > (window - 1 - own.age)[:, None]  # [R, W]
    touching = (own.past(flag) == 0) & real
    latest = (touching * number).max(axis=1)
    here = touching & (number == latest[:, None])
    later = np.flip(np.cumsum(np.flip(steps, axis=1), axis=1), axis=1) - steps  # walked after each step, until now
    return (later * here).sum(axis=1) / SCALE, (latest > 0) * 1.0


def send(own: Observation) -> dict[str, Array]:
    """Roaches: the way since each contact and the net way. The Overseer: where each Roach stands relative to it."""
    roach = own.is_role("roach") * 1.0
    scout = own.is_role("overseer") * 1.0
    east = own.past("last_action.east") - own.past("last_action.west")  # [R, W]
    north = own.past("last_action.north") - own.past("last_action.south")
    east_way, east_known = since_contact(own, "move.east", east)
    west_way, west_known = since_contact(own, "move.west", east)
    north_way, north_known = since_contact(own, "move.north", north)
    south_way, south_known = since_contact(own, "move.south", north)
    near = own.allies("visible") * scout[:, None]  # [R, N]
    return {
        "net_x": east.sum(axis=1) / SCALE * roach,
        "net_y": north.sum(axis=1) / SCALE * roach,
        "east_way": east_way * roach,
        "east_known": east_known * roach,
        "west_way": west_way * roach,
        "west_known": west_known * roach,
        "north_way": north_way * roach,
        "north_known": north_known * roach,
        "south_way": south_way * roach,
        "south_known": south_known * roach,
        "near": near,
        "roach_dx": own.allies("relative_x") * near,
        "roach_dy": own.allies("relative_y") * near,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep both Roaches' ways by sender, and the Overseer's view of both Roaches."""
    ways = np.stack(
        (
            inbox["net_x"], inbox["net_y"],
            inbox["east_way"], inbox["east_known"], inbox["west_way"], inbox["west_known"],
            inbox["north_way"], inbox["north_known"], inbox["south_way"], inbox["south_known"],
        ),
        axis=2,
    )  # [R, N, 10]
    return {
        "ways_1": ways[:, 1],
        "ways_2": ways[:, 2],
        "near": inbox["near"][:, 0, 1:],
        "roach_dx": inbox["roach_dx"][:, 0, 1:],
        "roach_dy": inbox["roach_dy"][:, 0, 1:],
    }
