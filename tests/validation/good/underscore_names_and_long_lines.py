
import numpy as np

_SCALE = 2.0

def _scaled(x):
    return x * _SCALE

def send(own):
    out = [_scaled(own["own.x"]) for _ in range(2)]
    return {"x": np.stack(out, axis=1)}
