
import numpy as np

def send(own):
    both = np.concatenate([own.group("enemy_*.health"), own.group("ally_*.health")], axis=1)
    return {"both": both, "mean": both.mean(axis=-1)}
