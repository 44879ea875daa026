import numpy as np


def send(own):
    level = np.round(own["cell_here.agent_level"] * 2)
    return {"is_two": np.isin(level, (2, 4)), "close": np.isclose(level, 1.0), "sign": np.sign(level - 1)}
