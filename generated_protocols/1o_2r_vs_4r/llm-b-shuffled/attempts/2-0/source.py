import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """A Roach: its open ways, its last step, and where the Overseer stands to it."""
    roach = own.is_role("roach") * 1.0
    sees = own["ally_0.visible"] * roach  # slot 0 is the Overseer for both Roaches
    return {
        "ways": own.group("move.*") * roach[:, None],
        "step_x": (own["last_action.east"] - own["last_action.west"]) * roach,
        "step_y": (own["last_action.north"] - own["last_action.south"]) * roach,
        "sees": sees,
        "scout_x": own["ally_0.relative_x"] * sees,
        "scout_y": own["ally_0.relative_y"] * sees,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep both Roaches apart: agents 1 and 2."""
    ways = inbox["ways"]  # [R, N, 4]
    return {
        "ways_first": ways[:, 1],
        "ways_second": ways[:, 2],
        "step_x": inbox["step_x"][:, 1:],
        "step_y": inbox["step_y"][:, 1:],
        "sees": inbox["sees"][:, 1:],
        "scout_x": inbox["scout_x"][:, 1:],
        "scout_y": inbox["scout_y"][:, 1:],
    }
