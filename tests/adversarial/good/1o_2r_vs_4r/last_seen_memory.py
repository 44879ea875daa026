"""Remember where each Reaper was last seen, and how long ago."""
import numpy as np


def last_seen(own, i):
    # [R, W]: when was enemy i in sight?
    seen = own.past(f"enemy_{i}.distance") > 0
    w = seen.shape[1]
    idx = np.where(seen, np.arange(w)[None, :], -1).max(axis=1)
    ever = idx >= 0
    pick = np.clip(idx, 0, w - 1)[:, None]
    x = np.take_along_axis(own.past(f"enemy_{i}.relative_x"), pick, axis=1)[:, 0]
    y = np.take_along_axis(own.past(f"enemy_{i}.relative_y"), pick, axis=1)[:, 0]
    age = (w - 1 - idx) / w
    return np.where(ever, x, 0.0), np.where(ever, y, 0.0), np.where(ever, age, 1.0), ever


def send(own):
    """Positions and ages of the last sightings."""
    xs, ys, ages, evers = [], [], [], []
    for i in range(4):
        x, y, age, ever = last_seen(own, i)
        xs.append(x)
        ys.append(y)
        ages.append(age)
        evers.append(ever)
    return {
        "x": np.stack(xs, axis=1),
        "y": np.stack(ys, axis=1),
        "age": np.stack(ages, axis=1),
        "ever": np.stack(evers, axis=1),
    }
