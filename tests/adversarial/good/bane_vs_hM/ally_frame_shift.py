"""Everyone at the junction sees some of the others; use the sender's view to place the Hydralisk for the receiver.

Frame of reference:
    enemy as seen from receiver = (enemy - sender) - (receiver - sender)
Both terms on the right are observed by the *sender*, so it can send them, one pair per receiver.
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    sees_hydra = own["enemy_0.distance"] > 0                       # [R]
    sees_ally = own.allies("visible") > 0                          # [R, N]
    usable = sees_ally & sees_hydra[:, None]                       # [R, N]
    enemy_from_ally_x = own["enemy_0.relative_x"][:, None] - own.allies("relative_x")
    enemy_from_ally_y = own["enemy_0.relative_y"][:, None] - own.allies("relative_y")
    return {
        "usable": usable,
        "x_for_you": np.where(usable, enemy_from_ally_x, 0.0),
        "y_for_you": np.where(usable, enemy_from_ally_y, 0.0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    usable = inbox.addressed("usable")                             # [R, N]
    n_reports = usable.sum(axis=1)
    divisor = np.maximum(n_reports, 1.0)
    x = inbox.addressed("x_for_you").sum(axis=1) / divisor
    y = inbox.addressed("y_for_you").sum(axis=1) / divisor

    # If I see the Hydralisk myself, trust my own eyes.
    i_see = own["enemy_0.distance"] > 0
    x = np.where(i_see, own["enemy_0.relative_x"], x)
    y = np.where(i_see, own["enemy_0.relative_y"], y)
    return {
        "hydra_x": x,
        "hydra_y": y,
        "hydra_known": np.logical_or(i_see, n_reports > 0),
        "n_reports": n_reports,
    }
