"""Kiting.

Roaches shoot as far as Reapers do, so kiting pays only for a unit that is hurt. This module tells, per unit:
    hurt         remaining health below a threshold
    escape_x/y   unit vector away from the weighted centre of the Reapers in range
    free         in how many directions it can walk that have a positive component along the escape vector
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

HURT_BELOW = 0.4
COMPASS_X = (0.0, 0.0, 1.0, -1.0)   # north, south, east, west
COMPASS_Y = (1.0, -1.0, 0.0, 0.0)
TINY = 1e-6


def escape_vector(own: Observation) -> tuple[Array, Array, Array]:
    weight = own.group("enemy_*.attackable")
    push_x = -(weight * own.group("enemy_*.relative_x")).sum(axis=1)
    push_y = -(weight * own.group("enemy_*.relative_y")).sum(axis=1)
    norm = np.sqrt(push_x**2 + push_y**2)
    defined = norm > TINY
    scale = np.where(defined, 1.0 / np.where(defined, norm, 1.0), 0.0)
    return push_x * scale, push_y * scale, defined


def send(own: Observation) -> dict[str, Array]:
    escape_x, escape_y, defined = escape_vector(own)
    along = escape_x[:, None] * np.array(COMPASS_X) + escape_y[:, None] * np.array(COMPASS_Y)
    usable = (along > 0.1) & (own.group("move.*") > 0)
    hurt = (own["own.health"] < HURT_BELOW) & (own["own.health"] > 0)
    speak = hurt & defined
    return {
        "hurt": hurt,
        "escape_x": escape_x * speak,
        "escape_y": escape_y * speak,
        "free": usable.sum(axis=1) / 2.0 * speak,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    hurt = inbox["hurt"]
    return {
        "n_hurt": hurt.sum(axis=1),
        "escape": np.stack([inbox["escape_x"].sum(axis=1), inbox["escape_y"].sum(axis=1)], axis=1),
        "cornered": ((hurt > 0) & (inbox["free"] <= 0)).any(axis=1),
    }
