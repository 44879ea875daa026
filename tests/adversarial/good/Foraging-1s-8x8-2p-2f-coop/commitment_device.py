"""Commitment.

A forager that stands beside food and has loaded at least once in the last steps is *committed*: it will not move. The
other one can plan around it. A forager that is not committed offers a *bid*: how far (in steps) it could be at food.
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation

NO_BID = 0.0
MAX_BID = 3.0


def manhattan_to_food(own: Observation) -> Array:
    """Steps to the nearest cell that holds food in sight: 1 beside, 2 diagonal, MAX_BID if none."""
    steps = np.full(own.agent_id.shape, MAX_BID)
    diagonal = np.stack(
        [own[f"cell_{name}.food_level"] for name in ("n1_w1", "n1_e1", "s1_w1", "s1_e1")], axis=1
    ).any(axis=1)
    beside = np.stack([own[f"cell_{name}.food_level"] for name in ("n1", "s1", "w1", "e1")], axis=1).any(axis=1)
    steps = np.where(diagonal, 2.0, steps)
    steps = np.where(beside, 1.0, steps)
    return steps


def send(own: Observation) -> dict[str, Array]:
    steps = manhattan_to_food(own)
    loaded = (own.past("last_action.load")[:, -3:] > 0).any(axis=1)
    committed = (steps == 1.0) & loaded
    bid = np.where(committed, NO_BID, (MAX_BID - steps) / MAX_BID)
    return {"committed": committed, "bid": bid}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    other_committed = inbox["committed"].any(axis=1)
    my_steps = manhattan_to_food(own)
    my_bid = (MAX_BID - my_steps) / MAX_BID
    other_bid = inbox["bid"].max(axis=1)
    i_win = (my_bid > other_bid) | ((my_bid == other_bid) & (own.agent_id == 0))
    return {
        "other_committed": other_committed,
        "should_come": other_committed & (my_steps > 1.0),
        "i_win": i_win & (my_bid > 0),
    }
