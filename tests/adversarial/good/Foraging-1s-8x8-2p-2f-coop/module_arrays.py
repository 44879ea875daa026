import math
import numpy as np

ANGLES = np.array([0.0, math.pi / 4, math.pi / 2])
SCALE = math.sqrt(2.0)
WEIGHTS = np.array([[1.0, 0.5, 0.25], [0.0, SCALE, 1.0 / SCALE]], dtype=np.float32)


def scaled(level, power=SCALE):
    return level ** power


def send(own):
    """Constants of the module may be arrays; a copy may be changed."""
    mine = WEIGHTS.copy()
    mine *= 2.0
    level = own["cell_here.agent_level"][:, None]
    angles = np.cos(ANGLES)[None, :] * level
    return {"angles": angles, "mixed": angles @ mine.T, "power": scaled(own["cell_here.agent_level"])}
