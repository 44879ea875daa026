"""Open battles by hand: hold fire together, keep shooters away from those who fight hand to hand, heal the most hurt.

Axes: E battles, N agents, K enemies, U units.
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
from marl_runtime.skirmish.scripted.orders import ATTACK, EAST, NORTH, SOUTH, STOP, WEST, available_or_stop, length
from marl_runtime.skirmish.scripted.ways import ways_of

__all__ = ["FocusSettings", "policies"]

Floats = NDArray[np.float64]
_MOVES = np.array([NORTH, SOUTH, EAST, WEST])
_AHEAD = np.array([(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)])
_TOO_NEAR = 4.0  # a shooter that reloads walks away from enemies nearer than this, in map units


@dataclass(frozen=True)
class FocusSettings:
    """`chase`: hit points that one map unit beyond weapon range counts for in the choice of a target.

    `kite`: kinds of agents that walk away while they reload. `rally`: where those go who know of no enemy, for
    policies that know where they are; without it they stand. `quorum`: how many have to be there before they fight:
    fewer walk to the rally, or, with messages, to each other.
    """

    chase: float = 20.0
    kite: tuple[str, ...] = ()
    rally: tuple[float, float] | None = None
    quorum: int = 0


class _View:
    """True quantities of the present step, of which each policy uses what its agents may know."""

    def __init__(self, environment: SkirmishEnvironment) -> None:
        n, units, kinds = environment.schema.n_agents, environment.units, environment.kinds
        where = np.stack([units["x"], units["y"]], axis=-1)
        self.own, self.enemies = where[:, :n], where[:, n:]
        self.alive = environment.alive  # [E, N]
        self.living = np.greater(units["health"][:, n:], 0)  # [E, K]
        self.gap = length(self.enemies[:, None] - self.own[:, :, None])  # [E, N, K]
        self.sees = (self.gap < environment.map.sight) & self.living[:, None] & self.alive[..., None]
        self.left = (units["health"] + units["shield"])[:, None, n:]  # [E, 1, K] hit points and shields
        of = units["kind"]
        self.heals = np.array([kind.heals for kind in kinds])[of[:, :n]]
        self.volley = np.array([kind.damage * kind.hits for kind in kinds])[of[:, :n]]
        self.kites = np.zeros(self.heals.shape, dtype=bool)
        reach = np.array([kind.range + kind.radius for kind in kinds])[of]
        radius = np.array([kind.radius for kind in kinds])[of]
        self.beyond = np.maximum(self.gap - reach[:, :n, None] - radius[:, None, n:], 0)
        # agents know when they have shot, so that their own cooldown is no secret to them
        self.reloads = units["cooldown"][:, :n] > 4
        self.kind_of = np.array([kind.name for kind in kinds])[of[:, :n]]
        full = np.array([kind.health for kind in kinds])[of[:, :n]]
        self.share = units["health"][:, :n] / full
        self.biological = np.array(["biological" in kind.attributes for kind in kinds])[of[:, :n]]


class _Focus(ScriptedPolicy):
    """What is common: targets, kiting, healing, and what to do without an enemy."""

    informed = False  # whether all know what one of them sees
    everything = False  # whether all know where all enemies are

    def __init__(self, settings: FocusSettings) -> None:
        self.settings = settings

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Nothing is remembered between steps."""

    def act(self, environment: VectorEnvironment) -> IntArray:
        """Return available actions `[E, N]`."""
        assert isinstance(environment, SkirmishEnvironment)
        view = _View(environment)
        knows = view.sees
        if self.informed:
            knows = np.broadcast_to(view.sees.any(axis=1, keepdims=True), view.sees.shape)
        if self.everything:
            knows = np.broadcast_to(view.living[:, None], view.sees.shape)
        wanted = self._approach(environment, view, knows)
        wanted = self._attack(environment, view, wanted)
        wanted = self._kite(environment, view, wanted, knows)
        wanted = self._gather(environment, view, wanted, knows)
        return available_or_stop(environment, np.where(view.heals, self._heal(environment, view), wanted))

    def _approach(self, environment: SkirmishEnvironment, view: _View, knows: BoolArray) -> IntArray:
        """Towards the nearest known enemy, else to the rally."""
        gap = np.where(knows, view.gap, np.inf)
        nearest = np.take_along_axis(view.enemies, gap.argmin(axis=-1)[..., None], axis=1)
        ways, some = ways_of(environment.terrain), np.logical_or.reduce(knows, axis=-1)
        rally = np.broadcast_to(np.array(self.settings.rally or (0.0, 0.0)), view.own.shape)
        moves = ways.towards(environment, view.own, np.where(some[..., None], nearest, rally))
        close = np.less(length(rally - view.own), 2)
        return np.where(some, moves, STOP if self.settings.rally is None else np.where(close, STOP, moves))

    @abc.abstractmethod
    def _attack(self, environment: SkirmishEnvironment, view: _View, wanted: IntArray) -> IntArray:
        """Put attacks in the place of `wanted` `[E, N]` for those who have an enemy in range."""

    def _kite(self, environment: SkirmishEnvironment, view: _View, wanted: IntArray, knows: BoolArray) -> IntArray:
        """Shooters that reload walk to where the known enemies are least dense."""
        if not self.settings.kite:
            return wanted
        gap = np.where(knows, view.gap, np.inf)
        flees = np.isin(view.kind_of, self.settings.kite) & view.reloads & (gap.min(axis=-1) < _TOO_NEAR)
        ahead = view.own[:, :, None] + 2 * _AHEAD  # [E, N, 4, 2]
        apart = length(ahead[:, :, :, None] - view.enemies[:, None, None])
        danger = (knows[:, :, None] / np.maximum(apart, 0.1) ** 2).sum(axis=-1)
        middle = length(ahead - environment.map.size / 2)
        danger = danger + (middle / environment.map.size) ** 4  # not into a corner
        danger = np.where(environment.avail_actions[..., _MOVES], danger, np.inf)
        return np.where(flees, _MOVES[danger.argmin(axis=-1)], wanted)

    def _gather(self, environment: SkirmishEnvironment, view: _View, wanted: IntArray, knows: BoolArray) -> IntArray:
        """While fewer than the quorum are near: to the rally, or, with messages, to those who live."""
        if self.settings.quorum == 0:
            return wanted
        apart = length(view.own[:, :, None] - view.own[:, None])
        near = (apart < 5) & view.alive[:, :, None] & view.alive[:, None]
        few = np.less(near.sum(axis=-1), np.minimum(self.settings.quorum, view.alive.sum(axis=1, keepdims=True)))
        begun = (view.gap < 3).any(axis=-1) & (view.share < 0.5)  # nobody runs who is half dead
        living = view.alive[..., None]
        middle = (view.own * living).sum(axis=1, keepdims=True) / np.maximum(living.sum(axis=1, keepdims=True), 1)
        goal = np.broadcast_to(middle, view.own.shape)
        if not (self.informed or self.everything):
            goal = np.broadcast_to(np.array(self.settings.rally or (0.0, 0.0)), view.own.shape)
        moves = ways_of(environment.terrain).towards(environment, view.own, goal)
        return np.where(few & ~begun, moves, wanted)

    def _heal(self, environment: SkirmishEnvironment, view: _View) -> IntArray:
        """What a healer does: the most hurt agent in range, else towards the most hurt or the nearest that it knows."""
        n = view.own.shape[1]
        apart = length(view.own[:, :, None] - view.own[:, None])  # [E, healer, N]
        known = view.alive[:, None] & ~view.heals[:, None] & view.biological[:, None]
        if not (self.informed or self.everything):
            known = known & (apart < environment.map.sight)
        need = np.where(known, view.share[:, None] + 0.002 * apart, np.inf)
        able = np.zeros(apart.shape, dtype=bool)
        heal = environment.avail_actions[..., ATTACK : ATTACK + n]
        able[..., : heal.shape[-1]] = heal
        able &= known & (view.share[:, None] < 1)
        goal = np.take_along_axis(view.own, need.argmin(axis=-1)[..., None], axis=1)
        moves = ways_of(environment.terrain).towards(environment, view.own, goal)
        far = length(goal - view.own) > 3
        moves = np.where(known.any(axis=-1) & far, moves, STOP)
        return np.where(able.any(axis=-1), ATTACK + np.where(able, need, np.inf).argmin(axis=-1), moves)


