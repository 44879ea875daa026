
import numpy as np

PAIRS = [("enemy_0.relative_x", "enemy_0.relative_y"), ("enemy_1.relative_x", "enemy_1.relative_y")]

def send(own):
    return {"r": np.stack([np.hypot(own[x], own[y]) for x, y in PAIRS], axis=1)}
