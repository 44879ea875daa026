"""Medivacs: an agent's heals whom it is told to, an enemy's whoever is hurt most.

Axes: U units (agents first, then enemies).
"""

from __future__ import annotations

import numpy as np

from marl_runtime.skirmish.kernels.geometry import inlined, outlined, within
from marl_runtime.skirmish.kernels.movement import walk
from marl_runtime.skirmish.records import IDLE

__all__ = ["follow", "heal", "mend"]

_ABREAST = 2.0  # map units at which a marching Medivac with nobody to heal stays behind the nearest friend
_CALL = 6.0  # map units from edge to edge within which a marching Medivac goes to a hurt friend


@inlined
def _treat(unit, kind, other, full):
    """Heal a friend for one game loop, as far as the energy goes, once the start-up is over."""
    if unit.wind_up > 0.0:
        unit.wind_up -= 1.0
    else:
        amount = min(kind.heal, full - other.health, unit.energy / kind.heal_cost)
        other.health += amount
        unit.energy -= amount * kind.heal_cost


@inlined
def heal(units, kinds, rules, i):
    """Heal the most hurt friend in range for one game loop; return its slot, or -1 when there is none."""
    n_allies = rules[0].n_allies
    first, last = (0, n_allies) if i < n_allies else (n_allies, units.shape[0])
    unit, kind = units[i], kinds[units[i].kind]
    best = -1
    least = 1.0
    for j in range(first, last):
        other = kinds[units[j].kind]
        share = units[j].health / other.health
        reach = kind.heal_range + kind.radius + other.radius
        if j != i and other.heals_it and 0.0 < share < least and within(unit, units[j], reach):
            best = j
            least = share
    if best < 0:
        unit.wind_up = kind.damage_point
    else:
        _treat(unit, kind, units[best], kinds[units[best].kind].health)
    return best


@outlined
def mend(units, kinds, cells, i):
    """Heal the friend that an agent was told to heal, going to it when out of range; return whether it walked."""
    unit, kind = units[i], kinds[units[i].kind]
    other = units[unit.target]
    if other.health <= 0.0:
        unit.order = IDLE
        unit.target = -1
        return False
    full = kinds[other.kind]
    if not within(unit, other, kind.heal_range + kind.radius + full.radius):
        unit.wind_up = kind.damage_point
        walk(unit, kind, cells, other.x, other.y)
        return True
    if other.health < full.health:
        _treat(unit, kind, other, full.health)
    else:
        unit.wind_up = kind.damage_point
    return False


@outlined
def follow(units, kinds, rules, cells, i):
    """An enemy Medivac with nobody in range to heal goes to the nearest friend that is hurt, or else stays near one.

    It does not follow other Medivacs.
    """
    unit, kind = units[i], kinds[units[i].kind]
    hurt, friend = -1, -1
    least_hurt = least = np.inf
    for j in range(rules[0].n_allies, units.shape[0]):
        other = kinds[units[j].kind]
        if j == i or units[j].health <= 0.0 or other.heal > 0.0:
            continue
        dx, dy = units[j].x - unit.x, units[j].y - unit.y
        square = dx * dx + dy * dy
        reach = _CALL + kind.radius + other.radius
        if other.heals_it and units[j].health < other.health and square < least_hurt and square <= reach * reach:
            hurt = j
            least_hurt = square
        if square < least:
            friend = j
            least = square
    if hurt >= 0:
        walk(unit, kind, cells, units[hurt].x, units[hurt].y)
    elif friend >= 0 and least > _ABREAST * _ABREAST:
        walk(unit, kind, cells, units[friend].x, units[friend].y)
