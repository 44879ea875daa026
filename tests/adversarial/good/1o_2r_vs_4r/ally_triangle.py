"""The triangle of our three units: side lengths, area, and who is the odd one out."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    visible = own.group("ally_*.visible") > 0                      # [R, 2]
    x, y = own.group("ally_*.relative_x"), own.group("ally_*.relative_y")
    both = visible.all(axis=1)
    side_a = np.hypot(x[:, 0], y[:, 0])                            # me to slot 0
    side_b = np.hypot(x[:, 1], y[:, 1])                            # me to slot 1
    side_c = np.hypot(x[:, 0] - x[:, 1], y[:, 0] - y[:, 1])        # slot 0 to slot 1
    area = 0.5 * np.abs(x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0])
    sides = np.stack([side_a, side_b, side_c], axis=1)
    perimeter = sides.sum(axis=1)
    return {
        "sides": np.where(both[:, None], sides, 0.0),
        "area": np.where(both, area, 0.0),
        "compactness": np.where(both & (perimeter > 0), area / np.maximum(perimeter**2, 1e-9), 0.0),
        "complete": both,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    complete = inbox["complete"]
    n = np.maximum(complete.sum(axis=1), 1)
    return {
        "area": inbox["area"].sum(axis=1) / n,
        "compactness": inbox["compactness"].sum(axis=1) / n,
        "longest": inbox["sides"].max(axis=(1, 2)),
        "complete": complete.max(axis=1),
    }
