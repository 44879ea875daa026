import numpy as np
from generated_protocols import Array, Inbox, Observation


def slope(series: Array) -> Array:
    """Least-squares slope along axis 1 of `[R, W, ...]` (W is the window)."""
    window = series.shape[1]
    t = np.arange(window, dtype=np.float32)
    t = t - t.mean()
    shape = (1, window) + (1,) * (series.ndim - 2)
    weights = t.reshape(shape)
    return (series * weights).sum(axis=1) / (t**2).sum()


def send(own: Observation) -> dict[str, Array]:
    """Closeness to the Hydralisk: 0 unseen, towards 1 when close."""
    d = own["enemy_0.distance"]
    return {"closeness": np.where(d > 0, 1.0 - 0.5 * np.minimum(d, 1.0), 0.0)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Now, trend, and volatility of each sender's closeness."""
    history = inbox.past("closeness")                # [R, W, N]
    changes = np.abs(np.diff(history, axis=1))
    return {
        "now": history[:, -1],
        "trend": slope(history),
        "volatility": changes.mean(axis=1),
    }
