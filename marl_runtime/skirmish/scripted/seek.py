"""Maps on which scouts stand over the targets, and seekers, whose attack is their own death, have to find them.

Axes: E battles, N agents, K targets (the enemies), P places where a target can be.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, IntArray
from marl_runtime.environment import ScriptedPolicy, VectorEnvironment
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.scripted.orders import (
    ATTACK,
    EAST,
    NORTH,
    SOUTH,
    STOP,
    WEST,
    available_or_stop,
    can,
    length,
)
from marl_runtime.skirmish.scripted.ways import search_of, ways_of

_MARGIN = 0.6  # of sight, so that what is looked for is surely seen

Float64Array = NDArray[np.float64]

__all__ = ["Blind", "Oracle", "SeekSettings", "Shared", "policies"]


@dataclass(frozen=True)
class SeekSettings:
    """`scouts`: the kinds of agents that stay where they are. `places` [P] (x, y): where targets can be, as all know.

    `corners`: the first target starts in a corner, in which the first scout has the rim beside it.
    """

    places: tuple[tuple[float, float], ...]
    scouts: tuple[str, ...] = ()
    corners: bool = False


class _Seek(ScriptedPolicy):
    """Go to the target that one is assigned to, else search the places; attack in range."""

    def __init__(self, settings: SeekSettings) -> None:
        self.settings = settings
        self._places = np.array(settings.places)
        self._knows = np.zeros((0, 0, 0), dtype=bool)  # [E, N, K] who knows where which living target is
        self._last = np.zeros((0, 0, 0, 2))  # [E, N, K, 2] where that is
        self._searched = np.zeros((0, 0, 0), dtype=bool)  # [E, N, P] who has found nobody at which place

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Forget the battles where `mask` is true."""
        n_targets = environment.units.shape[1] - environment.alive.shape[1]  # type: ignore[attr-defined]
        shape = (*environment.alive.shape, n_targets)
        if self._knows.shape != shape:
            self._knows = np.zeros(shape, dtype=bool)
            self._last = np.zeros((*shape, 2))
            self._searched = np.zeros((*environment.alive.shape, len(self._places)), dtype=bool)
        self._knows[mask] = False
        self._searched[mask] = False

    def act(self, environment: VectorEnvironment) -> IntArray:
        """Return available actions `[E, N]`."""
        assert isinstance(environment, SkirmishEnvironment)
        n = environment.schema.n_agents
        where = np.stack([environment.units["x"], environment.units["y"]], axis=-1)
        own, targets = where[:, :n], where[:, n:]
        living = environment.units["health"][:, None, n:] > 0
        gap = length(targets[:, None] - own[:, :, None])  # [E, N, K]
        sees = (gap < environment.map.sight) & living & environment.alive[..., None]
        self._last = np.where(sees[..., None], targets[:, None], self._last)
        # nobody at the place that one remembers, and sight enough to tell
        left = length(self._last - own[:, :, None]) < environment.map.sight - 2
        self._knows = (self._knows & ~(left & ~sees)) | sees
        self._tell(environment, own, targets, living)
        nothing = ~sees.any(axis=-1, keepdims=True)
        near = length(self._places - own[:, :, None]) < environment.map.sight - _MARGIN
        self._searched |= near & nothing & environment.alive[..., None]
        self._searched &= ~self._searched.all(axis=-1, keepdims=True)  # nobody anywhere: once more
        assigned = self._assign(environment, own)
        goal = np.where(assigned[..., None], self._last, 0).sum(axis=2)
        wanted = np.where(
            assigned.any(axis=-1),
            ways_of(environment.terrain).towards(environment, own, goal),
            self._search(environment, own),
        )
        attackable = environment.avail_actions[..., ATTACK:]
        wanted = np.where(attackable.any(axis=-1), ATTACK + attackable.argmax(axis=-1), wanted)
        stays = np.isin(np.array(environment.map.allies), self.settings.scouts)
        return available_or_stop(environment, np.where(stays, STOP, wanted))

    @abc.abstractmethod
    def _tell(
        self, environment: SkirmishEnvironment, own: Float64Array, targets: Float64Array, living: BoolArray
    ) -> None:
        """Add to `_knows` and `_last` what agents learn beyond their own sight; `living` is `[E, 1, K]`."""

    def _search(self, environment: SkirmishEnvironment, own: Float64Array) -> IntArray:
        """Where to walk without knowing a target, `[E, N]`."""
        route = search_of(environment.terrain, self.settings.places, environment.map.sight - _MARGIN)
        return ways_of(environment.terrain).towards(environment, own, route.goal(own, self._searched))

    def _assign(self, environment: SkirmishEnvironment, own: Float64Array) -> BoolArray:
        """At most one known target for each agent, `[E, N, K]`: the nearest."""
        gap = np.where(self._knows, length(self._last - own[:, :, None]), np.inf)
        return self._knows & (np.arange(gap.shape[-1]) == gap.argmin(axis=-1)[..., None])


