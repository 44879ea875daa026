"""Attacks: who can be hit, damage, splash, missiles, deaths.

Axes: U units (agents first, then enemies).
"""

from __future__ import annotations

import math

import numpy as np

from marl_runtime.skirmish.kernels.geometry import inlined, outlined, within
from marl_runtime.skirmish.records import ARC, IDLE, STRIKE

__all__ = ["FAR", "HIT", "NEAR", "attack", "bury", "choose", "land_missiles"]

FAR, NEAR, HIT = 0, 1, 2


@inlined
def _nearest(units, kinds, i, first, last, widest):
    """The nearest living unit of slots first to last that unit i can hit and that is within its scan range, or -1.

    And the square of the distance to the nearest, in range or not. `widest` is the largest radius.
    """
    best = -1
    kind = kinds[units[i].kind]
    edge = kind.scan + kind.radius
    least = (edge + widest) * (edge + widest)
    closest = np.inf
    for j in range(first, last):
        if units[j].health <= 0.0:
            continue
        dx, dy = units[j].x - units[i].x, units[j].y - units[i].y
        square = dx * dx + dy * dy
        closest = min(closest, square)
        if square < least or (best < 0 and square == least):
            other = kinds[units[j].kind]
            reach = edge + other.radius
            if kind.targets & other.plane and square <= reach * reach:
                best = j
                least = square
    return best, closest


@inlined
def _wound(unit, attacker, kind, share):
    """Take the damage of one attack: each hit first from the shield, which has no armour, then from the health."""
    amount = attacker.damage
    if attacker.bonus_against & kind.attributes:
        amount += attacker.bonus
    amount *= share
    unit.shield_wait = kind.shield_delay
    if unit.shield <= 0.0:
        unit.health -= max(amount - kind.armour, 0.5) * attacker.hits
        return
    for _ in range(int(attacker.hits)):
        if unit.shield >= amount:
            unit.shield -= amount
        elif unit.shield > 0.0:
            unit.health -= max(amount - unit.shield - kind.armour, 0.0)
            unit.shield = 0.0
        else:
            unit.health -= max(amount - kind.armour, 0.5)


@inlined
def _hurt(units, kinds, rules, i, j, share):
    """Unit i hits unit j; an enemy without a target answers, and so do its friends near it."""
    _wound(units[j], kinds[units[i].kind], kinds[units[j].kind], share)
    n_allies = rules[0].n_allies
    if j >= n_allies and (rules[0].leash > 0.0 or rules[0].marches) and units[i].health > 0.0:
        plane = kinds[units[i].kind].plane
        for k in range(n_allies, units.shape[0]):
            if (
                units[k].target < 0
                and kinds[units[k].kind].targets & plane
                and (k == j or within(units[k], units[j], rules[0].help))
            ):
                units[k].target = i


@outlined
def _splash(units, kinds, rules, i, target):
    """Hurt the other opponents that the attack of unit i on `target` reaches; `UnitType` says which."""
    n_allies = rules[0].n_allies
    kind = kinds[units[i].kind]
    ahead_x, ahead_y = units[target].x - units[i].x, units[target].y - units[i].y
    length = math.sqrt(ahead_x * ahead_x + ahead_y * ahead_y)
    if length > 0.0:
        ahead_x, ahead_y = ahead_x / length, ahead_y / length
    else:
        ahead_x = 1.0
    first, last = (n_allies, units.shape[0]) if i < n_allies else (0, n_allies)
    for j in range(first, last):
        other = kinds[units[j].kind]
        if j == target or units[j].health <= 0.0 or not kind.targets & other.plane:
            continue
        dx, dy = units[j].x - units[target].x, units[j].y - units[target].y
        along, across = dx * ahead_x + dy * ahead_y, abs(dx * ahead_y - dy * ahead_x)
        if kind.splash == ARC:
            reached = within(units[target], units[j], kind.splash_reach + other.radius) and along + length >= 0.0
        else:
            reached = abs(along) <= kind.splash_width + other.radius and across <= kind.splash_reach + other.radius
        if reached:
            _hurt(units, kinds, rules, i, j, kind.splash_share)


