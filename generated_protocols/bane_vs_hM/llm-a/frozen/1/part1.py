import numpy as np
from generated_protocols import Array, Inbox, Observation

SCALE = 10.0


def since_wall(own: Observation, flag: str, steps: Array) -> tuple[Array, Array]:
    """How far one has gone since one last stood at this wall, and whether one has within the history."""
    window = steps.shape[1]
    places = np.arange(window)
    real = places[None, :] >= (window - 1 - own.age)[:, None]  # [R, W]
    at_wall = (own.past(flag) == 0) & real
    latest = (at_wall * (places + 1)[None, :]).max(axis=1)  # [R], 0: never
    here = at_wall & ((places + 1)[None, :] == latest[:, None])
    way = np.flip(np.cumsum(np.flip(steps, axis=1), axis=1), axis=1) - steps  # gone after each step, until now
    return (way * here).sum(axis=1) / SCALE, (latest > 0) * 1.0


def send(own: Observation) -> dict[str, Array]:
    """Net ways over the history, and the way since the last contact with a wall on each side."""
    east = own.past("last_action.east") - own.past("last_action.west")  # [R, W]
    north = own.past("last_action.north") - own.past("last_action.south")
    west_way, west_known = since_wall(own, "move.west", east)
    east_way, east_known = since_wall(own, "move.east", east)
    south_way, south_known = since_wall(own, "move.south", north)
    north_way, north_known = since_wall(own, "move.north", north)
    upright = own.agent_id == 1  # the Baneling of the stem walks north, the others east and west
    return {
        "net_east": east.sum(axis=1) / SCALE,
        "net_north": north.sum(axis=1) / SCALE,
        "age": (own.age + 1) / SCALE,
        "back_way": np.where(upright, south_way, np.where(own.agent_id == 0, west_way, east_way)),
        "back_known": np.where(upright, south_known, np.where(own.agent_id == 0, west_known, east_known)),
        "front_way": np.where(upright, north_way, np.where(own.agent_id == 0, east_way, west_way)),
        "front_known": np.where(upright, north_known, np.where(own.agent_id == 0, east_known, west_known)),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep each sender's ways: the arms differ."""
    return {
        "net_east": inbox["net_east"],
        "net_north": inbox["net_north"],
        "age": inbox["age"].max(axis=1),
        "back_way": inbox["back_way"],
        "back_known": inbox["back_known"],
        "front_way": inbox["front_way"],
        "front_known": inbox["front_known"],
    }
