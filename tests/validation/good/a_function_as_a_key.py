
import numpy as np

WEIGHTS = {"enemy_0.health": 0.5, "enemy_1.health": 0.25}

def weight(name):
    return WEIGHTS[name]

def send(own):
    names = sorted(WEIGHTS, key=weight, reverse=True)
    return {"health": np.stack([own[name] for name in names], axis=1), "id": np.eye(own.n_agents)[own.agent_id]}
