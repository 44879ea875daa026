"""The simulator's numba kernels: one file for each entry point that Python calls, since numba's cache follows one file.

One thread, one battle after another: a battle reads its own records and its own random stream alone, so it plays the
same whatever stands beside it.
"""

from marl_runtime.skirmish.kernels.battle import LOOPS_PER_STEP, play
from marl_runtime.skirmish.kernels.movement import find_routes
from marl_runtime.skirmish.kernels.observation import find_unavailable, observe
from marl_runtime.skirmish.kernels.spawning import start

__all__ = ["LOOPS_PER_STEP", "find_routes", "find_unavailable", "observe", "play", "start"]
