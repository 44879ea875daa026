import numpy as np


def send(own):
    x, y = own["enemy_2.relative_x"], own["enemy_2.relative_y"]
    conditions = [np.abs(x) + np.abs(y) == 0, np.abs(x) >= np.abs(y), y > 0]
    side = np.select(conditions, [np.zeros_like(x), np.sign(x), np.full_like(x, 2.0)], default=-2.0)
    return {"side": side}
