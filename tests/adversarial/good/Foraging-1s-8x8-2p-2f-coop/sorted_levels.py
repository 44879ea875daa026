import numpy as np


def send(own):
    food = own.group("cell_*.food_level")
    top = np.sort(food, axis=1)[:, -2:]
    second = np.partition(food, -2, axis=1)[:, -2]
    return {"top": top, "second": second, "where": np.argsort(-food, axis=1)[:, 0]}
