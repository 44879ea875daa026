import numpy as np
def send(own):
    p = np.moveaxis(own.past("cell_*.food_level").reshape(-1, 10, 3, 3), 1, -1)
    return {"first": (p[..., -1] > 0).reshape(-1, 9), "ever": p.any(axis=-1).reshape(-1, 9), "w": np.average(p, axis=-1, weights=np.arange(1, 11)).max(axis=(1, 2))}
