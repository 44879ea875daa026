"""Durations: for how many steps in a row each Reaper has been visible (positive) or invisible (negative)."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def signed_run_length(flag: Array) -> Array:
    """Length of the current run of equal values in `[R, W]`, with the sign of the value.

    The run counts backwards from now; `cumprod` of "equal to now" stops at the first change.
    """
    same_as_now = (flag == flag[:, -1:])[:, ::-1]
    length = np.cumprod(same_as_now.astype(np.int64), axis=1).sum(axis=1)
    return np.where(flag[:, -1], length, -length)


def send(own: Observation) -> dict[str, Array]:
    runs = []
    for i in range(4):
        visible = own.past(f"enemy_{i}.distance") > 0
        run = signed_run_length(visible)
        run = np.clip(run, -(own.age + 1), own.age + 1)  # not longer than the episode so far
        runs.append(run)
    return {"runs": np.stack(runs, axis=1) / 10.0}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    runs = inbox["runs"]
    return {"longest_seen": runs.max(axis=1), "longest_lost": -runs.min(axis=1)}
