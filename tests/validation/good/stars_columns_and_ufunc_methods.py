"""Stars before lists of a known length, loops over columns, ufunc methods, sums with a start, outputs of one's own."""

import numpy as np


def scaled(value, low, high):
    return np.clip((value - low) / (high - low), 0.0, 1.0)


def send(own):
    first, *rest = [own[f"enemy_{i}.health"] for i in range(3)]
    strongest = first
    for other in rest:
        strongest = np.maximum(strongest, other)
    bounds = (0.0, 2.0)
    columns = np.stack([first, *rest, *own.group("ally_*.health").T], axis=1)
    threat = np.zeros_like(first)
    for near, health in zip(own.group("enemy_*.distance").T, own.group("enemy_*.health").T):
        threat = threat + health / (1.0 + near * near)
    total = sum([own[f"ally_{i}.health"] for i in range(2)], np.zeros_like(first))
    past = own.past("own.x")
    halves = past.reshape(past.shape[0], 2, *(past.shape[1] // 2,))
    steps = np.less_equal.outer(np.zeros(1), np.arange(3))[0] * 1.0
    length = np.hypot.reduce(own.group("enemy_*.relative_?"), axis=1)
    widest = np.median(past, 1, np.zeros_like(first))
    np.add.at(threat, np.arange(1), 0.0)
    product = np.einsum("rk,k->rk", own.group("enemy_*.health"), np.array([1.0, 0.5, 0.2]))
    names = ["own.x"]
    for i in range(2):
        names = names + [f"ally_{i}.health"]
    out = {"strongest": scaled(strongest, *bounds), "columns": columns, "threat": threat}
    return {**out, "halves": halves.sum(axis=2), "steps": columns[:, :3] * steps, "length": length + widest,
            "product": product, "total": total, "named": sum([own[name] for name in names])}
