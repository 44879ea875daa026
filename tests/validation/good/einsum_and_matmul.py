
import numpy as np

def send(own):
    place = np.stack([own["own.x"], own["own.y"]], axis=1)
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    square = np.einsum("rk,rk->r", place, place)
    return {"turned": place @ turn, "square": square, "norm": np.linalg.norm(place, axis=1)}
