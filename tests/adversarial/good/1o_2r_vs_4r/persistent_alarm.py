import numpy as np
from generated_protocols import Array, Inbox, Observation

HOLD = 5


def send(own: Observation) -> dict[str, Array]:
    """Raise an alarm on contact, hold it for HOLD steps after, and count it down linearly."""
    contact = (own.past("enemy_*.attackable").max(axis=2) > 0) | (np.diff(own.past("own.health"), axis=1, prepend=0) < 0)
    recent = contact[:, -HOLD:]
    ramp = np.linspace(1.0 / HOLD, 1.0, num=HOLD, endpoint=True)
    alarm = np.max(recent * ramp[np.newaxis, :], axis=1)
    return {"alarm": np.round(alarm, decimals=3)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The alarm of others held once more, at half strength per step, so that a lost message does no harm."""
    history = inbox.past("alarm")                   # [R, W, N]
    window = history.shape[1]
    fading = 0.5 ** np.arange(window)[::-1]
    held = np.max(history * fading[None, :, None], axis=1)
    return {"held": held, "loudest": held.max(axis=1)}
