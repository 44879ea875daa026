import numpy as np
def send(own):
    h, m = (own.group("enemy_*.distance") > 0).T
    return {
        "xor": np.logical_xor(h, m), "nand": np.logical_not(np.logical_and(h, m)),
        "nor": ~(h | m), "imp": ~h | m, "eq": h == m, "le": h <= m, "xor2": np.bitwise_xor(h, m), "n": h.astype(int) + m,
    }
