import numpy as np

QUANTITIES = ("attackable", "distance", "relative_x", "relative_y")


def send(own):
    message = {}
    message["hydra"] = np.column_stack([own[f"enemy_0.{q}"] for q in QUANTITIES])
    message["medivac"] = np.column_stack([own[f"enemy_1.{q}"] for q in QUANTITIES])
    total = 0
    for name in ("ally_0.visible", "ally_1.visible"):
        total = total + own[name]
    message["company"] = total
    return message
