
import numpy as np

def send(own):
    past = own.past("enemy_*.health")
    weights = np.linspace(0.1, 1.0, past.shape[1])
    weighted = (past * weights[None, :, None]).sum(axis=1)
    return {"weighted": weighted / weights.sum(), "trace": np.average(past, axis=1, weights=weights)}
