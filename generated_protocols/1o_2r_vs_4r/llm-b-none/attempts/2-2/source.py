import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Everybody: the open ground beside it, its health, and the Reapers it sees, relative to itself."""
    sees = (own.group("enemy_*.distance") > 0) * 1.0  # [R, 4]
    return {
        "open": own.group("move.*"),
        "health": own["own.health"],
        "sees": sees,
        "dx": own.group("enemy_*.relative_x") * sees,
        "dy": own.group("enemy_*.relative_y") * sees,
        "left": own.group("enemy_*.health") * sees,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep walls and health by sender, and of each Reaper the Overseer's sighting, in the Overseer's frame."""
    opened = inbox["open"]  # [R, N, 4]
    scout_sees = inbox["sees"][:, 0]  # [R, 4]: agent 0 is the Overseer
    others_see = inbox["sees"][:, 1:].max(axis=1)
    return {
        "open_0": opened[:, 0],
        "open_1": opened[:, 1],
        "open_2": opened[:, 2],
        "health": inbox["health"],
        "scout_sees": scout_sees,
        "scout_dx": inbox["dx"][:, 0],
        "scout_dy": inbox["dy"][:, 0],
        "seen": np.maximum(scout_sees, others_see),
        "left": inbox["left"].max(axis=1),
    }
