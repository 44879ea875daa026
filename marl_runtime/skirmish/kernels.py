"""The battle itself: numba kernels whose outer loop runs over the battles.

One thread, one battle after another: a battle reads its own records and its own random stream alone, so it plays the
same whatever stands beside it. Everything is in this file because numba's cache follows changes of one file only.
Axes: E battles, U units (agents first, then enemies), N agents.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from buffers.episodes import BoolArray, Float32Array, IntArray
from marl_runtime.skirmish.records import IDLE, STRIKE, WALK, Records

__all__ = ["LOOPS_PER_STEP", "find_unavailable", "observe_all", "play", "start"]

LOOPS_PER_STEP = 8
_FAR, _NEAR, _HIT = 0, 1, 2
# What runs inside the loops is inlined by LLVM: a call passes each array as a dozen numbers.
_inlined = njit(cache=True, forceinline=True, error_model="numpy")
_HOME = 0.5  # an enemy this near to where it spawned is at home
_RIM = 1e-3  # positions stay this far inside the map's far edges, so that they always lie in a cell


@njit(cache=True)
def _uniform(battle):
    """Draw from [0, 1) and advance the battle's splitmix64 stream."""
    battle.random += np.uint64(0x9E3779B97F4A7C15)
    z = battle.random
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@_inlined
def _inside(x, size):
    """The coordinate within the map that is nearest to x."""
    return 0.0 if x < 0.0 else (x if x < size - _RIM else size - _RIM)


@_inlined
def _open(cells, x, y):
    return 0 <= x < cells.shape[0] and 0 <= y < cells.shape[1] and cells[int(x), int(y)]


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
            units[i].x = _inside(x + offsets[m, 0], cells.shape[0])
            units[i].y = _inside(y + offsets[m, 1], cells.shape[1])
            if not kinds[i].flies and not _open(cells, units[i].x, units[i].y):
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


@_inlined
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


@_inlined
def _within(a, b, reach):
    """Whether the centres of two units are at most `reach` apart."""
    dx, dy = b.x - a.x, b.y - a.y
    return dx * dx + dy * dy <= reach * reach


@_inlined
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


@_inlined
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
            if units[k].target < 0 and (k == j or _within(units[k], units[j], rules[0].help)):
                units[k].target = i


@_inlined
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
        if dx * dx + dy * dy > leash * leash and not _within(unit, units[unit.target], gap):
            unit.target = -1
            unit.wind_up = -1.0
    if unit.target < 0:
        unit.target = _nearest(units, kinds, i, 0, n_allies)
    return unit.target


@_inlined
def _attack(units, kinds, rules, i, target):
    """Wind up and hit while the target is in weapon range; return _FAR, _NEAR, or _HIT when damage was done."""
    unit, kind = units[i], kinds[i]
    if not _within(unit, units[target], kind.range + kind.radius + kinds[target].radius):
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


@_inlined
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
                        and _within(unit, units[j], kinds[i].blast + kinds[j].radius)
                    ):
                        _hurt(units, kinds, rules, i, j)
                again = True


@_inlined
def _heal(units, kinds, rules, i):
    """Heal the most hurt friend in range for one game loop, as far as the energy goes."""
    n_allies = rules[0].n_allies
    first, last = (0, n_allies) if i < n_allies else (n_allies, units.shape[0])
    best = -1
    least = 1.0
    for j in range(first, last):
        share = units[j].health / kinds[j].health
        reach = kinds[i].heal_range + kinds[i].radius + kinds[j].radius
        if j != i and kinds[j].heals_it and 0.0 < share < least and _within(units[i], units[j], reach):
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


@_inlined
def _shift(unit, flies, cells, dx, dy):
    """Move a unit by (dx, dy), or along the one axis on which terrain lets it."""
    x, y = _inside(unit.x + dx, cells.shape[0]), _inside(unit.y + dy, cells.shape[1])
    if flies or cells[int(x), int(y)]:
        unit.x, unit.y = x, y
    elif cells[int(x), int(unit.y)]:
        unit.x = x
    elif cells[int(unit.x), int(y)]:
        unit.y = y


@_inlined
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


@_inlined
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


@_inlined
def _recover(unit, kind):
    """Regenerate, cool down and gain energy for one game loop."""
    if unit.health < kind.health:
        unit.health = min(unit.health + kind.regeneration, kind.health)
    if unit.cooldown > 0.0:
        unit.cooldown -= 1.0
    if kind.heal > 0.0:
        unit.energy = min(unit.energy + kind.energy_regeneration, kind.energy_limit)


@_inlined
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


@_inlined
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
                if _within(units[i], units[j], reach):
                    return False
    return True


@_inlined
def _is_crowded(units, kinds, n):
    """Whether two of the first n slots' ground units can touch in this environment step."""
    for i in range(n):
        for j in range(i + 1, n):
            if units[i].health > 0.0 and units[j].health > 0.0 and not kinds[i].flies and not kinds[j].flies:
                walk = LOOPS_PER_STEP * (kinds[i].speed + kinds[j].speed)
                if _within(units[i], units[j], kinds[i].radius + kinds[j].radius + walk):
                    return True
    return False


