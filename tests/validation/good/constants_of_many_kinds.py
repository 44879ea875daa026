"""Constants computed at module level, aliases, `__all__`, and containers that are read and copied, never changed."""

import math

import numpy as np
from generated_protocols import Array, Observation

__all__ = ["send"]

Pair = tuple[Array, Array]
Maybe = Pair | None
N, S, E, W = range(4)
WEIGHTS = (0.6, 0.3, 0.1)
TOTAL = sum(WEIGHTS)
FIRST = WEIGHTS[0]
TABLE = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
CONFIG = {"scale": 0.5, "names": ["own.x", "own.y"]}
NAMES = [f"enemy_{i}.health" for i in range(3)]
DECAY = np.array([0.9**k for k in range(10)], dtype=np.float32)
RANK = {name: place for place, name in enumerate(NAMES)}
PAIRS = [(i, j) for i in range(3) for j in range(3) if i < j]
STEPS = np.arange(10, dtype=float)
RAMP = np.linspace(0.1, 1.0, num=10)
SCALE = math.sqrt(2.0) if FIRST > 0.5 else 1.0
DTYPE = np.float32


def both(own: Observation) -> Pair:
    return own["own.x"], own["own.y"]


def send(own: Observation) -> dict[str, Array]:
    x, y = both(own)
    names = list(CONFIG["names"])
    names.append("own.health")
    read = np.stack([own[name] for name in names], axis=1).astype(DTYPE)
    health = np.stack([own[name] for name in NAMES], axis=1) * np.array(WEIGHTS) / TOTAL
    gaps = np.stack([health[:, i] - health[:, j] for i, j in PAIRS], axis=1)
    mixed = np.zeros((x.shape[0], 2), dtype=np.float32)
    for row, weights in enumerate(TABLE):
        for column, weight in enumerate(weights):
            mixed[:, row] += weight * health[:, column]
    aged = (own.past("own.x") * DECAY * RAMP + STEPS * 0.0).sum(axis=1) * CONFIG["scale"]
    return {"x": x * SCALE, "read": read, "gaps": gaps, "mixed": mixed, "aged": aged, "y": y * (W - N) / (E + S)}
