import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Each Reaper's place to the Overseer and its health; a Roach's last step."""
    scout = own.is_role("overseer") * 1.0
    sees = (own.group("enemy_*.distance") > 0) * 1.0  # [R, 4]
    return {
        "seen": sees,
        "health": own.group("enemy_*.health") * sees,
        "each_x": own.group("enemy_*.relative_x") * sees * scout[:, None],
        "each_y": own.group("enemy_*.relative_y") * sees * scout[:, None],
        "step_x": (own["last_action.east"] - own["last_action.west"]) * (1.0 - scout),
        "step_y": (own["last_action.north"] - own["last_action.south"]) * (1.0 - scout),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Each Reaper's place from the Overseer, its health as the mean of who sees it, the Roaches' steps apart."""
    seers = inbox["seen"].sum(axis=1)  # [R, 4]
    return {
        "seen": seers,
        "health": inbox["health"].sum(axis=1) / np.maximum(seers, 1.0),
        "each_x": inbox["each_x"].sum(axis=1),
        "each_y": inbox["each_y"].sum(axis=1),
        "step_x": inbox["step_x"][:, 1:],
        "step_y": inbox["step_y"][:, 1:],
    }