class Blind(_Seek):
    """The best search without messages that we know, with more knowledge than an agent has: its own true position."""

    name = "blind"
    summary = "no messages: all know where they are themselves, search place by place, the nearest first, and attack"

    def _tell(
        self, environment: SkirmishEnvironment, own: Float64Array, targets: Float64Array, living: BoolArray
    ) -> None:
        return


class _Together(_Seek):
    """Share the seekers out among the targets: as many for each as its health needs, the nearest to it."""

    def _assign(self, environment: SkirmishEnvironment, own: Float64Array) -> BoolArray:
        n = environment.schema.n_agents
        chosen = super()._assign(environment, own)
        if chosen.shape[-1] != 2:
            return chosen
        health = environment.units["health"][:, n:]
        share = health[:, 0] / np.maximum(health.sum(axis=1), 1e-9)  # [E]
        seekers = environment.alive & ~np.isin(np.array(environment.map.allies), self.settings.scouts)
        only_first = seekers & self._knows[..., 0] & ~self._knows[..., 1]
        both = seekers & self._knows.all(axis=-1)
        wanted = np.rint(share * seekers.sum(axis=1)) - only_first.sum(axis=1)
        gap = length(self._last - own[:, :, None])
        # among those who know both, rank 0 prefers the first target most
        order = np.where(both, gap[..., 0] - gap[..., 1], np.inf)
        rank = order.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
        first = rank < wanted[:, None]
        chosen = np.where(both[..., None], np.stack([first, ~first], axis=-1), chosen)
        # of those who know the first alone, the ones that it does not take go on searching
        order = np.where(only_first, gap[..., 0], np.inf)
        rank = order.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
        taken = rank < np.rint(share * seekers.sum(axis=1))[:, None]
        return chosen & ~(only_first & ~taken)[..., None]


