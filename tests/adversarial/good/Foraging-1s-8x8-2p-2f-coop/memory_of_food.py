import numpy as np


def send(own):
    food = own.past("cell_*.food_level")  # [R, W, 9]
    w = food.shape[1]
    seen = food > 0
    last = np.where(seen, np.arange(w)[None, :, None] + 1, 0).max(axis=1)
    return {"age": (w - last) / w, "level": food.max(axis=1), "now": seen[:, -1]}
