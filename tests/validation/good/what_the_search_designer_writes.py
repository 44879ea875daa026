
"""Part 1 of the protocol for small, written by the search designer."""

import numpy as np

from generated_protocols import Array, Inbox, Observation


def mean_over_window(past: Array, age: Array) -> Array:
    """The mean over the real steps of a window; steps before the episode are zero."""
    return (past.sum(axis=1).T / (age + 1)).T


def newest(seen: Array) -> Array:
    """True at the last step of a window at which something was seen, if it was."""
    return seen & (np.cumsum(seen[:, ::-1], axis=1)[:, ::-1] == 1)


def last_seen(past: Array, seen: Array) -> Array:
    """The value when something was last seen in a window, or zero."""
    return (past * newest(seen)).sum(axis=1)


def age_of(seen: Array) -> Array:
    """Steps since something was last seen, as a share of the window; zero when it was not seen in it."""
    steps = np.arange(seen.shape[1])[::-1]
    return (newest(seen) * steps).sum(axis=1) / seen.shape[1]


def mean_heard(values: Array) -> Array:
    """The mean over senders that say something, for values of one number or more per sender."""
    return values.sum(axis=1) / np.maximum((values != 0).sum(axis=1), 1)


def send(own: Observation) -> dict[str, Array]:
    """What an agent puts on the air, from its own history alone."""
    is_overseer = own.is_role("overseer")
    return {
        # gain +0.1200 [+0.1100, +0.1300]: where enemy 0 was last seen
        "enemy_0_place": np.column_stack(
            [
                last_seen(own.past("enemy_0.relative_*"), own.past("enemy_0.available")[:, :, None] > 0),
                age_of(own.past("enemy_0.available") > 0),
            ]
        )
        * is_overseer[:, None],
        "gap_x": (own["enemy_0.relative_x"][:, None] - own.allies("relative_x"))
        * (own["enemy_0.available"] > 0)[:, None]
        * (own.allies("visible") > 0)
        * is_overseer[:, None],
        "moves": mean_over_window(own.past("move.*"), own.age),
        "seen": (own.past("enemy_1.distance") * (own.past("enemy_1.available") > 0)).sum(axis=1),
        "difference": (own["enemy_0.health"] - own.allies("health")[:, 1]) * (own["own.x"] > 0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """What an agent keeps of what it heard: the entries of those who may speak."""
    return {
        "enemy_0_place": inbox["enemy_0_place"][:, 0],
        "gap_x": inbox.addressed("gap_x")[:, 0],
        "moves": mean_heard(inbox["moves"]),
        "seen_from_0": inbox["seen"][:, 0],
        "seen_from_1": inbox["seen"][:, 1],
    }
