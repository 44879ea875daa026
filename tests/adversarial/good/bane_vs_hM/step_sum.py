import numpy as np


def send(own):
    dx = own.past("last_action.east") - own.past("last_action.west")
    dy = own.past("last_action.north") - own.past("last_action.south")
    path = np.stack([np.cumsum(dx, axis=1), np.cumsum(dy, axis=1)], axis=2)
    return {"end": path[:, -1], "middle": path[:, 4], "furthest": np.abs(path).max(axis=1)}
