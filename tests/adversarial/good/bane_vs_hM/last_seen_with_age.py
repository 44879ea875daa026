import numpy as np
from generated_protocols import Array, Inbox, Observation

FORGET_AFTER = 10.0


def last_seen(values: Array, visible: Array) -> tuple[Array, Array, Array]:
    """Return the most recent value at which ``visible`` was true, its age in steps and whether there is one.

    values:  [R, W]
    visible: [R, W] bool
    """
    window = visible.shape[1]
    steps = np.arange(window)
    # index of the latest visible step; -1 if never
    latest = np.max(np.where(visible, steps[np.newaxis, :], -1), axis=1)
    known = latest >= 0
    safe_index = np.where(known, latest, 0)
    picked = np.take_along_axis(values, safe_index[:, np.newaxis], axis=1)[:, 0]
    age = np.where(known, (window - 1) - latest, window)
    return np.where(known, picked, 0.0), age, known


def send(own: Observation) -> dict[str, Array]:
    """Last known position of the Medivac relative to the place from which it was seen, and how old that is."""
    visible = own.past("enemy_1.distance") > 0
    x, age, known = last_seen(own.past("enemy_1.relative_x"), visible)
    y, _, _ = last_seen(own.past("enemy_1.relative_y"), visible)
    freshness = np.clip(1.0 - age / FORGET_AFTER, 0.0, 1.0)
    return {
        "medivac_x": x,
        "medivac_y": y,
        "freshness": freshness * known,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep the freshest of the reports."""
    freshness = inbox["freshness"]
    best = np.argmax(freshness, axis=1)
    row = np.arange(best.shape[0])
    return {
        "medivac_x": inbox["medivac_x"][row, best],
        "medivac_y": inbox["medivac_y"][row, best],
        "freshness": np.max(freshness, axis=1),
    }
