import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Own ground, now and over the window."""
    return {"ground": own.group("move.*"), "often": own.past("move.*").mean(axis=1)}


def by_sender(inbox: Inbox, name: str, sender: int) -> Array:
    """One sender's component."""
    return inbox[name][:, sender]


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Everything of the Overseer, a summary of the rest."""
    return {
        "scout": by_sender(inbox, "ground", 0),
        "scout_often": by_sender(inbox, "often", 0),
        "roaches": (by_sender(inbox, "ground", 1) + by_sender(inbox, "ground", 2)) / 2,
    }
