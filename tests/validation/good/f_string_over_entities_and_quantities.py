
import numpy as np

ENTITIES = ("enemy_0", "enemy_1")

def send(own):
    return {
        "x": np.column_stack([own[f"{entity}.relative_x"] for entity in ENTITIES]),
        "y": np.column_stack([own[f"{entity}.relative_y"] for entity in ENTITIES]),
    }
