# Exploration map
# ---------------
# Each forager keeps, implicitly through its action history, a map of which cells around its present position it has
# looked at in the window (its sight is 3 x 3). The message is a 5 x 5 map, centred on the sender.
import numpy as np
from generated_protocols import Array, Inbox, Observation

RADIUS = 2
SIDE = 2 * RADIUS + 1
SIGHT = 1


def relative_path(own: Observation) -> tuple[Array, Array]:
    """Where the agent was at each step, relative to where it is now (south and east positive), `[R, W]`."""
    south = own.past("last_action.south") - own.past("last_action.north")
    east = own.past("last_action.east") - own.past("last_action.west")
    # last_action at step t led to the position at step t; going back undoes later actions only
    total_south = south.sum(axis=1, keepdims=True)
    total_east = east.sum(axis=1, keepdims=True)
    return np.cumsum(south, axis=1) - total_south, np.cumsum(east, axis=1) - total_east


def send(own: Observation) -> dict[str, Array]:
    south, east = relative_path(own)
    window = south.shape[1]
    real = np.arange(window)[None, :] >= (window - 1 - own.age)[:, None]
    looked = []
    for r in range(-RADIUS, RADIUS + 1):
        for c in range(-RADIUS, RADIUS + 1):
            in_sight = (np.abs(south - r) <= SIGHT) & (np.abs(east - c) <= SIGHT) & real
            looked.append(in_sight.any(axis=1))
    looked_at = np.stack(looked, axis=1)
    assert looked_at.shape[1] == SIDE * SIDE
    food_now = own.group("cell_*.food_level").max(axis=1)
    return {"looked_at": looked_at, "food_now": food_now}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    looked = inbox["looked_at"].sum(axis=1)
    picture = looked.reshape(-1, SIDE, SIDE)
    return {
        "rows": picture.mean(axis=2),
        "columns": picture.mean(axis=1),
        "food_now": inbox["food_now"].max(axis=1),
    }
