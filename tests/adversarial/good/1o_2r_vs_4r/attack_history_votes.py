import numpy as np
from generated_protocols import Array, Inbox, Observation

N_ENEMIES = 4
DISCOUNT = 0.8


def discounted_attacks(own: Observation) -> Array:
    """Discounted number of attacks on each Reaper over the window, `[R, 4]`."""
    columns = []
    for enemy in range(N_ENEMIES):
        attacks = own.past(f"last_action.attack_enemy_{enemy}")
        window = attacks.shape[1]
        weights = np.power(DISCOUNT, np.arange(window)[::-1])
        columns.append((attacks * weights).sum(axis=1))
    return np.column_stack(columns)


def send(own: Observation) -> dict[str, Array]:
    """Vote for the Reaper that I have been shooting at."""
    votes = discounted_attacks(own)
    total = votes.sum(axis=1, keepdims=True)
    has_voted = total > 0
    share = np.where(has_voted, votes / np.where(has_voted, total, 1.0), 0.0)
    return {"share": share, "intensity": np.clip(total, 0.0, 5.0) / 5.0}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Borda-like tally: weight each sender's shares by how intensely it shot."""
    intensity = inbox["intensity"]  # [R, N, 1], since the sender kept the axis
    tally = (inbox["share"] * intensity).sum(axis=1)
    order = np.argsort(-tally, axis=1)
    ranks = np.argsort(order, axis=1)
    points = np.where(tally > 0, (N_ENEMIES - 1 - ranks) / (N_ENEMIES - 1), 0.0)
    return {"tally": tally, "points": points}
