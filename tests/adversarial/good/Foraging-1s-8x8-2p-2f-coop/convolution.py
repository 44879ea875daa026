import numpy as np

KERNEL = ((0.0, 1.0, 0.0), (1.0, 2.0, 1.0), (0.0, 1.0, 0.0))


def send(own):
    kernel = np.array(KERNEL)
    food = own.group("cell_*.food_level").reshape(-1, 3, 3)
    return {"blurred": np.einsum("rij,ij->r", food, kernel) / kernel.sum()}
