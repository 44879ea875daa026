import numpy as np


def send(own):
    p = np.swapaxes(own.past("move.*"), 1, 2)  # [R, 4, W]
    flat = p.reshape(p.shape[0], p.shape[1] * p.shape[2])
    return {"recent": p[:, :, -2:].reshape(len(p), -1), "count": flat.sum(axis=-1)}
