import numpy as np


def send(own):
    w = own.past("move.*").shape[1]
    ramp = np.arange(1, w + 1) / w
    moves = own.past("move.*")
    return {
        "recent": np.einsum("rwk,w->rk", moves, ramp) / ramp.sum(),
        "energy": np.einsum("rwk,rwk->r", moves, moves) / w,
    }
