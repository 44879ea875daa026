"""Bearing to the nearest Reaper over the window, unwrapped: does it circle around us, and how fast?"""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    distance = own.past("enemy_*.distance")                            # [R, W, 4]
    visible = distance > 0
    order = np.argmin(np.where(visible, distance, 10.0), axis=2)       # [R, W]
    x = np.take_along_axis(own.past("enemy_*.relative_x"), order[..., np.newaxis], axis=2)[..., 0]
    y = np.take_along_axis(own.past("enemy_*.relative_y"), order[..., np.newaxis], axis=2)[..., 0]
    bearing = np.unwrap(np.arctan2(y, x), axis=1)
    rate = np.gradient(bearing, axis=1)                                # [R, W]
    usable = visible.any(axis=2)
    n_usable = np.maximum(usable.sum(axis=1), 1)
    mean_rate = (rate * usable).sum(axis=1) / n_usable
    return {
        "rate": np.clip(mean_rate / np.pi, -1.0, 1.0),
        "usable": usable.mean(axis=1),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    weight = inbox["usable"]
    total = weight.sum(axis=1)
    rate = np.where(total > 0, (inbox["rate"] * weight).sum(axis=1) / np.where(total > 0, total, 1.0), 0.0)
    return {"rate": rate, "usable": weight.max(axis=1)}
