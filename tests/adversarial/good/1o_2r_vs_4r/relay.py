"""A Roach that sees the other tells where it stands to it; an Overseer tells both where it stands to them."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    seen = own.allies("visible")
    return {
        "seen": seen,
        "offset_x": own.allies("relative_x") * seen,
        "offset_y": own.allies("relative_y") * seen,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Chain two offsets: via each sender, from me to each third agent."""
    to_me_x = inbox.addressed("offset_x")[:, :, None]       # [R, N, 1]
    to_me_y = inbox.addressed("offset_y")[:, :, None]
    sees_me = inbox.addressed("seen")[:, :, None]
    via_x = (inbox["offset_x"] - to_me_x) * inbox["seen"] * sees_me
    via_y = (inbox["offset_y"] - to_me_y) * inbox["seen"] * sees_me
    count = np.maximum((inbox["seen"] * sees_me).sum(axis=1), 1.0)
    return {"x": via_x.sum(axis=1) / count, "y": via_y.sum(axis=1) / count}
