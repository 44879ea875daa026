import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Call when I stand beside food that I could not load alone."""
    beside = np.maximum.reduce([own[f"cell_{c}.food_level"] for c in ("n1", "s1", "e1", "w1")])
    tried = own["last_action.load"] > 0
    return {"call": beside > 0, "tried": tried, "level": beside}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The other one's call, and whether we both stand beside food."""
    call = inbox["call"].max(axis=1)
    mine = np.maximum.reduce([own[f"cell_{c}.food_level"] for c in ("n1", "s1", "e1", "w1")]) > 0
    return {"call": call, "both": (call > 0) & mine, "level": inbox["level"].max(axis=1)}
