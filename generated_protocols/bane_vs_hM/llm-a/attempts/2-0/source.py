import numpy as np
from generated_protocols import Array, Inbox, Observation

WINDOW = 10.0


def send(own: Observation) -> dict[str, Array]:
    """A sign of life that is never zero, and for how many of the last ten steps an enemy was in sight or attacked."""
    near = (own.past("enemy_0.distance") > 0) * 1.0  # [R, W]
    attacks = own.past("last_action.attack_enemy_0")
    return {
        "lives": own.age * 0.0 + 1.0,
        "near": near.sum(axis=1) / WINDOW,
        "attacks": attacks.sum(axis=1) / WINDOW,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Of each other agent: whether it lives, for how long it has been silent, and how many fell silent lately."""
    heard = inbox.past("lives")  # [R, W, N]
    ever = (heard.max(axis=1) > 0) * 1.0  # [R, N]: it spoke within the history
    now = (inbox["lives"] > 0) * 1.0
    lately = ever * (1.0 - now)  # it died within the history
    spoken = heard.sum(axis=1)
    return {
        "lives": now,
        "silent_for": lately * (1.0 - spoken / WINDOW),
        "fell_lately": lately.sum(axis=1),
        "near": inbox["near"],
        "attacks": inbox["attacks"].max(axis=1),
    }
