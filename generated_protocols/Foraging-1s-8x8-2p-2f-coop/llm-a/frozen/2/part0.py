import numpy as np
from generated_protocols import Array, Inbox, Observation

ROWS = (-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
COLUMNS = (-1.0, 0.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0)


def send(own: Observation) -> dict[str, Array]:
    """One's level, the free cells beside oneself, the step just made, and the foods in sight."""
    food = own.group("cell_*.food_level")  # [R, 9], north-west to south-east
    sees = (food > 0) * 1.0
    count = np.maximum(sees.sum(axis=1), 1.0)
    return {
        "level": own["cell_here.agent_level"],
        "free_north": own["cell_n1.accessible"],
        "free_south": own["cell_s1.accessible"],
        "free_east": own["cell_e1.accessible"],
        "free_west": own["cell_w1.accessible"],
        "south": own["last_action.south"] - own["last_action.north"],
        "east": own["last_action.east"] - own["last_action.west"],
        "food_level": food.max(axis=1),
        "food_row": (sees * np.array(ROWS)).sum(axis=1) / count,
        "food_column": (sees * np.array(COLUMNS)).sum(axis=1) / count,
        "foods": sees.sum(axis=1),
        "loads": own["last_action.load"],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep what the other one says."""
    return {
        "level": inbox["level"].sum(axis=1),
        "free_north": inbox["free_north"].sum(axis=1),
        "free_south": inbox["free_south"].sum(axis=1),
        "free_east": inbox["free_east"].sum(axis=1),
        "free_west": inbox["free_west"].sum(axis=1),
        "south": inbox["south"].sum(axis=1),
        "east": inbox["east"].sum(axis=1),
        "food_level": inbox["food_level"].sum(axis=1),
        "food_row": inbox["food_row"].sum(axis=1),
        "food_column": inbox["food_column"].sum(axis=1),
        "foods": inbox["foods"].sum(axis=1),
        "loads": inbox["loads"].sum(axis=1),
    }
