import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Statistics over the visible Reapers with NaN for the invisible ones; NaN never leaves this function."""
    visible = own.group("enemy_*.distance") > 0
    health = np.where(visible, own.group("enemy_*.health"), np.nan)
    x = np.where(visible, own.group("enemy_*.relative_x"), np.nan)
    y = np.where(visible, own.group("enemy_*.relative_y"), np.nan)

    any_visible = visible.any(axis=1)
    # Give rows that see nobody a harmless value, so that nothing is computed of an empty set.
    health[~any_visible] = 0.0
    x[~any_visible] = 0.0
    y[~any_visible] = 0.0

    stats = np.stack(
        [np.nanmean(health, axis=1), np.nanmin(health, axis=1), np.nanmean(x, axis=1), np.nanmean(y, axis=1)],
        axis=1,
    )
    stats = np.nan_to_num(stats, nan=0.0, posinf=0.0, neginf=0.0)
    return {"stats": stats, "any": any_visible}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    said = inbox["any"] > 0
    stats = np.where(said[:, :, None], inbox["stats"], np.nan)
    mute = ~said.any(axis=1)
    stats[mute] = 0.0
    return {"stats": np.nanmax(stats, axis=1), "any": ~mute}
