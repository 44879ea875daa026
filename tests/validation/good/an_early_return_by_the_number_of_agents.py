
import numpy as np

def send(own):
    if own.n_agents < 2:
        return {"x": np.zeros_like(own["own.x"])}
    return {"x": own["own.x"]}
