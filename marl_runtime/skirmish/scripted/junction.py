"""bane_vs_hM by hand. Agents are sorted by x: agent 0 comes from the west arm, 1 from the stem, 2 from the east arm."""

from __future__ import annotations

import abc

import numpy as np

from buffers.episodes import BoolArray, IntArray
from marl_runtime.environment import ScriptedPolicy, VectorEnvironment
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.scripted.orders import ATTACK, EAST, NORTH, SOUTH, STOP, WEST, available_or_stop, can

__all__ = ["Clock", "Oracle", "Rush", "Share"]

_INWARDS = np.array([EAST, NORTH, WEST])
_HYDRALISK = ATTACK
_REACH = 3.0  # the Hydralisk fires at a Baneling this far away, centre to centre
_STEP = 1.25  # how far a Baneling walks in one environment step


class _BaneScript(ScriptedPolicy):
    """Walk to the junction, hold there until the policy says go, then walk in and attack when in range."""

    def __init__(self) -> None:
        self._gone = np.zeros(0, dtype=np.int64)  # [E] steps since all went

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Forget the battles where `mask` is true."""
        if len(self._gone) != environment.num_envs:
            self._gone = np.zeros(environment.num_envs, dtype=np.int64)
        self._gone[mask] = 0

    def act(self, environment: VectorEnvironment) -> IntArray:
        """Return available actions `[E, N]`."""
        assert isinstance(environment, SkirmishEnvironment)
        approach, holding = self._approach(environment)
        self._gone += (self._gone > 0) | self._go(environment, holding)
        gone = self._gone[:, None]
        wanted = np.where(gone > 0, self._inwards(gone), np.where(holding, STOP, approach))
        wanted = np.where(can(environment, _HYDRALISK), _HYDRALISK, wanted)
        return available_or_stop(environment, wanted)

    def _approach(self, environment: SkirmishEnvironment) -> tuple[IntArray, BoolArray]:
        """Where to walk and who is at the junction, both `[E, N]`, from each agent's own moves and the step.

        Agents of the arms go to the bar's lowest row first: there, south is open at the junction alone. The agent of
        the stem can go both west and east only where the stem widens.
        """
        south = can(environment, SOUTH)
        sideways = can(environment, EAST) & can(environment, WEST)
        settled = environment.steps[:, None] >= 2
        in_arm = np.array([True, False, True])
        holding = np.where(in_arm, settled & south, sideways)
        approach = np.where(in_arm & south & ~settled, SOUTH, _INWARDS)
        return approach, holding

    def _inwards(self, gone: IntArray) -> IntArray:
        """The way from the junction to the Hydralisk `[E, N]`, at the n-th step `[E, 1]` since all went, from 1."""
        # the arms' agents hold in the bar's lowest row: up to the Hydralisk's row in between
        return np.where(np.array([True, False, True]) & (gone % 2 == 0), NORTH, _INWARDS)

    @abc.abstractmethod
    def _go(self, environment: SkirmishEnvironment, holding: BoolArray) -> BoolArray:
        """Return who walks in now `[E, N]`; `holding` are those who stand at the junction."""


class Rush(_BaneScript):
    """Never hold."""

    name = "rush"
    summary = "no messages: every Baneling walks in at once and attacks when in range"

    def _go(self, environment: SkirmishEnvironment, holding: BoolArray) -> BoolArray:
        return np.ones(environment.num_envs, dtype=bool)

    def _inwards(self, gone: IntArray) -> IntArray:
        return np.broadcast_to(_INWARDS, (len(gone), 3))


class Clock(_BaneScript):
    """Hold until a fixed step."""

    name = "clock"
    summary = "no messages: every Baneling waits at the junction and goes at step 20, by its own count"
    go_at = 20

    def _go(self, environment: SkirmishEnvironment, holding: BoolArray) -> BoolArray:
        return environment.steps >= self.go_at


class Share(_BaneScript):
    """Hold until all say that they are ready."""

    name = "share"
    summary = "one bit each: every Baneling says when it is at the junction, and all go when all have said so"

    def _go(self, environment: SkirmishEnvironment, holding: BoolArray) -> BoolArray:
        return np.all(holding | ~environment.alive, axis=1)


class Oracle(_BaneScript):
    """Hold just outside the Hydralisk's reach, by true positions."""

    name = "oracle"
    summary = "true positions: all stop one step outside the Hydralisk's reach and go together"

    def _approach(self, environment: SkirmishEnvironment) -> tuple[IntArray, BoolArray]:
        x, y = environment.units["x"], environment.units["y"]
        dx, dy = x[:, 3:4] - x[:, :3], y[:, 3:4] - y[:, :3]
        step_x, step_y = np.array([_STEP, 0.0, -_STEP]), np.array([0.0, _STEP, 0.0])
        return np.broadcast_to(_INWARDS, dx.shape), np.hypot(dx - step_x, dy - step_y) < _REACH + 0.05

    def _go(self, environment: SkirmishEnvironment, holding: BoolArray) -> BoolArray:
        return np.all(holding | ~environment.alive, axis=1)

    def _inwards(self, gone: IntArray) -> IntArray:
        return np.broadcast_to(_INWARDS, (len(gone), 3))
