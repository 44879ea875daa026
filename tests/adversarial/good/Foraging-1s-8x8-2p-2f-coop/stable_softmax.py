import numpy as np


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def send(own):
    return {"belief": softmax(3.0 * own.group("cell_*.food_level")), "level": own["cell_here.agent_level"]}
