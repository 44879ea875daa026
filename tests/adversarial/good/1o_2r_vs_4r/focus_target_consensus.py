"""Focus fire.

All attackers should shoot at the same Reaper. Every agent scores each visible Reaper

    score = w_range * in_range + w_weak * (1 - health) + w_close * (1 - distance)

and broadcasts the scores. The receiver adds them up and picks the argmax. Because everybody adds up (almost) the same
numbers, everybody arrives at (almost) the same target.
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

W_RANGE: float = 1.0
W_WEAK: float = 0.7
W_CLOSE: float = 0.3
N_ENEMIES: int = 4


def target_scores(own: Observation) -> Array:
    """Return scores `[R, 4]`, zero for Reapers out of sight."""
    scores = []
    for enemy_id in range(N_ENEMIES):
        prefix = f"enemy_{enemy_id}"
        distance = own[f"{prefix}.distance"]
        visible = (distance > 0).astype(np.float32)
        in_range = own[f"{prefix}.attackable"]
        weakness = 1.0 - np.clip(own[f"{prefix}.health"], 0.0, 1.0)
        closeness = 1.0 - np.clip(distance, 0.0, 1.0)
        score = W_RANGE * in_range + W_WEAK * weakness + W_CLOSE * closeness
        scores.append(score * visible)
    return np.stack(scores, axis=1)


def send(own: Observation) -> dict[str, Array]:
    return {"scores": target_scores(own)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    total = inbox["scores"].sum(axis=1) + target_scores(own)      # [R, 4]
    best = total.argmax(axis=1)                                   # [R]
    confident = total.max(axis=1) > 0
    target = np.zeros((best.shape[0], N_ENEMIES), dtype=np.float32)
    target[np.arange(best.shape[0]), best] = 1.0
    target = target * confident[:, None]
    runner_up = np.sort(total, axis=1)[:, -2]
    return {"target": target, "margin": total.max(axis=1) - runner_up}
