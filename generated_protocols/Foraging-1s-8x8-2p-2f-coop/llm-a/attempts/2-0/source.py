import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Whether one's level is 2, the level of the food beside oneself on each side, and whether one waits there."""
    food = own.group("cell_*.food_level")  # [R, 9], north-west to south-east
    return {
        "strong": (own["cell_here.agent_level"] > 0.75) * 1.0,
        "weak": (own["cell_here.agent_level"] <= 0.75) * 1.0,
        "food_north": food[:, 1],
        "food_west": food[:, 3],
        "food_east": food[:, 5],
        "food_south": food[:, 7],
        "loading": own.past("last_action.load").sum(axis=1) / 10.0,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep the flags, the food beside the other one, and the strongest food it stood at within the history."""
    beside = np.stack(
        (
            inbox["food_north"].sum(axis=1),
            inbox["food_west"].sum(axis=1),
            inbox["food_east"].sum(axis=1),
            inbox["food_south"].sum(axis=1),
        ),
        axis=1,
    )  # [R, 4]
    past = (
        inbox.past("food_north").sum(axis=2)
        + inbox.past("food_west").sum(axis=2)
        + inbox.past("food_east").sum(axis=2)
        + inbox.past("food_south").sum(axis=2)
    )  # [R, W]
    return {
        "strong": inbox["strong"].sum(axis=1),
        "weak": inbox["weak"].sum(axis=1),
        "beside": beside,
        "stood_at": past.max(axis=1),
        "loading": inbox["loading"].sum(axis=1),
    }
