"""How battles begin."""

from __future__ import annotations

import numpy as np
from numba import njit

from marl_runtime.skirmish.kernels.geometry import inside, is_open
from marl_runtime.skirmish.records import IDLE

__all__ = ["start"]


@njit(cache=True)
def _uniform(battle):
    """Draw from [0, 1) and advance the battle's splitmix64 stream."""
    battle.random += np.uint64(0x9E3779B97F4A7C15)
    z = battle.random
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def _place(battle, units, kinds, cells, members, offsets, regions, n_regions):
    """Put one spawn group at a random point at which all its ground units stand on open cells."""
    region = int(_uniform(battle) * n_regions)
    for _ in range(1000):
        x = regions[region, 0] + (regions[region, 2] - regions[region, 0]) * _uniform(battle)
        y = regions[region, 1] + (regions[region, 3] - regions[region, 1]) * _uniform(battle)
        fits = True
        for m in range(members.shape[0]):
            i = members[m]
            if i < 0:
                break
            units[i].x = inside(x + offsets[m, 0], cells.shape[0])
            units[i].y = inside(y + offsets[m, 1], cells.shape[1])
            if not kinds[i].flies and not is_open(cells, units[i].x, units[i].y):
                fits = False
        if fits:
            return


@njit(cache=True)
def start(mask, seeds, units, battles, kinds, rules, cells, members, offsets, regions, n_regions):
    """Begin new battles where `mask` is true, each from its seed; agents are sorted by x, then y, inside a type."""
    n_allies = rules[0].n_allies
    for e in range(mask.shape[0]):
        if not mask[e]:
            continue
        battle = battles[e]
        battle.random = np.uint64(seeds[e])
        battle.steps = 0
        battle.running = 1
        for g in range(members.shape[0]):
            _place(battle, units[e], kinds, cells, members[g], offsets[g], regions[g], n_regions[g])
        for i in range(1, n_allies):
            j = i
            while (
                j > 0
                and kinds[j - 1].type_bit == kinds[i].type_bit
                and (
                    units[e, j].x < units[e, j - 1].x
                    or (units[e, j].x == units[e, j - 1].x and units[e, j].y < units[e, j - 1].y)
                )
            ):
                x, y = units[e, j].x, units[e, j].y
                units[e, j].x, units[e, j].y = units[e, j - 1].x, units[e, j - 1].y
                units[e, j - 1].x, units[e, j - 1].y = x, y
                j -= 1
        for i in range(units.shape[1]):
            unit = units[e, i]
            unit.health = kinds[i].health
            unit.energy = kinds[i].energy
            unit.cooldown = 0.0
            unit.wind_up = -1.0
            unit.home_x, unit.home_y = unit.x, unit.y
            unit.goal_x, unit.goal_y = unit.x, unit.y
            unit.order = IDLE
            unit.target = -1
            unit.moved = 0
            unit.dead = 0
