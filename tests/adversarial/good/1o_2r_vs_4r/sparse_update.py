import numpy as np


def send(own):
    """Speak only when something changed; silence is free."""
    now = own.group("enemy_*.distance") > 0
    before = own.past("enemy_*.distance")[:, -2] > 0
    changed = (now != before).any(axis=1) | (own.age == 0)
    return {"changed": changed, "now": now * changed[:, None], "hp": own["own.health"] * changed}


def receive(own, inbox):
    past = inbox.past("hp")  # [R, W, N]
    spoke = inbox.past("changed") > 0
    w = past.shape[1]
    last = np.where(spoke, np.arange(w)[None, :, None], 0).max(axis=1)
    held = np.take_along_axis(past, last[:, None, :], axis=1)[:, 0]
    return {"hp": held, "now": inbox["now"].max(axis=1), "silent_for": (w - 1 - last) / w}
