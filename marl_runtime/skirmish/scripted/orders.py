"""What scripted policies share: SMAC's action numbers, and how a wish becomes an available action."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, IntArray
from marl_runtime.environment import VectorEnvironment

__all__ = ["ATTACK", "EAST", "NORTH", "SOUTH", "STOP", "WEST", "available_or_stop", "can", "length"]

STOP, NORTH, SOUTH, EAST, WEST, ATTACK = 1, 2, 3, 4, 5, 6


def can(environment: VectorEnvironment, action: int) -> BoolArray:
    """Return `[E, N]`: who may choose `action` now. Agents see this of themselves in their observations."""
    return environment.avail_actions[..., action]


def available_or_stop(environment: VectorEnvironment, wanted: IntArray) -> IntArray:
    """Return `wanted` `[E, N]` where it is available, else stop, and no-op for the dead."""
    able = np.take_along_axis(environment.avail_actions, wanted[..., None], axis=-1)[..., 0]
    return np.where(able, wanted, np.where(environment.alive, STOP, 0))


def length(way: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the length `[...]` of each way `[..., 2]`."""
    long: NDArray[np.float64] = np.hypot(way[..., 0], way[..., 1])
    return long
