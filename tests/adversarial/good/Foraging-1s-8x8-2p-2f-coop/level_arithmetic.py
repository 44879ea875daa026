"""Levels in whole numbers: the sum of our levels against the level of the food beside either of us."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

AGENT_SCALE = 2  # stored value times this is the level
FOOD_SCALE = 4


def my_level(own: Observation) -> Array:
    return np.rint(own["cell_here.agent_level"] * AGENT_SCALE).astype(int)


def food_beside(own: Observation) -> Array:
    """Level of the most valuable food in the four neighbouring cells, 0 if none."""
    best = np.zeros(own.agent_id.shape, dtype=int)
    for cell in ["n1", "s1", "w1", "e1"]:
        level = np.rint(own[f"cell_{cell}.food_level"] * FOOD_SCALE).astype(int)
        best = np.maximum(best, level)
    return best


def send(own: Observation) -> dict[str, Array]:
    level = my_level(own)
    food = food_beside(own)
    missing = np.maximum(food - level, 0)
    return {
        "level": level / AGENT_SCALE,
        "food": food / FOOD_SCALE,
        "missing": missing / FOOD_SCALE,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    joint = my_level(own) + np.rint(inbox["level"].sum(axis=1) * AGENT_SCALE)
    their_food = np.rint(inbox["food"].sum(axis=1) * FOOD_SCALE)
    return {
        "joint": joint / (2 * AGENT_SCALE),
        "we_can_load_theirs": (their_food > 0) & (joint >= their_food),
        "we_can_load_mine": (food_beside(own) > 0) & (joint >= food_beside(own)),
        "missing": inbox["missing"].sum(axis=1),
    }
