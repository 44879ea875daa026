"""Rendezvous protocol for two foragers.

Every food needs both foragers beside it. The protocol therefore answers three questions for the other agent:
  1. Have I found food, and where is it relative to me?
  2. Am I standing next to it (ready to load)?
  3. For how long have I been waiting?
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation

# Offsets of the nine cells, in the order in which `own.group` returns them (north-west to south-east).
ROW_OFFSETS = (-1, -1, -1, 0, 0, 0, 1, 1, 1)
COLUMN_OFFSETS = (-1, 0, 1, -1, 0, 1, -1, 0, 1)
ADJACENT_CELLS = ("n1", "s1", "w1", "e1")


def adjacent_food(own: Observation) -> Array:
    """Highest food level in the four adjacent cells, `[R]`."""
    levels = [own[f"cell_{cell}.food_level"] for cell in ADJACENT_CELLS]
    return np.max(np.stack(levels, axis=1), axis=1)


def adjacent_food_history(own: Observation) -> Array:
    """Whether there was food beside the agent, over the window, `[R, W]`."""
    history = [own.past(f"cell_{cell}.food_level") > 0 for cell in ADJACENT_CELLS]
    return np.logical_or.reduce(history)


def send(own: Observation) -> dict[str, Array]:
    food = own.group("cell_*.food_level")                       # [R, 9]
    found = food > 0
    n_found = found.sum(axis=1)
    safe_n = np.where(n_found > 0, n_found, 1)

    row = (found * np.array(ROW_OFFSETS)).sum(axis=1) / safe_n
    column = (found * np.array(COLUMN_OFFSETS)).sum(axis=1) / safe_n

    ready = adjacent_food(own) > 0
    beside = adjacent_food_history(own)
    waiting = np.cumprod(beside[:, ::-1], axis=1).sum(axis=1) / beside.shape[1]
    return {
        "found": (n_found > 0).astype(np.float32),
        "row": row,
        "column": column,
        "ready": ready.astype(np.float32),
        "waiting": waiting,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    # There is exactly one other agent, so a sum over senders is that agent's value.
    return {
        "found": inbox["found"].sum(axis=1),
        "row": inbox["row"].sum(axis=1),
        "column": inbox["column"].sum(axis=1),
        "ready": inbox["ready"].sum(axis=1),
        "both_ready": inbox["ready"].sum(axis=1) * (adjacent_food(own) > 0),
        "waiting": inbox["waiting"].sum(axis=1),
    }
