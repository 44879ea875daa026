import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """The Overseer's corner as two signs; a Roach's view of the Overseer and its attacks of the last three steps."""
    scout = own.is_role("overseer") * 1.0
    roach = own.is_role("roach") * 1.0
    closed = own.past("move.*") == 0  # [R, W, 4]: north, south, east, west
    real = np.arange(closed.shape[1])[None, :] >= (closed.shape[1] - 1 - own.age)[:, None]
    met = (closed & real[:, :, None]).max(axis=1) * 1.0  # [R, 4]
    sees = own["ally_0.visible"] * roach
    attacks = own.past("last_action.attack_enemy_*")[:, -3:].sum(axis=2).sum(axis=1)
    return {
        "corner_y": (met[:, 0] - met[:, 1]) * scout,
        "corner_x": (met[:, 2] - met[:, 3]) * scout,
        "sees_scout": sees,
        "scout_x": own["ally_0.relative_x"] * sees,
        "scout_y": own["ally_0.relative_y"] * sees,
        "attacks": attacks / 3.0 * roach,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The corner once, the Roaches' views and attacks by sender."""
    return {
        "corner_x": inbox["corner_x"].sum(axis=1),
        "corner_y": inbox["corner_y"].sum(axis=1),
        "sees_scout": inbox["sees_scout"][:, 1:],
        "scout_x": inbox["scout_x"][:, 1:],
        "scout_y": inbox["scout_y"][:, 1:],
        "attacks": inbox["attacks"][:, 1:],
    }
