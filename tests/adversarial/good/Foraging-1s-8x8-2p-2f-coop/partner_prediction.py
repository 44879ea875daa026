"""Where the other one probably is, from when I last saw it and how it moved (it tells its steps)."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """My step just made, and whether I see the other one."""
    seen = (own.group("cell_*.agent_level")[:, [0, 1, 2, 3, 5, 6, 7, 8]] > 0).any(axis=1)
    return {
        "dx": own["last_action.east"] - own["last_action.west"],
        "dy": own["last_action.north"] - own["last_action.south"],
        "seen": seen,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The other's path over the window, less mine."""
    dx = inbox.past("dx").sum(axis=(1, 2))
    dy = inbox.past("dy").sum(axis=(1, 2))
    my_dx = (own.past("last_action.east") - own.past("last_action.west")).sum(axis=1)
    my_dy = (own.past("last_action.north") - own.past("last_action.south")).sum(axis=1)
    return {"x": dx - my_dx, "y": dy - my_dy, "met": inbox.past("seen").max(axis=(1, 2))}
