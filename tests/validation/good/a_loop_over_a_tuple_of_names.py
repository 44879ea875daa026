
import numpy as np

def send(own):
    total = np.zeros_like(own["own.health"])
    for name in ("enemy_0.health", "enemy_1.health", "enemy_2.health"):
        total = total + own[name]
    return {"enemy_health": total / 3.0}