@_inlined
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


@_inlined
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
def play(actions, units, battles, kinds, rules, cells, obs, state, avail, alive, rewards, terminated, truncated, won):
    """Play one environment step of every running battle and write what follows from it."""
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
        _observe(units[e], kinds, rules, cells, obs[e], state[e], avail[e], alive[e])


@njit(cache=True)
def observe_all(mask, units, kinds, rules, cells, obs, state, avail, alive):
    """Write the observations, states and masks of the battles where `mask` is true."""
    for e in range(mask.shape[0]):
        if mask[e]:
            _observe(units[e], kinds, rules, cells, obs[e], state[e], avail[e], alive[e])


@njit(cache=True)
def find_unavailable(actions: IntArray, avail: BoolArray, battles: Records) -> int:
    """Return e * N + i of the first action of a running battle that is not available, or -1."""
    for e in range(actions.shape[0]):
        if battles[e].running:
            for i in range(actions.shape[1]):
                action = actions[e, i]
                if action < 0 or action >= avail.shape[2] or not avail[e, i, action]:
                    return e * actions.shape[1] + i
    return -1


@_inlined
def _observe(units, kinds, rules, cells, obs, state, avail, alive):
    """Write one battle's observations `[N, O]`, state `[S]`, masks `[N, A]` and living agents `[N]` (`layout.py`)."""
    n_allies = rules[0].n_allies
    obs[:] = 0.0
    avail[:] = False
    for i in range(n_allies):
        unit = units[i]
        alive[i] = unit.health > 0.0
        if alive[i]:
            _find_available(units, i, rules, cells, avail[i])
            _observe_one(units, kinds, rules, i, avail[i], obs[i])
        else:
            avail[i, 0] = True
    _write_state(units, kinds, rules, cells, state)


@_inlined
def _find_available(units, i, rules, cells, avail):
    """SMAC's mask of a living agent: stop, moves onto open cells half a move away, attacks within shooting range."""
    n_allies = rules[0].n_allies
    unit = units[i]
    ahead = rules[0].move_amount / 2.0
    avail[1] = True
    avail[2] = _open(cells, unit.x, unit.y + ahead)
    avail[3] = _open(cells, unit.x, unit.y - ahead)
    avail[4] = _open(cells, unit.x + ahead, unit.y)
    avail[5] = _open(cells, unit.x - ahead, unit.y)
    for j in range(n_allies, units.shape[0]):
        avail[6 + j - n_allies] = units[j].health > 0.0 and _within(unit, units[j], rules[0].shoot)


@_inlined
def _observe_one(units, kinds, rules, i, avail, obs):
    """One living agent's observation: moves, enemies, other agents, itself."""
    n_allies, n_type_bits, sight = rules[0].n_allies, rules[0].n_type_bits, rules[0].sight
    health_width = 1 if rules[0].others_health else 0
    unit = units[i]
    for move in range(4):
        obs[move] = avail[2 + move]
    at = 4
    for pass_enemies in (True, False):
        first, last = (n_allies, units.shape[0]) if pass_enemies else (0, n_allies)
        for j in range(first, last):
            if j == i:
                continue
            other = units[j]
            dx, dy = other.x - unit.x, other.y - unit.y
            square = dx * dx + dy * dy
            if other.health > 0.0 and square < sight * sight:
                obs[at] = avail[6 + j - n_allies] if pass_enemies else 1.0
                obs[at + 1] = math.sqrt(square) / sight
                obs[at + 2] = dx / sight
                obs[at + 3] = dy / sight
                if health_width:
                    obs[at + 4] = other.health / kinds[j].health
                obs[at + 4 + health_width + kinds[j].type_bit] = 1.0
            at += 4 + health_width + n_type_bits
            if pass_enemies:
                at += rules[0].padding
    obs[at] = unit.health / kinds[i].health
    obs[at + 1 + kinds[i].type_bit] = 1.0


@_inlined
def _write_state(units, kinds, rules, cells, state: Float32Array):
    """The global state: agents with their cooldown, then enemies; zeros for the dead."""
    state[:] = 0.0
    width, height = cells.shape[0], cells.shape[1]
    at = 0
    for i in range(units.shape[0]):
        unit, kind = units[i], kinds[i]
        cooldown_width = 1 if i < rules[0].n_allies else 0
        if unit.health > 0.0:
            state[at] = unit.health / kind.health
            if cooldown_width:
                state[at + 1] = max(unit.cooldown, 0.0) / kind.full_cooldown
            state[at + 1 + cooldown_width] = (unit.x - width / 2.0) / width
            state[at + 2 + cooldown_width] = (unit.y - height / 2.0) / height
            state[at + 3 + cooldown_width + kind.type_bit] = 1.0
        at += 3 + cooldown_width + rules[0].n_type_bits
