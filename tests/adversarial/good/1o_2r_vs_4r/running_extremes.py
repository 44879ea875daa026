import numpy as np
from generated_protocols import Array, Observation


def send(own: Observation) -> dict[str, Array]:
    """Lowest and highest values over the window, and when they were."""
    health = own.past("own.health")
    low = np.minimum.accumulate(health, axis=1)[:, -1]
    high = np.maximum.reduce(health, axis=1)
    when = health.argmin(axis=1) / (health.shape[1] - 1)
    return {"low": low, "high": high, "when": when, "drop": np.ptp(health, axis=1)}
