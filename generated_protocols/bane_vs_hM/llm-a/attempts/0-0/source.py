import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """The sign of life, the walls beside oneself, the step just made, and whether an enemy is in sight."""
    return {
        "alive": (own["own.health"] > 0) * 1.0,
        "open": own.group("move.*"),
        "east": own["last_action.east"] - own["last_action.west"],
        "north": own["last_action.north"] - own["last_action.south"],
        "meets": (own["enemy_0.distance"] > 0) * 1.0,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep the others by sender, and how many of them still live."""
    opened = inbox["open"]  # [R, N, 4]
    return {
        "alive": inbox["alive"],
        "living": inbox["alive"].sum(axis=1),
        "open_0": opened[:, 0],
        "open_1": opened[:, 1],
        "open_2": opened[:, 2],
        "east": inbox["east"],
        "north": inbox["north"],
        "meets": inbox["meets"].max(axis=1),
    }
