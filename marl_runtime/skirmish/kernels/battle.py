"""How battles go: orders, game loops, reward and outcome.

Axes: E battles, U units (agents first, then enemies), N agents.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from marl_runtime.skirmish.kernels.combat import FAR, HIT, attack, bury, choose, land_missiles
from marl_runtime.skirmish.kernels.geometry import inlined, within
from marl_runtime.skirmish.kernels.healing import follow, heal, mend
from marl_runtime.skirmish.kernels.movement import separate, sweep, walk, way_around
from marl_runtime.skirmish.records import IDLE, MEND, STRIKE, WALK

__all__ = ["LOOPS_PER_STEP", "play"]

LOOPS_PER_STEP = 8
_HOME = 0.5  # an enemy this near to where it spawned is at home
_ARRIVED = 2.0  # an attack-move ends this far from its point: not all bodies fit on it
_FEW = 12  # with more units, bodies are pushed apart in order of x, and in every second game loop


@inlined
def _give_order(action, units, i, kinds, n_allies, move_amount):
    """Turn a SMAC action into an order; the same attack again lets a wind-up go on, an impossible one is a stop."""
    unit, kind = units[i], kinds[units[i].kind]
    if action >= 6:
        order = MEND if kind.heal > 0.0 else STRIKE
        target = action - 6 if kind.heal > 0.0 else n_allies + action - 6
        other = kinds[units[target].kind]
        if (order == STRIKE and kind.targets & other.plane) or (order == MEND and other.heals_it and target != i):
            if unit.order != order or unit.target != target:
                unit.wind_up = kind.damage_point if order == MEND else -1.0
            unit.order = order
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
def _recover(unit, kind):
    """Regenerate, cool down, gain shield and energy for one game loop."""
    if unit.health < kind.health:
        unit.health = min(unit.health + kind.regeneration, kind.health)
    if unit.cooldown > 0.0:
        unit.cooldown -= 1.0
    if unit.shield < kind.shield:
        if unit.shield_wait > 0.0:
            unit.shield_wait -= 1.0
        else:
            unit.shield = min(unit.shield + kind.shield_regeneration, kind.shield)
    if kind.heal > 0.0:
        unit.energy = min(unit.energy + kind.energy_regeneration, kind.energy_limit)


@inlined
def _onward(unit, rules):
    """Where an enemy with nothing to attack goes, home or on with its attack-move, and whether it goes."""
    if rules[0].marches:
        x, y, near = rules[0].march_x, rules[0].march_y, _ARRIVED
        goes = rules[0].ordered > 0
    else:
        x, y, near = unit.home_x, unit.home_y, _HOME
        goes = rules[0].leash > 0.0
    dx, dy = x - unit.x, y - unit.y
    return x, y, goes and dx * dx + dy * dy > near * near


@inlined
def _tick(loop, units, kinds, rules, cells, routes, order, unseen, slots, places, fastest, widest):
    """One game loop: missiles, then recover, attack or walk in slot order, heal, deal with deaths, make room."""
    n_allies = rules[0].n_allies
    moves = False
    hits = rules[0].marches > 0 and land_missiles(units, kinds, rules)
    for i in range(units.shape[0]):
        unit, kind = units[i], kinds[units[i].kind]
        if unit.health <= 0.0:
            continue
        _recover(unit, kind)
        unit.moved = 0
        if kind.heal > 0.0:
            if i < n_allies:
                moves |= unit.order == MEND and mend(units, kinds, cells, i)
            elif heal(units, kinds, rules, i) < 0 and rules[0].marches:
                follow(units, kinds, rules, cells, i)
        # one place to walk from, since what is inlined twice is slower
        x, y, goes = unit.goal_x, unit.goal_y, unit.order == WALK
        if kind.damage > 0.0:
            target = choose(units, kinds, rules, i, unseen, fastest, widest)
            if target >= 0:
                result = attack(units, kinds, rules, i, target)
                hits |= result == HIT
                if result == FAR:
                    if unit.order == STRIKE or (i >= n_allies and (rules[0].marches or rules[0].leash > 0.0)):
                        x, y, goes = units[target].x, units[target].y, True
                    else:
                        unit.target = -1
            elif i >= n_allies:
                x, y, goes = _onward(unit, rules)
        if goes:
            if routes.shape[0] > 0 and unit.order != WALK and not kind.flies:
                x, y = way_around(unit, cells, routes, x, y)
            if walk(unit, kind, cells, x, y) and unit.order == WALK:
                unit.order = IDLE
            moves = True
    if hits:
        bury(units, kinds, rules)
    if moves:
        if units.shape[0] > _FEW:
            if loop % 2:
                sweep(units, kinds, cells, order, widest, slots, places)
        else:
            separate(units, kinds, cells, units.shape[0])


@inlined
def _is_calm(units, kinds, rules):
    """Whether nobody attacks, heals, returns or can come near an opponent in this environment step."""
    n_allies, n_units = rules[0].n_allies, units.shape[0]
    for i in range(n_units):
        unit, kind = units[i], kinds[units[i].kind]
        if unit.health <= 0.0:
            continue
        if unit.target >= 0:
            return False
        if kind.heal > 0.0:
            first, last = (0, n_allies) if i < n_allies else (n_allies, n_units)
            for j in range(first, last):
                if 0.0 < units[j].health < kinds[units[j].kind].health:
                    return False
        if i >= n_allies and rules[0].leash > 0.0:
            dx, dy = unit.home_x - unit.x, unit.home_y - unit.y
            if dx * dx + dy * dy > _HOME * _HOME:
                return False
    for i in range(n_allies):
        kind = kinds[units[i].kind]
        for j in range(n_allies, n_units):
            other = kinds[units[j].kind]
            if (
                units[i].health > 0.0
                and units[j].health > 0.0
                and (kind.targets & other.plane or other.targets & kind.plane)
            ):
                reach = max(kind.scan, other.scan) + kind.radius + other.radius + LOOPS_PER_STEP * kind.speed
                if within(units[i], units[j], reach):
                    return False
    return True


@inlined
def _is_crowded(units, kinds, n):
    """Whether two of the first n slots' bodies can touch in this environment step."""
    for i in range(n):
        kind = kinds[units[i].kind]
        for j in range(i + 1, n):
            other = kinds[units[j].kind]
            if units[i].health > 0.0 and units[j].health > 0.0 and kind.bodies > 0 and kind.bodies == other.bodies:
                walk_of_both = LOOPS_PER_STEP * (kind.speed + other.speed)
                if within(units[i], units[j], kind.radius + other.radius + walk_of_both):
                    return True
    return False


