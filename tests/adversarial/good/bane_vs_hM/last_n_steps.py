import numpy as np

N = 3


def send(own):
    recent = own.past("last_action.*")[:, -N:]
    used = recent.max(axis=1)
    return {"used": used, "different": used.sum(axis=1)}