@inlined
def choose(units, kinds, rules, i, unseen, fastest, widest):
    """What a unit attacks now: its order, or what comes near an idle or an enemy unit; -1 for nothing.

    `unseen` `[U]` counts the game loops for which nothing can come into scan range, at twice the `fastest` speed, so
    that large armies do not look for each other in every one.
    """
    unit, kind = units[i], kinds[units[i].kind]
    n_allies = rules[0].n_allies
    if unit.target >= 0 and units[unit.target].health <= 0.0:
        unit.target = -1
        unit.wind_up = -1.0
        if unit.order == STRIKE:
            unit.order = IDLE
    if i < n_allies:
        if unit.order == IDLE and unit.target < 0 and kind.scan > 0.0 and not rules[0].marches:
            unit.target, _ = _nearest(units, kinds, i, n_allies, units.shape[0], widest)
        return unit.target
    if unit.target >= 0:
        radius = kinds[units[unit.target].kind].radius
        if rules[0].marches:
            lost = not within(unit, units[unit.target], kind.sight + radius)
        else:
            dx, dy = unit.x - unit.home_x, unit.y - unit.home_y
            gap = kind.range + kind.radius + radius
            leash = rules[0].leash
            lost = dx * dx + dy * dy > leash * leash and not within(unit, units[unit.target], gap)
        if lost:
            unit.target = -1
            unit.wind_up = -1.0
    if unit.target < 0:
        if unseen[i] > 0:
            unseen[i] -= 1
        else:
            unit.target, closest = _nearest(units, kinds, i, 0, n_allies, widest)
            if rules[0].marches and unit.target < 0 and closest < np.inf:
                gap = math.sqrt(closest) - kind.scan - kind.radius - widest
                unseen[i] = max(0, int(gap / (2.0 * (kind.speed + fastest))))
    return unit.target


@inlined
def attack(units, kinds, rules, i, target):
    """Wind up and hit while the target is in weapon range; return FAR, NEAR, or HIT when damage was done."""
    unit, kind = units[i], kinds[units[i].kind]
    if not within(unit, units[target], kind.range + kind.radius + kinds[units[target].kind].radius):
        unit.wind_up = -1.0
        return FAR
    if kind.blast > 0.0:
        unit.health = 0.0  # to attack is to die; the blast comes with the death
        return HIT
    if unit.wind_up < 0.0 and unit.cooldown <= 0.0:
        unit.wind_up = kind.damage_point
    if unit.wind_up >= 0.0:
        unit.wind_up -= 1.0
        if unit.wind_up < 0.0:
            unit.cooldown = kind.period - kind.damage_point
            if kind.missile_speed > 0.0:
                _launch(units, kind, i, target)
                return NEAR
            _hurt(units, kinds, rules, i, target, 1.0)
            if kind.splash:
                _splash(units, kinds, rules, i, target)
            return HIT
    return NEAR


@inlined
def _launch(units, kind, i, target):
    """Let a missile fly; how long is settled now, by the distance between the centres."""
    dx, dy = units[target].x - units[i].x, units[target].y - units[i].y
    units[i].flight = math.sqrt(dx * dx + dy * dy) / kind.missile_speed
    units[i].flight_target = target


@outlined
def land_missiles(units, kinds, rules):
    """Fly all missiles for one game loop; return whether one hit. One whose target is dead is lost."""
    hits = False
    for i in range(units.shape[0]):
        unit = units[i]
        if unit.flight > 0.0:
            unit.flight -= 1.0
            if unit.flight <= 0.0:
                unit.flight = 0.0
                if units[unit.flight_target].health > 0.0:
                    _hurt(units, kinds, rules, i, unit.flight_target, 1.0)
                    hits = True
    return hits


@inlined
def bury(units, kinds, rules):
    """Deal with deaths until none is new: the dead do their blast, which may kill in turn."""
    n_allies = rules[0].n_allies
    again = True
    while again:
        again = False
        for i in range(units.shape[0]):
            unit, kind = units[i], kinds[units[i].kind]
            if unit.health > 0.0 or unit.dead:
                continue
            unit.health = 0.0
            unit.shield = 0.0
            unit.dead = 1
            if kind.blast > 0.0:
                first, last = (n_allies, units.shape[0]) if i < n_allies else (0, n_allies)
                for j in range(first, last):
                    other = kinds[units[j].kind]
                    if units[j].health > 0.0 and not other.flies and within(unit, units[j], kind.blast + other.radius):
                        _hurt(units, kinds, rules, i, j, 1.0)
                again = True
