import numpy as np
from generated_protocols import Array, Inbox, Observation

LOWER_BOUND = -1.0
UPPER_BOUND = 1.0
EPSILON = 1e-8


def _sanitize(values: Array) -> Array:
    """Make sure that nothing but finite numbers within the bounds leaves this module."""
    finite = np.nan_to_num(values, nan=0.0, posinf=UPPER_BOUND, neginf=LOWER_BOUND)
    return np.clip(finite, LOWER_BOUND, UPPER_BOUND).astype(np.float32)


def _normalise(values: Array) -> Array:
    """Scale each row to unit length; rows of zeros stay zero."""
    length = np.sqrt(np.sum(np.square(values), axis=1, keepdims=True))
    return values / np.maximum(length, EPSILON)


def send(own: Observation) -> dict[str, Array]:
    """Normalised food vector, plus scalars.

    All outputs are passed through `_sanitize`, even where this is not strictly necessary.
    """
    food = own.group("cell_*.food_level")
    assert food.ndim == 2, "expected [R, 9]"
    assert food.shape[1] == 9, "expected nine cells"

    direction = _normalise(food)
    has_food = np.any(food > 0.0, axis=1)
    direction = np.where(has_food[:, np.newaxis], direction, np.zeros_like(direction))
    level = np.clip(own["cell_here.agent_level"], 0.0, 1.0)

    return {
        "direction": _sanitize(direction),
        "has_food": _sanitize(has_food.astype(np.float32)),
        "level": _sanitize(level),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    delivered = inbox.delivered.astype(np.float32)
    count = np.maximum(np.sum(delivered, axis=1), 1.0)
    direction = np.sum(inbox["direction"] * delivered[:, :, np.newaxis], axis=1) / count[:, np.newaxis]
    has_food = np.max(inbox["has_food"] * delivered, axis=1)
    level = np.sum(inbox["level"] * delivered, axis=1) / count
    return {
        "direction": _sanitize(direction),
        "has_food": _sanitize(has_food),
        "level": _sanitize(level),
    }
