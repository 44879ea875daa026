"""How battles go: orders, game loops, deaths, reward and outcome.

Axes: E battles, U units (agents first, then enemies), N agents.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from marl_runtime.skirmish.kernels.geometry import inlined, inside, within
from marl_runtime.skirmish.records import IDLE, STRIKE, WALK

__all__ = ["LOOPS_PER_STEP", "play"]

LOOPS_PER_STEP = 8
_FAR, _NEAR, _HIT = 0, 1, 2
_HOME = 0.5  # an enemy this near to where it spawned is at home


@inlined
def _give_order(action, unit, kind, kinds, n_allies, move_amount):
    """Turn a SMAC action into an order; the same attack again lets a wind-up go on, an impossible one is a stop."""
    target = n_allies + action - 6
    if action >= 6 and kind.damage > 0.0 and not kinds[target].flies:
        if unit.order != STRIKE or unit.target != target:
            unit.wind_up = -1.0
        unit.order = STRIKE
        unit.target = target
        return
    unit.wind_up = -1.0
    unit.target = -1
    unit.order = IDLE
    if 2 <= action < 6:
        unit.order = WALK
        unit.goal_x, unit.goal_y = unit.x, unit.y
        if action == 2:
            unit.goal_y += move_amount
        elif action == 3:
            unit.goal_y -= move_amount
        elif action == 4:
            unit.goal_x += move_amount
        else:
            unit.goal_x -= move_amount


@inlined
def _nearest(units, kinds, i, first, last):
    """The nearest living ground unit of slots first to last within unit i's scan range, or -1."""
    best = -1
    least = np.inf
    for j in range(first, last):
        if units[j].health > 0.0 and not kinds[j].flies:
            dx, dy = units[j].x - units[i].x, units[j].y - units[i].y
            square = dx * dx + dy * dy
            reach = kinds[i].scan + kinds[i].radius + kinds[j].radius
            if square <= reach * reach and square < least:
                best = j
                least = square
    return best


@inlined
def _hurt(units, kinds, rules, i, j):
    """Unit i hits unit j; an enemy without a target answers, and so do its friends near it."""
    attacker, kind = kinds[i], kinds[j]
    amount = attacker.damage - kind.armour
    if attacker.bonus_against & kind.attributes:
        amount += attacker.bonus
    units[j].health -= max(amount, 0.5) * attacker.hits
    n_allies = rules[0].n_allies
    if j >= n_allies and rules[0].leash > 0.0 and units[i].health > 0.0:
        for k in range(n_allies, units.shape[0]):
            if units[k].target < 0 and (k == j or within(units[k], units[j], rules[0].help)):
                units[k].target = i


@inlined
def _choose(units, kinds, rules, i):
    """What a unit attacks now: its order, or what comes near an idle or an enemy unit; -1 for nothing."""
    unit, kind = units[i], kinds[i]
    n_allies = rules[0].n_allies
    if unit.target >= 0 and units[unit.target].health <= 0.0:
        unit.target = -1
        unit.wind_up = -1.0
        if unit.order == STRIKE:
            unit.order = IDLE
    if i < n_allies:
        if unit.order == IDLE and unit.target < 0 and kind.scan > 0.0:
            unit.target = _nearest(units, kinds, i, n_allies, units.shape[0])
        return unit.target
    if unit.target >= 0:
        dx, dy = unit.x - unit.home_x, unit.y - unit.home_y
        gap = kind.range + kind.radius + kinds[unit.target].radius
        leash = rules[0].leash
        if dx * dx + dy * dy > leash * leash and not within(unit, units[unit.target], gap):
            unit.target = -1
            unit.wind_up = -1.0
    if unit.target < 0:
        unit.target = _nearest(units, kinds, i, 0, n_allies)
    return unit.target


