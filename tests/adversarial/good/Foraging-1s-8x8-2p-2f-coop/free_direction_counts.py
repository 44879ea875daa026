import numpy as np
from generated_protocols import Array, Inbox, Observation

SIDES = {
    "north": ("n1_w1", "n1", "n1_e1"),
    "south": ("s1_w1", "s1", "s1_e1"),
    "west": ("n1_w1", "w1", "s1_w1"),
    "east": ("n1_e1", "e1", "s1_e1"),
}


def side_mean(own: Observation, cells: tuple[str, str, str], layer: str) -> Array:
    """Mean of a layer over the three cells of one side."""
    total = np.zeros_like(own["cell_here.accessible"])
    for cell in cells:
        total = total + own[f"cell_{cell}.{layer}"]
    return total / len(cells)


def send(own: Observation) -> dict[str, Array]:
    free = [side_mean(own, cells, "accessible") for cells in SIDES.values()]
    food = [side_mean(own, cells, "food_level") for cells in SIDES.values()]
    return {"free": np.stack(free, axis=1), "food": np.stack(food, axis=1)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    free = inbox["free"].sum(axis=1)
    food = inbox["food"].sum(axis=1)
    # a side without free cells is a border or a crowd
    return {"closed": free <= 0, "food": food, "towards": np.eye(4)[food.argmax(axis=1)] * (food.max(axis=1) > 0)[:, None]}
