"""Worlds that change: units that are absent or arrive, leave, change their type, and enemies that change their mind.

What is drawn here comes from a battle's seed alone, apart from the battle's own stream, which the kernels draw from.

Axes: E battles, U units (agents first, then enemies), C changes, K kinds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, IntArray
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.maps.changes import FIRST_REGIME
from marl_runtime.skirmish.records import IDLE, Records

__all__ = ["World", "changed_types"]

_KILL_REWARD = 10.0


def changed_types(battle_map: BattleMap) -> tuple[str, ...]:
    """Return the unit types that units change to, in the order of the schedule."""
    return tuple(dict.fromkeys(name for change in battle_map.schedule for name in change.become.values()))


class World:
    """The changes of E battles: `regimes` are their names, `regime` `[E]` is in which each battle is."""

    def __init__(self, battle_map: BattleMap, kind_names: tuple[str, ...], kinds: Records, num_envs: int) -> None:
        self._map, self._kinds = battle_map, kinds
        self._changes = battle_map.schedule
        self._numbers = {name: k for k, name in enumerate(kind_names)}
        self._when: IntArray = np.zeros((num_envs, len(self._changes)), dtype=np.int64)
        self.regimes = (FIRST_REGIME, *(change.regime for change in self._changes))
        self.regime: IntArray = np.zeros(num_envs, dtype=np.int64)

    @property
    def changes(self) -> bool:
        """Whether anything is to be done at all."""
        return bool(self._changes) or self._map.present_agents is not None

    def begin(self, mask: BoolArray, seeds: IntArray, units: Records, battles: Records) -> None:
        """Draw when everything happens and who is absent, in new battles; units have been placed."""
        rows = np.flatnonzero(mask)
        self.regime[rows] = 0
        seeds = seeds[rows]
        for c, change in enumerate(self._changes):
            first, last = change.steps
            self._when[rows, c] = first + np.floor((last - first + 1) * _uniform(seeds, c)).astype(np.int64)
            self._take_away(units, rows, change.arrive)
            coming = sum(slot >= len(self._map.allies) for slot in change.arrive)
            battles["pending"][rows] += coming
        if self._map.present_agents is not None:
            self._draw_present(rows, seeds, units, battles)

    def step(self, played: BoolArray, units: Records, battles: Records) -> None:
        """Let happen what is due after this step, in battles that were played and are not over."""
        for c, change in enumerate(self._changes):
            due = played & (battles["running"] > 0) & (battles["steps"] == self._when[:, c])
            rows = np.flatnonzero(due)
            if not len(rows):
                continue
            self.regime[rows] = c + 1
            self._bring(units, rows, change.arrive)
            battles["pending"][rows] -= sum(slot >= len(self._map.allies) for slot in change.arrive)
            self._take_away(units, rows, change.leave)
            for slot, name in change.become.items():
                self._turn(units, rows, slot, self._numbers[name])
            if change.attack_order is not None:
                battles["ordered"][rows] = 1
                battles["march_x"][rows], battles["march_y"][rows] = change.attack_order
            elif change.behaviour == "hold":
                battles["ordered"][rows] = 0

    def _draw_present(self, rows: IntArray, seeds: IntArray, units: Records, battles: Records) -> None:
        """Take away a random set of agents, and as many enemies, for the whole battle."""
        assert self._map.present_agents is not None
        low, high = self._map.present_agents
        n_agents, n_enemies = len(self._map.allies), len(self._map.enemies)
        present = low + np.floor((high - low + 1) * _uniform(seeds, 1000)).astype(np.int64)
        for first, count in ((0, n_agents), (n_agents, n_enemies)):
            keys = np.stack([_uniform(seeds, 2000 + first + k) for k in range(count)], axis=1)
            rank = keys.argsort(axis=1).argsort(axis=1)
            for k in range(count):
                gone = rows[rank[:, k] < n_agents - present]
                if first and len(gone):
                    kind = self._kinds[units["kind"][gone, first + k]]
                    lost = _KILL_REWARD + kind["health"] + kind["shield"]
                    battles["reward_divisor"][gone] -= lost / 20.0
                self._take_away(units, gone, (first + k,))

    def _take_away(self, units: Records, rows: IntArray, slots: tuple[int, ...]) -> None:
        for slot in slots:
            for name in ("health", "shield", "energy"):
                units[name][rows, slot] = 0.0
            units["dead"][rows, slot] = 1  # so that no death is dealt with: a Baneling that leaves does not explode
            units["target"][rows, slot] = -1

    def _bring(self, units: Records, rows: IntArray, slots: tuple[int, ...]) -> None:
        for slot in slots:
            kind = self._kinds[units["kind"][rows, slot]]
            for name in ("health", "shield", "energy"):
                units[name][rows, slot] = kind[name]
            units["dead"][rows, slot] = 0
            units["order"][rows, slot] = IDLE
            units["target"][rows, slot] = -1
            units["wind_up"][rows, slot] = -1.0

    def _turn(self, units: Records, rows: IntArray, slot: int, number: int) -> None:
        old, new = self._kinds[units["kind"][rows, slot]], self._kinds[number]
        for name in ("health", "shield"):
            share = units[name][rows, slot] / np.maximum(old[name], 1e-9)
            units[name][rows, slot] = share * new[name]
        units["energy"][rows, slot] = np.where(units["health"][rows, slot] > 0, new["energy"], 0.0)
        units["kind"][rows, slot] = number
        units["wind_up"][rows, slot] = -1.0
        units["target"][rows, slot] = -1


def _uniform(seeds: IntArray, number: int) -> NDArray[np.float64]:
    """Return the `number`-th draw from [0, 1) that belongs to each seed (splitmix64)."""
    with np.errstate(over="ignore"):
        z = seeds.astype(np.uint64) ^ np.uint64(0xD1B54A32D192ED03)
        z = z + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    drawn: NDArray[np.float64] = (z >> np.uint64(11)).astype(np.float64) / 2.0**53
    return drawn
