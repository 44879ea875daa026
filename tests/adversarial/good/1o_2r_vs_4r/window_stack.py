import numpy as np


def send(own):
    """Every second step of the window, flattened."""
    p = own.past("enemy_0.relative_*")
    return {"trail": p[:, ::2].reshape(p.shape[0], -1)}
