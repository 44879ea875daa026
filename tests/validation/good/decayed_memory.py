
import numpy as np

DECAY = 0.9

def send(own):
    past = own.past("enemy_0.available")
    weights = DECAY ** np.arange(past.shape[1] - 1, -1, -1)
    return {"memory": (past * weights).sum(axis=1) / weights.sum()}
