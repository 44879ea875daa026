
import numpy as np

def send(own):
    lowest = np.minimum.reduce([own["enemy_0.health"], own["enemy_1.health"]])
    highest = np.maximum(own["enemy_0.health"], own["enemy_1.health"])
    return {"lowest": lowest, "highest": highest}
