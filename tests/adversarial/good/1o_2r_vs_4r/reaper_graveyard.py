"""Which Reapers are probably dead?

Nobody is told of a death. A Reaper that was in range and nearly dead, and is gone in the next step although it was
well inside the sight range, has probably been killed.
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

NEARLY_DEAD = 0.35
WELL_INSIDE = 0.8


def probably_killed(own: Observation, enemy: int) -> Array:
    distance = own.past(f"enemy_{enemy}.distance")
    health = own.past(f"enemy_{enemy}.health")
    was_there = (distance[:, :-1] > 0) & (distance[:, :-1] < WELL_INSIDE)
    was_weak = (health[:, :-1] > 0) & (health[:, :-1] < NEARLY_DEAD)
    is_gone = distance[:, 1:] == 0
    vanished = was_there & was_weak & is_gone
    # seen again after it vanished? then it was not dead
    window = distance.shape[1]
    last_vanished = np.where(vanished, np.arange(1, window), 0).max(axis=1)
    last_seen = np.where(distance > 0, np.arange(window), -1).max(axis=1)
    return vanished.any(axis=1) & (last_seen < last_vanished)


def send(own: Observation) -> dict[str, Array]:
    dead = [probably_killed(own, enemy) for enemy in range(4)]
    alive = own.group("enemy_*.distance") > 0
    return {"dead": np.stack(dead, axis=1), "alive": alive}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    # a sighting outweighs a guess, whoever made it
    seen_alive = inbox["alive"].any(axis=1)
    said_dead = inbox.past("dead").any(axis=(1, 2))
    dead = said_dead & ~seen_alive
    return {"dead": dead, "alive": seen_alive, "n_dead": dead.sum(axis=1) / 4.0}
