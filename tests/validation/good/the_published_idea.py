
"""The overseer alone sees the enemy; it tells each roach where it stands from there."""

import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """What the overseer sees, and where its allies are."""
    sees = own.is_role("overseer") & (own["enemy_0.distance"] > 0)
    near = own.allies("visible") * sees[:, None]
    return {
        "sees": sees,
        "dx": own["enemy_0.relative_x"] * sees,
        "near": near,
        "ally_dx": own.allies("relative_x") * near,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The enemy in the receiver's own frame."""
    near = inbox.addressed("near")
    return {
        "dx": ((inbox["dx"] - inbox.addressed("ally_dx")) * near).sum(axis=1),
        "known": near.max(axis=1),
        "heard": inbox["sees"].max(axis=1),
    }