@inlined
def _play_calm(units, kinds, rules, cells, order, slots, places, widest):
    """All game loops of a calm environment step: the same as that many `_tick`s, at a third of the time."""
    n_allies = rules[0].n_allies
    for i in range(n_allies, units.shape[0]):
        if units[i].health > 0.0:
            kind = kinds[units[i].kind]
            units[i].moved = 0
            if kind.heal > 0.0:
                units[i].wind_up = kind.damage_point
            for _ in range(LOOPS_PER_STEP):
                _recover(units[i], kind)
    crowded = _is_crowded(units, kinds, n_allies)
    for loop in range(LOOPS_PER_STEP):
        moves = False
        for i in range(n_allies):
            unit, kind = units[i], kinds[units[i].kind]
            if unit.health > 0.0:
                _recover(unit, kind)
                unit.moved = 0
                if unit.order == WALK:
                    if walk(unit, kind, cells, unit.goal_x, unit.goal_y):
                        unit.order = IDLE
                    moves = True
        if crowded and moves:
            if units.shape[0] > _FEW:
                if loop % 2:
                    sweep(units, kinds, cells, order, widest, slots, places)
            else:
                separate(units, kinds, cells, n_allies)


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
def play(actions, units, battles, kinds, rules, cells, routes, order, rewards, terminated, truncated, won):
    """Play one environment step of every running battle; write rewards, ends and wins, `[E]` each.

    `order` `[E, U]` are the battles' own orders of units by x, kept from step to step.
    """
    n_allies, n_units = rules[0].n_allies, units.shape[1]
    before = np.empty(n_units)
    unseen = np.zeros(n_units, dtype=np.int64)
    slots, places = np.empty(n_units, dtype=np.int64), np.empty((2, n_units))
    widest = fastest = 0.0
    for kind in range(kinds.shape[0]):
        widest, fastest = max(widest, kinds[kind].radius), max(fastest, kinds[kind].speed)
    for e in range(units.shape[0]):
        rewards[e] = 0.0
        terminated[e] = truncated[e] = won[e] = False
        battle = battles[e]
        if not battle.running:
            continue
        for i in range(n_units):
            before[i] = units[e, i].health + units[e, i].shield
            unseen[i] = 0
        for i in range(n_allies):
            if units[e, i].health > 0.0:
                _give_order(actions[e, i], units[e], i, kinds, n_allies, rules[0].move_amount)
        if rules[0].shortcut and not rules[0].marches and _is_calm(units[e], kinds, rules):
            _play_calm(units[e], kinds, rules, cells, order[e], slots, places, widest)
        else:
            for loop in range(LOOPS_PER_STEP):
                _tick(loop, units[e], kinds, rules, cells, routes, order[e], unseen, slots, places, fastest, widest)
        battle.steps += 1

        damage = 0.0
        kills = 0.0
        for i in range(n_allies, n_units):
            damage += before[i] - (units[e, i].health + units[e, i].shield)
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
        rewards[e] = reward / battle.reward_divisor
