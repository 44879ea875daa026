import numpy as np


def send(own):
    p = own.past("cell_here.food_level")
    padded = np.pad(p, ((0, 0), (2, 0)))
    smooth = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3
    return {"smooth": smooth[:, -1], "peak": smooth.max(axis=1)}