@inlined
def _attack(units, kinds, rules, i, target):
    """Wind up and hit while the target is in weapon range; return _FAR, _NEAR, or _HIT when damage was done."""
    unit, kind = units[i], kinds[i]
    if not within(unit, units[target], kind.range + kind.radius + kinds[target].radius):
        unit.wind_up = -1.0
        return _FAR
    if kind.blast > 0.0:
        unit.health = 0.0  # to attack is to die; the blast comes with the death
        return _HIT
    if unit.wind_up < 0.0 and unit.cooldown <= 0.0:
        unit.wind_up = kind.damage_point
    if unit.wind_up >= 0.0:
        unit.wind_up -= 1.0
        if unit.wind_up < 0.0:
            unit.cooldown = kind.period - kind.damage_point
            _hurt(units, kinds, rules, i, target)
            return _HIT
    return _NEAR


@inlined
def _bury(units, kinds, rules):
    """Deal with deaths until none is new: the dead do their blast, which may kill in turn."""
    n_allies = rules[0].n_allies
    again = True
    while again:
        again = False
        for i in range(units.shape[0]):
            unit = units[i]
            if unit.health > 0.0 or unit.dead:
                continue
            unit.health = 0.0
            unit.dead = 1
            if kinds[i].blast > 0.0:
                first, last = (n_allies, units.shape[0]) if i < n_allies else (0, n_allies)
                for j in range(first, last):
                    if (
                        units[j].health > 0.0
                        and not kinds[j].flies
                        and within(unit, units[j], kinds[i].blast + kinds[j].radius)
                    ):
                        _hurt(units, kinds, rules, i, j)
                again = True


@inlined
def _heal(units, kinds, rules, i):
    """Heal the most hurt friend in range for one game loop, as far as the energy goes."""
    n_allies = rules[0].n_allies
    first, last = (0, n_allies) if i < n_allies else (n_allies, units.shape[0])
    best = -1
    least = 1.0
    for j in range(first, last):
        share = units[j].health / kinds[j].health
        reach = kinds[i].heal_range + kinds[i].radius + kinds[j].radius
        if j != i and kinds[j].heals_it and 0.0 < share < least and within(units[i], units[j], reach):
            best = j
            least = share
    if best < 0:
        units[i].wind_up = kinds[i].damage_point
    elif units[i].wind_up > 0.0:
        units[i].wind_up -= 1.0
    else:
        amount = min(kinds[i].heal, kinds[best].health - units[best].health, units[i].energy / kinds[i].heal_cost)
        units[best].health += amount
        units[i].energy -= amount * kinds[i].heal_cost


@inlined
def _shift(unit, flies, cells, dx, dy):
    """Move a unit by (dx, dy), or along the one axis on which terrain lets it."""
    x, y = inside(unit.x + dx, cells.shape[0]), inside(unit.y + dy, cells.shape[1])
    if flies or cells[int(x), int(y)]:
        unit.x, unit.y = x, y
    elif cells[int(x), int(unit.y)]:
        unit.x = x
    elif cells[int(unit.x), int(y)]:
        unit.y = y


@inlined
def _walk(unit, kind, cells, x, y):
    """Go towards a point for one game loop; return whether it was reached."""
    dx, dy = x - unit.x, y - unit.y
    # an agent's moves are straight along one axis, which needs no root
    distance = abs(dx + dy) if dx == 0.0 or dy == 0.0 else math.sqrt(dx * dx + dy * dy)
    if distance <= kind.speed:
        _shift(unit, kind.flies, cells, dx, dy)
        return True
    share = kind.speed / distance
    _shift(unit, kind.flies, cells, dx * share, dy * share)
    unit.moved = 1
    return False


