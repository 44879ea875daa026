import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Open ground, the last step, health, and every Reaper in sight around oneself."""
    sees = (own.group("enemy_*.distance") > 0) * 1.0
    return {
        "open": own.group("move.*"),
        "step_x": own["last_action.east"] - own["last_action.west"],
        "step_y": own["last_action.north"] - own["last_action.south"],
        "health": own["own.health"],
        "sees": sees,
        "x": own.group("enemy_*.relative_x") * sees,
        "y": own.group("enemy_*.relative_y") * sees,
        "left": own.group("enemy_*.health") * sees,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The Overseer's sight of each Reaper, the Roaches' mean sight, and who stands and steps where, by sender."""
    sees = inbox["sees"]  # [R, N, 4]
    roaches = np.maximum(sees[:, 1:].sum(axis=1), 1.0)
    opened = inbox["open"]
    return {
        "open_scout": opened[:, 0],
        "open_first": opened[:, 1],
        "open_second": opened[:, 2],
        "step_x": inbox["step_x"],
        "step_y": inbox["step_y"],
        "health": inbox["health"],
        "scout_sees": sees[:, 0],
        "scout_x": inbox["x"][:, 0],
        "scout_y": inbox["y"][:, 0],
        "roaches_see": sees[:, 1:].max(axis=1),
        "roaches_x": inbox["x"][:, 1:].sum(axis=1) / roaches,
        "roaches_y": inbox["y"][:, 1:].sum(axis=1) / roaches,
        "left": inbox["left"].max(axis=1),
    }
