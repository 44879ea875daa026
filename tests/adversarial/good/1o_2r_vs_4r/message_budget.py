"""Only three numbers per agent and step.

The budget forces a choice. What matters most: (1) a direction to the fight, (2) its strength. The direction is sent as
an angle index out of 16, strength as a level out of 8, and both are zero when there is nothing to say.
"""
import math

import numpy as np

from generated_protocols import Array, Inbox, Observation

N_ANGLES, N_LEVELS = 16, 8
STEP = math.tau / N_ANGLES


def quantise_angle(x: Array, y: Array) -> Array:
    """Angle index 1..16."""
    angle = np.mod(np.arctan2(y, x), math.tau)
    index = np.floor(angle / STEP + 0.5).astype(np.int64) % N_ANGLES
    return index + 1


def dequantise_angle(index: Array) -> tuple[Array, Array]:
    """Cosine and sine of an angle index; (0, 0) for index 0."""
    angle = (index - 1) * STEP
    said = index > 0
    return np.cos(angle) * said, np.sin(angle) * said


def send(own: Observation) -> dict[str, Array]:
    visible = own.group("enemy_*.distance") > 0
    any_visible = visible.any(axis=1)
    x = (own.group("enemy_*.relative_x") * visible).sum(axis=1)
    y = (own.group("enemy_*.relative_y") * visible).sum(axis=1)
    strength = (own.group("enemy_*.health") * visible).sum(axis=1) / 4.0
    level = np.ceil(strength * N_LEVELS)
    return {
        "angle": np.where(any_visible, quantise_angle(x, y), 0),
        "level": np.where(any_visible, np.clip(level, 1, N_LEVELS), 0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    cosine, sine = dequantise_angle(inbox["angle"])
    weight = inbox["level"] / N_LEVELS
    return {
        "direction": np.stack([(cosine * weight).sum(axis=1), (sine * weight).sum(axis=1)], axis=1),
        "strength": weight.max(axis=1),
    }
