import numpy as np
def cx(v, i, j):
    a, b = np.minimum(v[i], v[j]), np.maximum(v[i], v[j])
    v[i] = a; v[j] = b
    return v
def send(own):
    v = [own[f"enemy_{k}.health"] for k in range(4)]
    for i, j in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)): v = cx(v, i, j)
    return {"sorted": np.stack(v, axis=1)}