@inlined
def _separate(units, kinds, cells, n):
    """Push overlapping ground units of the first n slots apart; one that walked yields to one that stands."""
    for i in range(n):
        if units[i].health <= 0.0 or kinds[i].flies:
            continue
        for j in range(i + 1, n):
            if units[j].health <= 0.0 or kinds[j].flies or units[i].moved + units[j].moved == 0:
                continue
            dx, dy = units[j].x - units[i].x, units[j].y - units[i].y
            room = kinds[i].radius + kinds[j].radius
            square = dx * dx + dy * dy
            if square >= room * room:
                continue
            distance = math.sqrt(square)
            if distance < 1e-6:
                dx, dy, distance = 1.0, 0.0, 1.0
                push = room
            else:
                push = room - distance
            share = 0.5 + 0.5 * (units[i].moved - units[j].moved)
            dx, dy = dx * push / distance, dy * push / distance
            _shift(units[i], False, cells, -dx * share, -dy * share)
            _shift(units[j], False, cells, dx * (1.0 - share), dy * (1.0 - share))


@inlined
def _recover(unit, kind):
    """Regenerate, cool down and gain energy for one game loop."""
    if unit.health < kind.health:
        unit.health = min(unit.health + kind.regeneration, kind.health)
    if unit.cooldown > 0.0:
        unit.cooldown -= 1.0
    if kind.heal > 0.0:
        unit.energy = min(unit.energy + kind.energy_regeneration, kind.energy_limit)


@inlined
def _tick(units, kinds, rules, cells):
    """One game loop: recover, attack or walk in slot order, heal, deal with deaths, make room."""
    n_allies = rules[0].n_allies
    moves, hits = False, False
    for i in range(units.shape[0]):
        unit, kind = units[i], kinds[i]
        if unit.health <= 0.0:
            continue
        _recover(unit, kind)
        unit.moved = 0
        if kind.heal > 0.0:
            _heal(units, kinds, rules, i)
        if kind.damage > 0.0:
            target = _choose(units, kinds, rules, i)
            if target >= 0:
                result = _attack(units, kinds, rules, i, target)
                hits |= result == _HIT
                if result == _FAR and (unit.order == STRIKE or (i >= n_allies and rules[0].leash > 0.0)):
                    _walk(unit, kind, cells, units[target].x, units[target].y)
                    moves = True
                elif result == _FAR:
                    unit.target = -1
                continue
            if i >= n_allies and rules[0].leash > 0.0:
                dx, dy = unit.home_x - unit.x, unit.home_y - unit.y
                if dx * dx + dy * dy > _HOME * _HOME:
                    _walk(unit, kind, cells, unit.home_x, unit.home_y)
                    moves = True
        if unit.order == WALK:
            if _walk(unit, kind, cells, unit.goal_x, unit.goal_y):
                unit.order = IDLE
            moves = True
    if hits:
        _bury(units, kinds, rules)
    if moves:
        _separate(units, kinds, cells, units.shape[0])


@inlined
def _is_calm(units, kinds, rules):
    """Whether nobody attacks, heals, returns or can come near an opponent in this environment step."""
    n_allies, n_units = rules[0].n_allies, units.shape[0]
    for i in range(n_units):
        unit = units[i]
        if unit.health <= 0.0:
            continue
        if unit.target >= 0:
            return False
        if kinds[i].heal > 0.0:
            first, last = (0, n_allies) if i < n_allies else (n_allies, n_units)
            for j in range(first, last):
                if 0.0 < units[j].health < kinds[j].health:
                    return False
        if i >= n_allies and rules[0].leash > 0.0:
            dx, dy = unit.home_x - unit.x, unit.home_y - unit.y
            if dx * dx + dy * dy > _HOME * _HOME:
                return False
    for i in range(n_allies):
        for j in range(n_allies, n_units):
            if units[i].health > 0.0 and units[j].health > 0.0 and not kinds[i].flies and not kinds[j].flies:
                walk = LOOPS_PER_STEP * kinds[i].speed
                reach = max(kinds[i].scan, kinds[j].scan) + kinds[i].radius + kinds[j].radius + walk
                if within(units[i], units[j], reach):
                    return False
    return True


