
import numpy as np

def send(own):
    past = own.past("own.x")
    rows, window = past.shape
    total = np.zeros(rows)
    for step in range(window):
        total = 0.8 * total + past[:, step]
    return {"smooth": total}
