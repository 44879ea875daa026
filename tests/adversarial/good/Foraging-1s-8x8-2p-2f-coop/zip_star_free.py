import numpy as np

PAIRS = (("n1", "s1"), ("e1", "w1"))


def send(own):
    out = {}
    out["vertical"] = own[f"cell_{PAIRS[0][0]}.food_level"] - own[f"cell_{PAIRS[0][1]}.food_level"]
    out["horizontal"] = own[f"cell_{PAIRS[1][0]}.food_level"] - own[f"cell_{PAIRS[1][1]}.food_level"]
    return out
