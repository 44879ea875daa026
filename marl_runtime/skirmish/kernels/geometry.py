"""What all kernels share. numba's cache follows `battle.py`, `observation.py` and `spawning.py` alone: delete the
kernels' `__pycache__` after a change in any other file."""

from __future__ import annotations

from numba import njit

__all__ = ["inlined", "inside", "is_open", "outlined", "within"]

# What runs inside the loops is inlined by LLVM: a call passes each array as a dozen numbers.
inlined = njit(cache=True, forceinline=True, error_model="numpy")

# What runs seldom is called, so that it does not swell the loops.
outlined = njit(cache=True, error_model="numpy")

_RIM = 1e-3  # positions stay this far inside the map's far edges, so that they always lie in a cell


@inlined
def inside(x, size):
    """Return the coordinate within the map that is nearest to x."""
    return 0.0 if x < 0.0 else (x if x < size - _RIM else size - _RIM)


@inlined
def is_open(cells, x, y):
    """Return whether (x, y) is on the map and on ground that can be walked on."""
    return 0 <= x < cells.shape[0] and 0 <= y < cells.shape[1] and cells[int(x), int(y)]


@inlined
def within(a, b, reach):
    """Return whether the centres of two units are at most `reach` apart."""
    dx, dy = b.x - a.x, b.y - a.y
    return dx * dx + dy * dy <= reach * reach
