import math

import numpy as np

from generated_protocols import Array, Inbox, Observation

N_ENEMIES = 2
TWO_PI = 2.0 * math.pi


def bearing_features(dx: Array, dy: Array, visible: Array) -> list[Array]:
    """Sine and cosine of the bearing, zero where the unit is not visible.

    Using sine and cosine avoids the discontinuity of the raw angle at +/- pi.
    """
    angle = np.arctan2(dy, dx)
    return [np.where(visible, np.sin(angle), 0.0), np.where(visible, np.cos(angle), 0.0)]


def send(own: Observation) -> dict[str, Array]:
    """For each enemy: visible?, distance, sin(bearing), cos(bearing)."""
    features = []
    for enemy in range(N_ENEMIES):
        distance = own[f"enemy_{enemy}.distance"]
        visible = distance > 0
        features.append(visible.astype(np.float32))
        features.append(np.where(visible, distance, 0.0))
        features.extend(
            bearing_features(own[f"enemy_{enemy}.relative_x"], own[f"enemy_{enemy}.relative_y"], visible)
        )
    return {"bearing": np.stack(features, axis=1)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The circular mean of the bearings that were heard, for each enemy."""
    bearing = inbox["bearing"].reshape(-1, own.n_agents, N_ENEMIES, 4)  # [R, N, 2, 4]
    visible = bearing[..., 0]
    count = visible.sum(axis=1)
    safe_count = np.where(count > 0, count, 1.0)
    mean_sin = bearing[..., 2].sum(axis=1) / safe_count
    mean_cos = bearing[..., 3].sum(axis=1) / safe_count
    turn = np.mod(np.arctan2(mean_sin, mean_cos), TWO_PI) / TWO_PI
    agreement = np.hypot(mean_sin, mean_cos)
    return {"turn": turn * (count > 0), "agreement": agreement, "seen_by": count / own.n_agents}
