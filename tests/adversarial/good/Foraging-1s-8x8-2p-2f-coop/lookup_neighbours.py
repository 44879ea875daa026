import numpy as np
from generated_protocols import Array, Inbox, Observation

NEIGHBOURS: dict[str, tuple[str, ...]] = {
    "n1": ("n1_w1", "n1_e1"),
    "s1": ("s1_w1", "s1_e1"),
    "w1": ("n1_w1", "s1_w1"),
    "e1": ("n1_e1", "s1_e1"),
}


def send(own: Observation) -> dict[str, Array]:
    """From which adjacent cell would a food in sight be loadable next step?

    A cell is attractive if it is free and food lies beside it.
    """
    attractive = []
    for cell, diagonals in NEIGHBOURS.items():
        food_next_to_it = sum(own[f"cell_{d}.food_level"] > 0 for d in diagonals)
        free = own[f"cell_{cell}.accessible"] > 0
        attractive.append(np.where(free, food_next_to_it, 0))
    already = np.any([own[f"cell_{cell}.food_level"] > 0 for cell in NEIGHBOURS], axis=0)
    return {"attractive": np.stack(attractive, axis=1) / 2, "already": already}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    attractive = inbox["attractive"].sum(axis=1)
    return {"attractive": attractive, "n": (attractive > 0).sum(axis=1), "already": inbox["already"].max(axis=1)}
