"""If I see you, I know where you are; you may not know that I do. Tell, and remember."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

CELLS = ("n1_w1", "n1", "n1_e1", "w1", "e1", "s1_w1", "s1", "s1_e1")
SOUTH = (-1.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
EAST = (-1.0, 0.0, 1.0, -1.0, 1.0, -1.0, 0.0, 1.0)


def partner_offset(own: Observation) -> tuple[Array, Array, Array]:
    """Offset of the partner over the window: south `[R, W]`, east `[R, W]`, seen `[R, W]`."""
    south = np.zeros_like(own.past("cell_here.agent_level"))
    east = np.zeros_like(south)
    seen = np.zeros(south.shape, dtype=bool)
    for cell, s, e in zip(CELLS, SOUTH, EAST):
        here = own.past(f"cell_{cell}.agent_level") > 0
        south = np.where(here, s, south)
        east = np.where(here, e, east)
        seen |= here
    return south, east, seen


def send(own: Observation) -> dict[str, Array]:
    south, east, seen = partner_offset(own)
    window = seen.shape[1]
    when = np.where(seen, np.arange(window), -1).max(axis=1)
    ever = when >= 0
    index = np.maximum(when, 0)[:, None]
    # my own displacement since then
    after = np.arange(window)[None, :] > when[:, None]
    my_south = ((own.past("last_action.south") - own.past("last_action.north")) * after).sum(axis=1)
    my_east = ((own.past("last_action.east") - own.past("last_action.west")) * after).sum(axis=1)
    last_south = np.take_along_axis(south, index, axis=1)[:, 0] - my_south
    last_east = np.take_along_axis(east, index, axis=1)[:, 0] - my_east
    return {
        "you_south": np.where(ever, last_south, 0.0),
        "you_east": np.where(ever, last_east, 0.0),
        "age": np.where(ever, window - when, 0) / window,
        "ever": ever,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Seen from me, the sender stands at minus what it says of me."""
    return {
        "partner_south": -inbox["you_south"].sum(axis=1),
        "partner_east": -inbox["you_east"].sum(axis=1),
        "age": inbox["age"].sum(axis=1),
        "ever": inbox["ever"].sum(axis=1),
    }
