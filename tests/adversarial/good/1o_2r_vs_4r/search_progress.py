import numpy as np
from generated_protocols import Array, Inbox, Observation

# 9 map units of sight; a Roach walks ~2 map units a step
STEP = 2.0
SIGHT = 9.0


def path(own: Observation) -> tuple[Array, Array]:
    """Position of the unit at every step of the window relative to where it is now, `[R, W]` each, in map units."""
    dx = (own.past("last_action.east") - own.past("last_action.west")) * STEP
    dy = (own.past("last_action.north") - own.past("last_action.south")) * STEP
    # position(t) = -(sum of the moves after t)
    after_x = np.cumsum(dx[:, ::-1], axis=1)[:, ::-1] - dx
    after_y = np.cumsum(dy[:, ::-1], axis=1)[:, ::-1] - dy
    return -after_x, -after_y


def send(own: Observation) -> dict[str, Array]:
    """What part of the surroundings has been searched in the window: bounding box of the path plus the sight."""
    x, y = path(own)
    seen_any = (own.past("enemy_*.distance") > 0).any(axis=(1, 2))
    scale = STEP * x.shape[1] + SIGHT
    return {
        "west": (x.min(axis=1) - SIGHT) / scale,
        "east": (x.max(axis=1) + SIGHT) / scale,
        "south": (y.min(axis=1) - SIGHT) / scale,
        "north": (y.max(axis=1) + SIGHT) / scale,
        "in_vain": ~seen_any,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    box = np.stack([inbox["west"], inbox["east"], inbox["south"], inbox["north"]], axis=2)  # [R, N, 4]
    width = box[:, :, 1] - box[:, :, 0]
    height = box[:, :, 3] - box[:, :, 2]
    return {
        "box": box.reshape(box.shape[0], 4 * own.n_agents),
        "area": width * height,
        "in_vain": inbox["in_vain"].sum(axis=1) / own.n_agents,
    }
