
import numpy as np

def send(own):
    total = np.zeros_like(own["own.health"])
    for name in ("enemy_0.health", "enemy_1.health"):
        total += own[name]
    total *= 0.5
    return {"enemy_health": total}
