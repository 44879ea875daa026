import numpy as np
from generated_protocols import Array, Observation


def normalise(values: Array, low: float, high: float) -> Array:
    """Map [low, high] onto [0, 1]."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def send(own: Observation) -> dict[str, Array]:
    """Normalised distances: 1 is close."""
    close = 1.0 - normalise(own.group("enemy_*.distance"), 0.0, 1.2)
    return {"close": np.where(own.group("enemy_*.distance") > 0, close, 0.0)}
