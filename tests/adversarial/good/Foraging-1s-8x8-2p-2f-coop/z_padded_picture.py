import numpy as np
def send(own):
    p = np.pad(own.group("cell_*.food_level").reshape(-1, 3, 3), ((0,0),(1,1),(1,1)))
    b = sum(p[:, i:i+3, j:j+3] for i in range(3) for j in range(3)) / 9
    return {"blur": b.reshape(-1, 9), "edge": np.abs(np.diff(p, axis=2)).sum(axis=(1, 2))}
