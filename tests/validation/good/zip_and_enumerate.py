
import numpy as np

NAMES = ("enemy_0.health", "enemy_1.health")
WEIGHTS = [0.25, 0.75]

def send(own):
    total = np.zeros_like(own["own.x"])
    for name, weight in zip(NAMES, WEIGHTS):
        total += own[name] * weight
    signs = np.zeros((own["own.x"].shape[0], 2))
    for index, name in enumerate(NAMES):
        signs[:, index] = np.sign(own[name])
    return {"total": total, "signs": signs}
