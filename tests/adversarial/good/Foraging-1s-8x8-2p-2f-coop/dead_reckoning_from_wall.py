"""Where I am: the last wall I touched, and my steps since."""
import numpy as np
from generated_protocols import Array, Observation


def steps_since(mask: Array) -> Array:
    """Steps since `mask` [R, W] was last true; W where it never was."""
    window = mask.shape[1]
    last = np.where(mask, np.arange(window) + 1, 0).max(axis=1)
    return window - last


def send(own: Observation) -> dict[str, Array]:
    wall_west = own.past("cell_w1.accessible") < 0.5
    wall_north = own.past("cell_n1.accessible") < 0.5
    walked_x = own.past("last_action.east") - own.past("last_action.west")
    walked_y = own.past("last_action.south") - own.past("last_action.north")
    return {
        "since_west": steps_since(wall_west) / 10,
        "since_north": steps_since(wall_north) / 10,
        "walked_x": walked_x.sum(axis=1),
        "walked_y": walked_y.sum(axis=1),
    }
