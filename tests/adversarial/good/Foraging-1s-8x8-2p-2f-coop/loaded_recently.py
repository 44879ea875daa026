import numpy as np


def send(own):
    load = own.past("last_action.load")
    food = own.past("cell_*.food_level").sum(axis=2)
    success = (load[:, 1:] > 0) & (food[:, 1:] < food[:, :-1])
    return {"tries": load.sum(axis=1), "eaten": success.sum(axis=1), "left": food[:, -1]}
