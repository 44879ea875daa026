import numpy as np
from generated_protocols import Array, Inbox, Observation

EPS = 1e-6


def centroid(own: Observation) -> tuple[Array, Array, Array]:
    """Mean relative position of all enemies in sight, and how many there are."""
    seen = own.group("enemy_*.distance") > 0
    count = seen.sum(axis=1)
    denominator = np.maximum(count, 1)
    cx = np.where(seen, own.group("enemy_*.relative_x"), 0.0).sum(axis=1) / denominator
    cy = np.where(seen, own.group("enemy_*.relative_y"), 0.0).sum(axis=1) / denominator
    return cx, cy, count / 4.0


def send(own: Observation) -> dict[str, Array]:
    """Every unit broadcasts the centroid of the enemies that it sees."""
    cx, cy, share = centroid(own)
    return {"cx": cx, "cy": cy, "share": share, "spread": np.hypot(cx, cy)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Weigh every report by how many enemies it covers."""
    weight = inbox["share"]
    total = weight.sum(axis=1) + EPS
    return {
        "cx": (inbox["cx"] * weight).sum(axis=1) / total,
        "cy": (inbox["cy"] * weight).sum(axis=1) / total,
        "best": weight.max(axis=1),
    }
