import numpy as np
from generated_protocols import Array, Inbox, Observation

LOOKBACK = 3


def send(own: Observation) -> dict[str, Array]:
    """Changes over the last LOOKBACK steps; works for any window, a window of one step included."""
    health = own.past("own.health")
    n_rows, window = health.shape
    if window < 2:
        nothing = np.zeros(n_rows, dtype=np.float32)
        return {"change": nothing, "steps": nothing}

    steps = min(LOOKBACK, window - 1)
    usable = np.minimum(own.age, steps)                       # [R]
    start = np.take_along_axis(health, (window - 1 - usable)[:, None], axis=1)[:, 0]
    change = health[:, -1] - start
    return {"change": change, "steps": usable / steps}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    change = inbox["change"]
    worst = np.minimum(change.min(axis=1), 0.0)
    best = np.maximum(change.max(axis=1), 0.0)
    return {"worst": worst, "best": best, "net": change.sum(axis=1)}
