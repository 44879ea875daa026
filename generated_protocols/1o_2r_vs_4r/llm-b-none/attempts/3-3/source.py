import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Everybody's open ways and last step; the Overseer's Reapers and Roaches in sight; health."""
    scout = own.is_role("overseer") * 1.0
    sees = (own.group("enemy_*.distance") > 0) * 1.0  # [R, 4]
    near = own.allies("visible") * scout[:, None]
    return {
        "ways": own.group("move.*"),
        "step_x": own["last_action.east"] - own["last_action.west"],
        "step_y": own["last_action.north"] - own["last_action.south"],
        "seen": sees * scout[:, None],
        "each_x": own.group("enemy_*.relative_x") * sees * scout[:, None],
        "each_y": own.group("enemy_*.relative_y") * sees * scout[:, None],
        "near": near,
        "roach_dx": own.allies("relative_x") * near,
        "roach_dy": own.allies("relative_y") * near,
        "health": own["own.health"],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """What each sender says kept apart; the Reapers from the Overseer; how the Overseer stands to this agent."""
    near = inbox.addressed("near").max(axis=1)
    ways = inbox["ways"]  # [R, N, 4]
    return {
        "ways_0": ways[:, 0],
        "ways_1": ways[:, 1],
        "ways_2": ways[:, 2],
        "step_x": inbox["step_x"],
        "step_y": inbox["step_y"],
        "seen": inbox["seen"].sum(axis=1),
        "each_x": inbox["each_x"].sum(axis=1),
        "each_y": inbox["each_y"].sum(axis=1),
        "near": near,
        "scout_dx": inbox.addressed("roach_dx").sum(axis=1) * near,
        "scout_dy": inbox.addressed("roach_dy").sum(axis=1) * near,
        "health": inbox["health"],
    }