@inlined
def _is_crowded(units, kinds, n):
    """Whether two of the first n slots' ground units can touch in this environment step."""
    for i in range(n):
        for j in range(i + 1, n):
            if units[i].health > 0.0 and units[j].health > 0.0 and not kinds[i].flies and not kinds[j].flies:
                walk = LOOPS_PER_STEP * (kinds[i].speed + kinds[j].speed)
                if within(units[i], units[j], kinds[i].radius + kinds[j].radius + walk):
                    return True
    return False


@inlined
def _play_calm(units, kinds, rules, cells):
    """All game loops of a calm environment step: the same as that many `_tick`s, at a third of the time."""
    n_allies = rules[0].n_allies
    for i in range(n_allies, units.shape[0]):
        if units[i].health > 0.0:
            units[i].moved = 0
            if kinds[i].heal > 0.0:
                units[i].wind_up = kinds[i].damage_point
            for _ in range(LOOPS_PER_STEP):
                _recover(units[i], kinds[i])
    crowded = _is_crowded(units, kinds, n_allies)
    for i in range(n_allies):
        if kinds[i].heal > 0.0:
            units[i].wind_up = kinds[i].damage_point
    for _ in range(LOOPS_PER_STEP):
        moves = False
        for i in range(n_allies):
            unit, kind = units[i], kinds[i]
            if unit.health > 0.0:
                _recover(unit, kind)
                unit.moved = 0
                if unit.order == WALK:
                    if _walk(unit, kind, cells, unit.goal_x, unit.goal_y):
                        unit.order = IDLE
                    moves = True
        if crowded and moves:
            _separate(units, kinds, cells, n_allies)


@inlined
def _outcome(units, rules):
    """SMAC's end of a battle: 1 won, -1 lost, 0 all dead, 2 not over."""
    allies = 0
    enemies = 0
    for i in range(units.shape[0]):
        if units[i].health > 0.0:
            if i < rules[0].n_allies:
                allies += 1
            else:
                enemies += 1
    medivac = rules[0].medivac_slot
    if medivac >= 0 and enemies == 1 and units[medivac].health > 0.0:
        return 1
    if allies == 0:
        return -1 if enemies > 0 else 0
    return 1 if enemies == 0 else 2


@njit(cache=True, error_model="numpy")
def play(actions, units, battles, kinds, rules, cells, rewards, terminated, truncated, won):
    """Play one environment step of every running battle; write rewards, ends and wins, `[E]` each."""
    n_allies, n_units = rules[0].n_allies, units.shape[1]
    before = np.empty(n_units)
    for e in range(units.shape[0]):
        rewards[e] = 0.0
        terminated[e] = truncated[e] = won[e] = False
        battle = battles[e]
        if not battle.running:
            continue
        for i in range(n_units):
            before[i] = units[e, i].health
        for i in range(n_allies):
            if units[e, i].health > 0.0:
                _give_order(actions[e, i], units[e, i], kinds[i], kinds, n_allies, rules[0].move_amount)
        if rules[0].shortcut and _is_calm(units[e], kinds, rules):
            _play_calm(units[e], kinds, rules, cells)
        else:
            for _ in range(LOOPS_PER_STEP):
                _tick(units[e], kinds, rules, cells)
        battle.steps += 1

        damage = 0.0
        kills = 0.0
        for i in range(n_allies, n_units):
            damage += before[i] - units[e, i].health
            if before[i] > 0.0 and units[e, i].health <= 0.0:
                kills += rules[0].reward_kill
        # SMAC takes the absolute value, so that an enemy's recovery pays too
        reward = abs(damage + kills) if rules[0].stock_reward else max(damage, 0.0) + kills
        outcome = _outcome(units[e], rules)
        if outcome == 1:
            reward += rules[0].reward_win
            won[e] = True
        if outcome != 2:
            terminated[e] = True
        elif battle.steps >= rules[0].limit:
            truncated[e] = True
        if terminated[e] or truncated[e]:
            battle.running = 0
        rewards[e] = reward / rules[0].reward_divisor
