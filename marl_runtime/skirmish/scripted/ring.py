"""1o_2r_vs_4r by hand: where the Reapers' corner is, is what the Roaches do not know."""

from __future__ import annotations

import abc

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from marl_runtime.environment import ScriptedPolicy, VectorEnvironment
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.scripted.orders import ATTACK, EAST, NORTH, SOUTH, STOP, WEST, available_or_stop, can

__all__ = ["Blind", "Oracle", "Shared"]

_CORNERS = np.array([(3.5, 2.0), (3.5, 28.86), (28.5, 28.0), (28.5, 2.0)])  # around the ring
_N_ENEMIES = 4


class _RoachScript(ScriptedPolicy):
    """Roaches walk to a corner and attack what they see, the same Reaper together; subclasses say which corner."""

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Forget the battles where `mask` is true."""

    def act(self, environment: VectorEnvironment) -> IntArray:
        """Return available actions `[E, N]`."""
        assert isinstance(environment, SkirmishEnvironment)
        north, east, scout = self._find(environment)
        wanted = _close_in(environment, _walk_to_corner(environment, north, east))
        wanted[:, 0] = scout
        return available_or_stop(environment, wanted)

    @abc.abstractmethod
    def _find(self, environment: SkirmishEnvironment) -> tuple[IntArray, IntArray, IntArray]:
        """For the team, 1 for a corner in the north (east), -1 for the south (west), 0 for not known; all `[E]`.

        The third is what the Overseer does.
        """


class Shared(_RoachScript):
    """The Overseer says where it cannot fly to: the rim is beside it, on the side of its corner."""

    name = "shared"
    summary = "two bits: the Overseer says where the rim is beside it; that is its corner, and the Roaches go there"

    def __init__(self) -> None:
        self._north = np.zeros(0, dtype=np.int64)  # [E]
        self._east = np.zeros(0, dtype=np.int64)

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Hear, where `mask` is true, what the Overseer says at the first step."""
        if len(self._north) != environment.num_envs:
            self._north = np.zeros(environment.num_envs, dtype=np.int64)
            self._east = np.zeros(environment.num_envs, dtype=np.int64)
        self._north[mask] = np.where(can(environment, SOUTH)[mask, 0], 1, -1)
        self._east[mask] = np.where(can(environment, WEST)[mask, 0], 1, -1)

    def _find(self, environment: SkirmishEnvironment) -> tuple[IntArray, IntArray, IntArray]:
        return self._north, self._east, np.full(environment.num_envs, STOP)


class Oracle(_RoachScript):
    """True positions."""

    name = "oracle"
    summary = "true positions: the Roaches go straight to the Reapers' corner"

    def _find(self, environment: SkirmishEnvironment) -> tuple[IntArray, IntArray, IntArray]:
        north = np.where(environment.units["y"][:, 0] > 16, 1, -1)
        east = np.where(environment.units["x"][:, 0] > 16, 1, -1)
        return north, east, np.full(environment.num_envs, STOP)


class Blind(_RoachScript):
    """The best search without messages that we know, with more knowledge than an agent has: its own true position."""

    name = "blind"
    summary = "no messages: the Roaches know where they are themselves and search corner by corner, the nearest first"

    def __init__(self) -> None:
        self._excluded = np.zeros((0, len(_CORNERS)), dtype=bool)  # [E, corners]: seen, and no Reaper there

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Forget the battles where `mask` is true."""
        if len(self._excluded) != environment.num_envs:
            self._excluded = np.zeros((environment.num_envs, len(_CORNERS)), dtype=bool)
        self._excluded[mask] = False

    def _find(self, environment: SkirmishEnvironment) -> tuple[IntArray, IntArray, IntArray]:
        x, y = environment.units["x"][:, 1:3].mean(axis=1), environment.units["y"][:, 1:3].mean(axis=1)
        dx, dy = _CORNERS[:, 0] - x[:, None], _CORNERS[:, 1] - y[:, None]
        in_sight = np.hypot(dx, dy) < environment.map.sight - 1
        self._excluded |= in_sight & ~_sees_enemy(environment)[:, 1:].any(axis=1, keepdims=True)
        goal = np.where(self._excluded, np.inf, np.abs(dx) + np.abs(dy)).argmin(axis=1)
        north, east = np.where(_CORNERS[goal, 1] > 16, 1, -1), np.where(_CORNERS[goal, 0] > 16, 1, -1)
        return north, east, np.full(environment.num_envs, STOP)


def _enemy_block(environment: SkirmishEnvironment, quantity: str) -> Float32Array:
    """One quantity of all enemies in everyone's observation, `[E, N, enemies]`."""
    columns = [environment.schema.extended_index(f"enemy_{j}.{quantity}") for j in range(_N_ENEMIES)]
    return environment.obs[..., columns]


def _sees_enemy(environment: SkirmishEnvironment) -> BoolArray:
    return np.any(_enemy_block(environment, "distance") > 0, axis=-1)


def _walk_to_corner(environment: SkirmishEnvironment, north: IntArray, east: IntArray) -> IntArray:
    """North or south where the ground is open, else east or west: around the ring this needs no known position."""
    vertical = np.where(north > 0, NORTH, np.where(north < 0, SOUTH, STOP))[:, None]
    sideways = np.where(east > 0, EAST, np.where(east < 0, WEST, STOP))[:, None]
    shape = environment.alive.shape
    vertical, sideways = np.broadcast_to(vertical, shape), np.broadcast_to(sideways, shape)
    open_ahead = np.take_along_axis(environment.avail_actions, vertical[..., None], axis=-1)[..., 0]
    return np.where(open_ahead & (vertical != STOP), vertical, sideways).copy()


def _close_in(environment: SkirmishEnvironment, wanted: IntArray) -> IntArray:
    """Attack the first Reaper within shooting range; walk towards the first that is seen further away."""
    distance = _enemy_block(environment, "distance")
    first = (distance > 0).argmax(axis=-1)[..., None]
    dx = np.take_along_axis(_enemy_block(environment, "relative_x"), first, axis=-1)[..., 0]
    dy = np.take_along_axis(_enemy_block(environment, "relative_y"), first, axis=-1)[..., 0]
    along_x, along_y = np.where(dx > 0, EAST, WEST), np.where(dy > 0, NORTH, SOUTH)
    x_first = np.abs(dx) > np.abs(dy)
    main, other = np.where(x_first, along_x, along_y), np.where(x_first, along_y, along_x)
    able = np.take_along_axis(environment.avail_actions, main[..., None], axis=-1)[..., 0]
    wanted = np.where(_sees_enemy(environment), np.where(able, main, other), wanted)
    attackable = environment.avail_actions[..., ATTACK:]
    return np.where(attackable.any(axis=-1), ATTACK + attackable.argmax(axis=-1), wanted)
