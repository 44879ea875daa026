import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Total visible health; the start value keeps the dtype and the shape even for an empty list."""
    zero = np.zeros_like(own["own.health"])
    total = sum([own[f"enemy_{i}.health"] for i in range(4)], zero)
    return {"total": total / 4.0}
