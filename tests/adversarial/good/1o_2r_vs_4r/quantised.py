"""Keep the message cheap: one bit per fact."""
import numpy as np


def bit(condition):
    return condition.astype(np.float32)


def send(own):
    x = own.group("enemy_*.relative_x").sum(axis=1)
    y = own.group("enemy_*.relative_y").sum(axis=1)
    return {
        "east": bit(x > 0.25),
        "west": bit(x < -0.25),
        "north": bit(y > 0.25),
        "south": bit(y < -0.25),
        "weak": bit(own["own.health"] < 0.5),
        "contact": bit((own.group("enemy_*.attackable") > 0).any(axis=1)),
    }


def receive(own, inbox):
    return {name: inbox[name].max(axis=1) for name in ("east", "west", "north", "south", "weak", "contact")}
