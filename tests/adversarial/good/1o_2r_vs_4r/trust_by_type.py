import numpy as np
from generated_protocols import Array, Inbox, Observation

# The Overseer's word counts three times a Roach's.
TRUST = (3.0, 1.0, 1.0)


def send(own: Observation) -> dict[str, Array]:
    """What is seen of enemy 1."""
    seen = own["enemy_1.distance"] > 0
    return {"seen": seen, "h": own["enemy_1.health"] * seen}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """A weighted vote."""
    trust = np.array(TRUST, dtype=np.float32)[None, :] * inbox["seen"]
    total = np.maximum(trust.sum(axis=1), 1.0)
    return {"h": (trust * inbox["h"]).sum(axis=1) / total, "sure": total / sum(TRUST)}
