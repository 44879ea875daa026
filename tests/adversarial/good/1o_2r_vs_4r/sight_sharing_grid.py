"""A coarse occupancy grid around the sender: 4 x 4 cells over its sight, how many Reapers are in each."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

CELLS = 4
HALF = CELLS / 2


def occupancy(own: Observation) -> Array:
    """Count of Reapers in each cell, `[R, CELLS * CELLS]`."""
    visible = own.group("enemy_*.distance") > 0
    column = np.floor((own.group("enemy_*.relative_x") + 1.0) * HALF)
    row = np.floor((own.group("enemy_*.relative_y") + 1.0) * HALF)
    # relative_x == 1.0 exactly falls off the right edge: clip.
    column = np.clip(column, 0, CELLS - 1).astype(np.int64)
    row = np.clip(row, 0, CELLS - 1).astype(np.int64)
    index = row * CELLS + column                                     # [R, 4]
    one_hot = index[:, :, None] == np.arange(CELLS * CELLS)[None, None, :]
    return (one_hot & visible[:, :, None]).sum(axis=1)


def send(own: Observation) -> dict[str, Array]:
    return {"grid": occupancy(own)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep the Overseer's grid; where the Overseer is silent, the element-wise maximum of the Roaches' grids."""
    overseer = inbox["grid"][:, 0, :]
    roaches = np.maximum(inbox["grid"][:, 1, :], inbox["grid"][:, 2, :])
    overseer_spoke = overseer.sum(axis=1, keepdims=True) > 0
    return {"grid": np.where(overseer_spoke, overseer, roaches) / 4.0, "from_overseer": overseer_spoke}
