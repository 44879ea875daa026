import numpy as np


def send(own):
    loads = own.past("last_action.load") > 0
    run = np.zeros(loads.shape[0], dtype=np.int64)
    for t in range(10):
        run = np.where(loads[:, t], run + 1, 0)
    return {"run": run, "total": np.count_nonzero(loads, axis=1)}
