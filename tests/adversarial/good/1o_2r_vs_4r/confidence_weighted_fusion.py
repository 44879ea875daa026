import numpy as np
from generated_protocols import Array, Inbox, Observation

EPS = 1e-6
N_ENEMIES = 4


def confidence(distance: Array) -> Array:
    """The nearer, the surer; 0 for unseen."""
    return np.where(distance > 0, 1.0 / (1.0 + 4.0 * distance), 0.0)


def send(own: Observation) -> dict[str, Array]:
    """For every ally in view: each visible Reaper in that ally's frame, with a confidence.

    The component for a given Reaper has one entry per agent, so that `addressed` picks the right one.
    """
    visible_ally = own.allies("visible") > 0
    ax, ay = own.allies("relative_x"), own.allies("relative_y")
    weights = []
    xs = []
    ys = []
    for j in range(N_ENEMIES):
        w = confidence(own[f"enemy_{j}.distance"])[:, None] * visible_ally
        weights.append(w)
        xs.append((own[f"enemy_{j}.relative_x"][:, None] - ax) * w)
        ys.append((own[f"enemy_{j}.relative_y"][:, None] - ay) * w)
    return {
        "w_0": weights[0],
        "x_0": xs[0],
        "y_0": ys[0],
        "w_1": weights[1],
        "x_1": xs[1],
        "y_1": ys[1],
        "w_2": weights[2],
        "x_2": xs[2],
        "y_2": ys[2],
        "w_3": weights[3],
        "x_3": xs[3],
        "y_3": ys[3],
    }


def _fuse(w: Array, x: Array, y: Array) -> Array:
    """[R, 3] of fused x, y and total weight."""
    total = w.sum(axis=1)
    return np.stack([x.sum(axis=1) / (total + EPS), y.sum(axis=1) / (total + EPS), total], axis=1)


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "enemy_0": _fuse(inbox.addressed("w_0"), inbox.addressed("x_0"), inbox.addressed("y_0")),
        "enemy_1": _fuse(inbox.addressed("w_1"), inbox.addressed("x_1"), inbox.addressed("y_1")),
        "enemy_2": _fuse(inbox.addressed("w_2"), inbox.addressed("x_2"), inbox.addressed("y_2")),
        "enemy_3": _fuse(inbox.addressed("w_3"), inbox.addressed("x_3"), inbox.addressed("y_3")),
    }
