
import numpy as np

def send(own):
    seen = own.past("enemy_0.distance") > 0
    index = np.where(seen, np.arange(seen.shape[1]), 0)
    index = np.maximum.accumulate(index, axis=1)
    filled = np.take_along_axis(own.past("enemy_0.relative_x"), index, axis=1)
    return {"x": filled[:, -1], "ever": seen.any(axis=1)}
