import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """A Roach's open ground and its last step."""
    roach = own.is_role("roach") * 1.0
    return {
        "ground": own.group("move.*") * roach[:, None],
        "step_x": (own["last_action.east"] - own["last_action.west"]) * roach,
        "step_y": (own["last_action.north"] - own["last_action.south"]) * roach,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep both Roaches apart: agents 1 and 2."""
    ground = inbox["ground"]  # [R, N, 4]
    return {
        "ground_first": ground[:, 1],
        "ground_second": ground[:, 2],
        "step_x": inbox["step_x"][:, 1:],
        "step_y": inbox["step_y"][:, 1:],
    }
