
import numpy as np

def send(own):
    nearest = own.group("enemy_*.distance").argmin(axis=1)
    return {"nearest": np.eye(3)[nearest], "again": (nearest[:, None] == np.arange(3)).astype(np.float32)}
