
import numpy as np

SCALE = 0.5
NEAR = 3 / 9
NAMES = ("enemy_0.distance", "enemy_1.distance")
LABELS: tuple[str, ...] = ("a", "b")

def send(own):
    parts = [np.where(own[name] < NEAR, own[name] * SCALE, 0.0) for name in NAMES]
    return {"near": np.stack(parts, axis=1)}