class Shared(_Together):
    """Who sees a target says where it is, and everyone who stands in one frame of reference with the speaker knows.

    Two agents share a frame once they have seen each other, or once both have met the rim on a side of each axis: what
    lies between them then follows from what they say of their own moves.
    """

    name = "shared"
    summary = "scouts say where the rim is beside them; who sees a target says where, to all who have met each other"

    def __init__(self, settings: SeekSettings) -> None:
        super().__init__(settings)
        self._frames = np.zeros((0, 0, 0), dtype=bool)  # [E, N, N] who knows how far away whom
        self._met = np.zeros((0, 0, 2), dtype=bool)  # [E, N, 2] who has met the rim in x, in y
        self._corner = np.zeros((0, 2), dtype=np.int64)  # [E, 2] 1 for east (north), -1 for west (south)

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Hear, where `mask` is true, where the first scout has the rim beside it."""
        super().reset(environment, mask)
        n_envs, n = environment.alive.shape
        if len(self._corner) != n_envs:
            self._frames = np.zeros((n_envs, n, n), dtype=bool)
            self._met = np.zeros((n_envs, n, 2), dtype=bool)
            self._corner = np.zeros((n_envs, 2), dtype=np.int64)
        self._frames[mask] = np.eye(n, dtype=bool)
        self._met[mask] = False
        if self.settings.corners:
            assert isinstance(environment, SkirmishEnvironment)
            blocked = ~environment.avail_actions[..., NORTH : WEST + 1]
            scout = np.isin(np.array(environment.map.allies), self.settings.scouts)
            # the scout in the corner has the rim to the west or east, and mostly to the south as well
            beside = 2 * (blocked[..., 2] | blocked[..., 3]) + (blocked[..., 0] | blocked[..., 1])
            side = np.where(scout, beside, -1).argmax(axis=1)
            at = np.arange(n_envs), side
            self._corner[mask, 0] = np.where(can(environment, WEST)[at], 1, -1)[mask]
            self._corner[mask, 1] = np.where(can(environment, SOUTH)[at], 1, -1)[mask]

    def _tell(
        self, environment: SkirmishEnvironment, own: Float64Array, targets: Float64Array, living: BoolArray
    ) -> None:
        alive, rim = environment.alive, ~environment.avail_actions[..., NORTH : WEST + 1]
        near_rim = np.abs(own - environment.map.size / 2) > environment.map.size / 2 - 5
        self._met[..., 0] |= (rim[..., 2] | rim[..., 3]) & near_rim[..., 0] & alive
        self._met[..., 1] |= (rim[..., 0] | rim[..., 1]) & near_rim[..., 1] & alive
        anchored = self._met[..., 0] & self._met[..., 1]
        apart = length(own[:, :, None] - own[:, None])
        meets = (apart < environment.map.sight) & alive[:, :, None] & alive[:, None]
        self._frames |= meets | (anchored[:, :, None] & anchored[:, None])
        while True:
            reach = self._frames.astype(np.float32)
            wider = (reach @ reach) > 0
            if (wider == self._frames).all():
                break
            self._frames = wider
        speaks = self._knows & alive[..., None] & living
        hears = (self._frames.astype(np.float32) @ speaks.astype(np.float32)) > 0
        self._knows = (self._knows | hears) & living
        self._last = np.where(self._knows[..., None], targets[:, None], self._last)

    def _search(self, environment: SkirmishEnvironment, own: Float64Array) -> IntArray:
        """Towards the scout's corner by the directions alone, along the rim, until one has seen who is there."""
        search = super()._search(environment, own)
        if not self.settings.corners:
            return search
        east, north = self._corner[:, :1], self._corner[:, 1:]
        vertical = np.broadcast_to(np.where(north > 0, NORTH, SOUTH), environment.alive.shape)
        sideways = np.broadcast_to(np.where(east > 0, EAST, WEST), environment.alive.shape)
        able = np.take_along_axis(environment.avail_actions, vertical[..., None], axis=-1)[..., 0]
        n = environment.schema.n_agents
        dead = np.less_equal(environment.units["health"][:, n : n + 1], 0)  # those at the corner say so
        return np.where(dead | self._knows[..., 0], search, np.where(able, vertical, sideways))


class Oracle(_Together):
    """True positions."""

    name = "oracle"
    summary = "true positions: the seekers share themselves out among the targets and go straight to them"

    def _tell(
        self, environment: SkirmishEnvironment, own: Float64Array, targets: Float64Array, living: BoolArray
    ) -> None:
        self._knows = np.broadcast_to(living, self._knows.shape).copy()
        self._last = np.broadcast_to(targets[:, None], self._last.shape).copy()


def policies(settings: SeekSettings) -> Mapping[str, Callable[[], ScriptedPolicy]]:
    """Return the family's policies for one map."""
    return {kind.name: partial(kind, settings) for kind in (Blind, Shared, Oracle)}
