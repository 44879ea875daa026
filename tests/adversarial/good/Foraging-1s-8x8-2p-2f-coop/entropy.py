import numpy as np

EPS = 1e-9


def send(own):
    p = own.past("last_action.*").mean(axis=1)
    p = p / np.maximum(p.sum(axis=1, keepdims=True), EPS)
    entropy = -(p * np.log(np.maximum(p, EPS))).sum(axis=1)
    return {"entropy": entropy}
