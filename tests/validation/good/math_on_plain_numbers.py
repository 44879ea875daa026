
import math

import numpy as np

ANGLE = 0.7

def send(own):
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    x, y = own["own.x"], own["own.y"]
    return {"x": c * x - s * y, "y": s * x + c * y, "r": np.hypot(x, y) / math.sqrt(2)}
