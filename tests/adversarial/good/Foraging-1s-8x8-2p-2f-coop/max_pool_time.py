import numpy as np


def send(own):
    p = own.past("cell_*.food_level")
    pooled = p.reshape(p.shape[0], 5, 2, p.shape[2]).max(axis=2)
    return {"pooled": pooled.mean(axis=1), "late": pooled[:, -1]}
