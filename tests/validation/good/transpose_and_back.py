
import numpy as np

def send(own):
    columns = np.stack([own["own.x"], own["own.y"]])
    return {"place": columns.T, "sum": columns.sum(axis=0), "first": columns[0]}
