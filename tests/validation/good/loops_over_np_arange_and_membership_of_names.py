
import numpy as np

NAMES = ("enemy_0.health", "enemy_1.health")

def send(own):
    total = np.zeros_like(own["own.x"])
    for step in np.arange(3):
        total = total + own.past("own.x")[:, step]
    for name in ("enemy_0.health", "enemy_2.health"):
        if name in NAMES:
            total = total + own[name]
    return {"total": total, "kind": np.isin(own.agent_id, [0, 2])}
