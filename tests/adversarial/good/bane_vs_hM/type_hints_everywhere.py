from __future__ import annotations

import numpy as np
from generated_protocols import Array, Inbox, Observation

Threshold: float = 0.5
Names: tuple[str, ...] = ("enemy_0.distance", "enemy_1.distance")


def closeness(own: Observation, name: str, threshold: float = Threshold) -> Array:
    value: Array = own[name]
    close: Array = (value > 0) & (value < threshold)
    return close


def send(own: Observation) -> dict[str, Array]:
    flags: list[Array] = [closeness(own, name) for name in Names]
    stacked: Array = np.stack(flags, axis=1)
    return {"close": stacked}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    heard: Array = inbox["close"]
    result: dict[str, Array] = {"close": heard.max(axis=1)}
    return result