class Blind(_Focus):
    """Each by its own observation: it attacks what dies soonest, and walks as those walk that it sees."""

    name = "blind"
    summary = "no messages: each attacks what dies soonest of what it sees, and walks along with those that it sees"

    def __init__(self, settings: FocusSettings) -> None:
        super().__init__(settings)
        self._before = np.zeros((0, 0, 2))  # [E, N, 2] where all were a step ago

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Forget the battles where `mask` is true."""
        assert isinstance(environment, SkirmishEnvironment)
        own = _View(environment).own
        if self._before.shape != own.shape:
            self._before = own.copy()
        self._before[mask] = own[mask]

    def _approach(self, environment: SkirmishEnvironment, view: _View, knows: BoolArray) -> IntArray:
        """Who sees no enemy, but others walk, goes the same way: without it, those in front fight alone."""
        walk, self._before = view.own - self._before, view.own.copy()
        apart = length(view.own[:, :, None] - view.own[:, None])
        walks = (length(walk) > 0.3) & view.alive
        seen = (apart < environment.map.sight) & walks[:, None]
        along = (seen[..., None] * walk[:, None]).sum(axis=2)
        moves = ways_of(environment.terrain).towards(environment, view.own, view.own + 8 * along)
        follows = seen.any(axis=-1) & ~knows.any(axis=-1)
        return np.where(follows, moves, super()._approach(environment, view, knows))

    def _attack(self, environment: SkirmishEnvironment, view: _View, wanted: IntArray) -> IntArray:
        """The enemy that dies soonest by what is left of it and how many of those in sight can shoot at it."""
        able = environment.avail_actions[..., ATTACK : ATTACK + view.gap.shape[-1]] & ~view.heals[..., None]
        seen = (length(view.own[:, :, None] - view.own[:, None]) < environment.map.sight) & view.alive[:, None]
        in_range = (view.gap <= environment.map.shoot) & ~view.heals[..., None]
        reach = np.maximum(seen.astype(np.float32) @ in_range.astype(np.float32), 1)
        score = np.where(able, view.left / reach + self.settings.chase * view.beyond, np.inf)
        return np.where(able.any(axis=-1), ATTACK + score.argmin(axis=-1), wanted)


class Shared(_Focus):
    """What one sees all know, and nobody shoots at what the others kill."""

    name = "shared"
    summary = "all know what one of them sees, and say whom they shoot at, so that no shot is wasted on the dead"
    informed = True

    def _attack(self, environment: SkirmishEnvironment, view: _View, wanted: IntArray) -> IntArray:
        """One agent after another takes the enemy that dies soonest, and none that the shots before it kill."""
        able = environment.avail_actions[..., ATTACK : ATTACK + view.gap.shape[-1]] & ~view.heals[..., None]
        left, reach = view.left[:, 0].copy(), np.maximum(able.sum(axis=1), 1)
        row, actions = np.arange(len(able)), wanted.copy()
        for agent in range(able.shape[1]):
            fires = able[:, agent].any(axis=-1)
            worth = left / reach + self.settings.chase * view.beyond[:, agent] + 1000.0 * (left <= 0)
            target = np.where(able[:, agent], worth, np.inf).argmin(axis=-1)
            actions[:, agent] = np.where(fires, ATTACK + target, actions[:, agent])
            left[row, target] -= np.where(fires & ~view.reloads[:, agent], view.volley[:, agent], 0.0)
        return actions


class Oracle(Shared):
    """True positions of all enemies."""

    name = "oracle"
    summary = "true positions: as with messages, and all know where every enemy is"
    everything = True


def policies(settings: FocusSettings) -> Mapping[str, Callable[[], ScriptedPolicy]]:
    """Return the family's policies for one map."""
    return {kind.name: partial(kind, settings) for kind in (Blind, Shared, Oracle)}
