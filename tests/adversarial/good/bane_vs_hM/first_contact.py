"""When did I first see the Hydralisk within the window, and from where?"""
import numpy as np


def send(own):
    seen = own.past("enemy_0.distance") > 0
    first = seen.argmax(axis=1)
    ever = seen.any(axis=1)
    x = np.take_along_axis(own.past("enemy_0.relative_x"), first[:, None], axis=1)[:, 0]
    y = np.take_along_axis(own.past("enemy_0.relative_y"), first[:, None], axis=1)[:, 0]
    return {"ever": ever, "ago": np.where(ever, seen.shape[1] - first, 0), "x": x * ever, "y": y * ever}
