"""Two agents, two foods. Keep a joint count of foods: each tells how many it sees now and how many it saw at most."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

N_FOODS = 2.0


def send(own: Observation) -> dict[str, Array]:
    food = own.past("cell_*.food_level") > 0                   # [R, W, 9]
    count = food.sum(axis=2)                                   # [R, W]
    eaten = np.maximum(count[:, :-1] - count[:, 1:], 0) * (own.past("last_action.load")[:, 1:] > 0)
    return {
        "now": count[:, -1] / N_FOODS,
        "most": count.max(axis=1) / N_FOODS,
        "eaten": np.minimum(eaten.sum(axis=1), N_FOODS) / N_FOODS,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    eaten_before = np.maximum.accumulate(inbox.past("eaten").max(axis=2), axis=1)
    return {
        "now": inbox["now"].sum(axis=1),
        "most": inbox.past("most").max(axis=2).max(axis=1),
        "eaten": eaten_before[:, -1],
        "left": np.clip(1.0 - eaten_before[:, -1], 0.0, 1.0),
    }
