import numpy as np
from generated_protocols import Array, Inbox, Observation


def pairwise_gaps(own: Observation) -> Array:
    """Squared gaps of all ally-enemy pairs in the sender's frame: [R, N * 4]."""
    ax, ay = own.allies("relative_x"), own.allies("relative_y")
    ex, ey = own.group("enemy_*.relative_x"), own.group("enemy_*.relative_y")
    dx = ax[:, :, np.newaxis] - ex[:, np.newaxis, :]
    dy = ay[:, :, np.newaxis] - ey[:, np.newaxis, :]
    both = (own.allies("visible") > 0)[:, :, None] & (own.group("enemy_*.distance") > 0)[:, None, :]
    return np.where(both, dx**2 + dy**2, 0.0).reshape(dx.shape[0], -1)


def send(own: Observation) -> dict[str, Array]:
    """All gaps, for a decoder to sort out."""
    return {"gaps": np.sqrt(pairwise_gaps(own))}
