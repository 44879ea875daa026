import numpy as np
from generated_protocols import Array, Inbox, Observation

# weights were chosen by eye: proximity matters most, then numbers, then the unit's own health
W_PROXIMITY = 0.6
W_NUMBERS = 0.3
W_HEALTH = 0.1


def danger(own: Observation) -> Array:
    """A number between 0 (safe) and 1 (about to die)."""
    distance = own.group("enemy_*.distance")
    seen = distance > 0
    proximity = np.where(seen, 1.0 - np.clip(distance, 0.0, 1.0), 0.0).max(axis=1)
    numbers = seen.sum(axis=1) / distance.shape[1]
    hurt = 1.0 - own["own.health"]
    return np.clip(W_PROXIMITY * proximity + W_NUMBERS * numbers + W_HEALTH * hurt, 0.0, 1.0)


def send(own: Observation) -> dict[str, Array]:
    """The danger, and its direction."""
    level = danger(own)
    x = own.group("enemy_*.relative_x").mean(axis=1)
    y = own.group("enemy_*.relative_y").mean(axis=1)
    length = np.maximum(np.hypot(x, y), 1e-6)
    return {"danger": level, "ux": x / length * level, "uy": y / length * level}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Who is worst off, and the sum of all threats."""
    level = inbox["danger"]
    return {
        "worst": level.max(axis=1),
        "who": (level == level.max(axis=1, keepdims=True)) & (level > 0),
        "ux": inbox["ux"].sum(axis=1),
        "uy": inbox["uy"].sum(axis=1),
    }
