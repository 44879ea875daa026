
import numpy as np

def send(own):
    mask = own["enemy_0.available"].astype(np.float32)
    mask *= own["own.health"]
    return {"mask": mask}
