import numpy as np

W1 = (0.2, -0.1, 0.4, 0.3, 0.5, -0.2, 0.1, 0.0, 0.6)


def send(own):
    food = own.group("cell_*.food_level")
    w = np.asarray(W1)
    return {"dot": food.dot(w), "at": food @ w, "outer": (food[:, :, None] * w).sum(axis=1)}
