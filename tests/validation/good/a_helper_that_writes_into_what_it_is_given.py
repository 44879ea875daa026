
import numpy as np

def fill(out, column, values):
    out[:, column] = values
    return out

def send(own):
    out = np.zeros((own["own.x"].shape[0], 2))
    out = fill(out, 0, own["own.x"])
    out = fill(out, 1, own["own.y"])
    return {"place": out}
