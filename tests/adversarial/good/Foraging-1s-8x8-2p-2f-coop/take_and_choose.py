import numpy as np


def send(own):
    food = own.group("cell_*.food_level")
    cross = np.take(food, [1, 3, 5, 7], axis=1)
    best = cross.argmax(axis=1)
    return {"best": np.eye(4)[best], "level": np.take_along_axis(cross, best[:, None], axis=1)}
