import numpy as np

def send(own):
    hs = [own[f"enemy_{i}.health"] for i in range(4)]
    first, rest = hs[0], hs[1:]
    m = first
    for k in range(len(rest)): m = np.maximum(m, rest[k])
    return {"top": m, "gap": m - first}
