import numpy as np


def send(own):
    return {"wish": np.stack([own["enemy_0.attackable"], own["last_action.stop"], own["move.east"]], axis=1)}


def receive(own, inbox):
    wish = inbox["wish"].sum(axis=1)
    total = wish.sum(axis=1, keepdims=True)
    return {"share": np.divide(wish, np.where(total == 0, 1.0, total))}
