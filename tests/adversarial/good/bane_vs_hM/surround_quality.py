import numpy as np
from generated_protocols import Array, Inbox, Observation

SECTORS = 4  # east, north, west, south


def sector_of(dx: Array, dy: Array) -> Array:
    """Index of the quadrant (rotated by 45 degrees) that a vector points into, 0..3."""
    angle = np.arctan2(dy, dx)  # (-pi, pi]
    return np.floor((angle + np.pi / 4) / (np.pi / 2)).astype(np.int64) % SECTORS


def send(own: Observation) -> dict[str, Array]:
    """From which side do I approach the Hydralisk? (One-hot over four sides.)"""
    sees = own["enemy_0.distance"] > 0
    # I am on the side opposite to where the Hydralisk is from me.
    side = sector_of(-own["enemy_0.relative_x"], -own["enemy_0.relative_y"])
    one_hot = np.zeros((side.shape[0], SECTORS), dtype=np.float32)
    np.put_along_axis(one_hot, side[:, None], 1.0, axis=1)
    return {"side": one_hot * sees[:, None]}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    sides = inbox["side"].sum(axis=1)             # [R, 4] how many come from each side
    covered = (sides > 0).sum(axis=1)
    doubled = (sides > 1).any(axis=1)
    return {"sides": sides, "covered": covered / SECTORS, "doubled": doubled}
