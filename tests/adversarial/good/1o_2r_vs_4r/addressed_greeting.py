import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """To each ally: where it stands from here, and which way to come."""
    visible = own.allies("visible")
    x = own.allies("relative_x")
    y = own.allies("relative_y")
    far = np.hypot(x, y) > 0.5
    come_x = np.where((visible > 0) & far, -np.sign(x), 0.0)
    come_y = np.where((visible > 0) & far, -np.sign(y), 0.0)
    return {"come_x": come_x, "come_y": come_y, "see_you": visible}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Sum of the wishes of those who see me."""
    return {
        "x": inbox.addressed("come_x").sum(axis=1),
        "y": inbox.addressed("come_y").sum(axis=1),
        "watched_by": inbox.addressed("see_you"),
    }
