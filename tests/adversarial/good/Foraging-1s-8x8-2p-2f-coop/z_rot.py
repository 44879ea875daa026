import numpy as np
# the four rotations of my view: the receiver compares with its own
def send(own):
    v = own.group("cell_*.food_level").reshape(-1, 3, 3)
    return {"v": np.stack([np.rot90(v, k, axes=(1, 2)) for k in range(4)], 1).reshape(len(v), -1)}
def receive(own, inbox):
    v = inbox["v"].sum(1).reshape(-1, 4, 9); m = own.group("cell_*.food_level")
    return {"fit": np.matmul(v, m[..., None])[..., 0], "flip": np.flip(v[:, 0], axis=1)}
