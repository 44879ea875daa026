
import numpy as np

def send(own):
    dx = own["enemy_0.relative_x"]
    dx = np.where(own["enemy_0.available"] > 0, dx, 0.0)
    dx *= 0.5
    dx[dx > 1] = 1.0
    return {"dx": dx}
