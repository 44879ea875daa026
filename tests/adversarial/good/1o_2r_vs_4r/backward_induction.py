"""Time since the last contact, computed by walking through the window backwards."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    contact = (own.past("enemy_*.attackable") > 0).any(axis=2)     # [R, W]
    window = contact.shape[1]
    since = np.full(contact.shape[0], float(window))
    found = np.zeros(contact.shape[0], dtype=bool)
    for step in reversed(range(window)):
        here = contact[:, step] & ~found
        since = np.where(here, window - 1 - step, since)
        found = found | contact[:, step]
    forward = 0.0 * since
    for step in range(window - 1, -1, -1):
        forward = np.where(contact[:, step], 1.0, 0.5 * forward)
    return {"since": np.where(found, 1.0 - since / window, 0.0), "first": forward, "found": found}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "since": inbox["since"].max(axis=1),
        "found": inbox["found"].sum(axis=1) > 0,
        "first": inbox["first"].max(axis=1),
    }
