
import numpy as np

def visible(own, index):
    return own[f"enemy_{index}.distance"] > 0

def send(own):
    return {"seen": np.stack([visible(own, i) for i in range(3)], axis=1)}
