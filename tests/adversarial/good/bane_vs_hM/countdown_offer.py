"""Propose a common time to attack.

Every agent that waits in reach of the Hydralisk counts down from COUNTDOWN. The team's countdown is the largest of the
individual ones: nobody may start before the last one is ready.
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

COUNTDOWN = 5


def waiting_steps(in_reach: Array) -> Array:
    """Number of consecutive steps, the present one included, in which the Hydralisk has been in reach."""
    rows, window = in_reach.shape
    count = np.zeros(rows, dtype=np.float32)
    for step in range(window):
        count = np.where(in_reach[:, step], count + 1.0, 0.0)
    return count


def send(own: Observation) -> dict[str, Array]:
    waiting = waiting_steps(own.past("enemy_0.attackable") > 0)
    remaining = np.maximum(COUNTDOWN - waiting, 0.0)
    return {
        "counting": waiting > 0,
        "remaining": np.where(waiting > 0, remaining / COUNTDOWN, 0.0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    counting = inbox["counting"] > 0
    mine = waiting_steps(own.past("enemy_0.attackable") > 0)
    my_remaining = np.maximum(COUNTDOWN - mine, 0.0) / COUNTDOWN
    others_remaining = np.where(counting, inbox["remaining"], 1.0).max(axis=1)
    team = np.maximum(others_remaining, my_remaining)
    everyone_counts = (counting.sum(axis=1) + (mine > 0)) == own.n_agents
    return {"team_countdown": team, "everyone_counts": everyone_counts, "fire": everyone_counts & (team <= 0)}
