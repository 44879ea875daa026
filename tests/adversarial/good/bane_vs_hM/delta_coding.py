import numpy as np


def send(own):
    """Send differences, sum them up on the other side."""
    p = own.past("own.health")
    delta = np.where(own.age > 0, p[:, -1] - p[:, -2], p[:, -1])
    return {"delta": delta, "flag": np.ones_like(delta)}


def receive(own, inbox):
    return {"sum": inbox.past("delta").sum(axis=1)}
