import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Loading attempts, so that both agents can fall into step.

    - `attempt`: did I try to load in the last step?
    - `streak`: how many of the most recent steps in a row did I try?
    - `frustration`: tries in the window during which the food did not go away
    """
    tries = own.past("last_action.load") > 0                                # [R, W]
    food = own.past("cell_*.food_level").sum(axis=2)                        # [R, W]
    unchanged = np.isclose(food[:, 1:], food[:, :-1])
    frustrated = tries[:, 1:] & unchanged & (food[:, 1:] > 0)
    streak = np.zeros(tries.shape[0], dtype=np.float32)
    for t in range(tries.shape[1]):
        streak = np.where(tries[:, t], streak + 1.0, 0.0)
    return {
        "attempt": tries[:, -1],
        "streak": np.tanh(streak / 3.0),
        "frustration": frustrated.mean(axis=1),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    theirs = inbox.past("attempt").sum(axis=2) > 0                          # [R, W]
    mine = own.past("last_action.load") > 0                                 # [R, W]
    together = (theirs & mine).sum(axis=1)
    missed = (theirs ^ mine).sum(axis=1)
    return {
        "attempt": inbox["attempt"].max(axis=1),
        "streak": inbox["streak"].max(axis=1),
        "frustration": inbox["frustration"].max(axis=1),
        "synchrony": together / np.maximum(together + missed, 1),
    }
