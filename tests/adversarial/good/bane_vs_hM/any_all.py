import numpy as np


def send(own):
    seen = own.past("enemy_*.distance") > 0
    return {
        "any": np.any(seen, axis=(1, 2)),
        "all": np.all(seen, axis=(1, 2)),
        "both_now": np.all(seen[:, -1], axis=-1),
        "count": np.count_nonzero(seen, axis=1),
    }
