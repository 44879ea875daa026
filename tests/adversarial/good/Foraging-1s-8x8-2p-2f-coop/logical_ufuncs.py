import numpy as np


def send(own):
    near = [own[f"cell_{c}.food_level"] > 0 for c in ("n1", "s1", "w1", "e1")]
    either = np.logical_or.reduce(near)
    every = np.logical_and.reduce(near)
    odd = np.logical_xor(near[0], near[1])
    return {"either": either, "every": every, "odd": odd, "none": np.logical_not(either)}
