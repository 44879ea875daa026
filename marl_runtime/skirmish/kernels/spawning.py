"""How battles begin.

Axes: E battles, U units (agents first, then enemies), K kinds, G spawn groups.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from marl_runtime.skirmish.kernels.geometry import inside, is_open
from marl_runtime.skirmish.records import IDLE, REFLECT, SURROUND

__all__ = ["start"]

_TRIES = 1000  # of a place on open ground; of these, the first half also keeps bodies apart
_EDGE = 1.0  # randomly placed units stay this far from the map's edges
_GROUPS = 4  # at most, of surrounding enemies
_OUTSIDE = 0.35  # the nearest a surrounding group comes to the centre, as a share of the way to the corner
_APART = 1.5  # spacing of units that stand in a block


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
    for _ in range(_TRIES):
        x = regions[region, 0] + (regions[region, 2] - regions[region, 0]) * _uniform(battle)
        y = regions[region, 1] + (regions[region, 3] - regions[region, 1]) * _uniform(battle)
        fits = True
        for m in range(members.shape[0]):
            i = members[m]
            if i < 0:
                break
            units[i].x = inside(x + offsets[m, 0], cells.shape[0])
            units[i].y = inside(y + offsets[m, 1], cells.shape[1])
            if not kinds[units[i].kind].flies and not is_open(cells, units[i].x, units[i].y):
                fits = False
        if fits:
            return


@njit(cache=True)
def _draw_kind(battle, kinds):
    """Draw a kind by its weight."""
    left = _uniform(battle)
    for k in range(kinds.shape[0] - 1):
        left -= kinds[k].weight
        if left < 0.0:
            return k
    return kinds.shape[0] - 1


@njit(cache=True)
def _draw_teams(battle, units, kinds, n_allies):
    """Draw the agents' kinds until not all are of `never_alone`; enemies mirror them, further ones are drawn anew."""
    alone = True
    while alone:
        for i in range(n_allies):
            units[i].kind = _draw_kind(battle, kinds)
            alone = alone and kinds[units[i].kind].never_alone > 0
    for i in range(n_allies, units.shape[0]):
        units[i].kind = units[i - n_allies].kind if i < 2 * n_allies else _draw_kind(battle, kinds)


@njit(cache=True)
def _is_free(units, kinds, cells, i, count, with_bodies):
    """Whether unit i stands on open ground, and clear of the bodies of slots 0 to `count`."""
    kind = kinds[units[i].kind]
    if kind.bodies == 0:
        return True
    if not is_open(cells, units[i].x, units[i].y):
        return False
    if with_bodies:
        for j in range(count):
            other = kinds[units[j].kind]
            room = kind.radius + other.radius
            dx, dy = units[j].x - units[i].x, units[j].y - units[i].y
            if j != i and other.bodies == kind.bodies and dx * dx + dy * dy < room * room:
                return False
    return True


@njit(cache=True)
def _reflect(battle, units, kinds, cells, n_allies):
    """Agents each anywhere in the western half; enemies at their mirror images, further ones anywhere in the east."""
    width, height = cells.shape
    n_units = units.shape[0]
    for i in range(max(n_allies, n_units - n_allies)):
        own = i if i < n_allies else n_allies + i
        mirror = n_allies + i
        for attempt in range(_TRIES):
            x = _EDGE + (width / 2.0 - 2.0 * _EDGE) * _uniform(battle)
            y = _EDGE + (height - 2.0 * _EDGE) * _uniform(battle)
            if i < n_allies:
                units[own].x, units[own].y = x, y
            if mirror < n_units:
                units[mirror].x, units[mirror].y = width - x, y
            apart = attempt < _TRIES // 2
            fits = i >= n_allies or _is_free(units, kinds, cells, own, i, apart)
            if fits and mirror < n_units:
                # enemies before it have been placed; agents stand in the other half
                fits = _is_free(units, kinds, cells, mirror, 0, False)
                if fits and apart:
                    for j in range(n_allies, mirror):
                        room = kinds[units[j].kind].radius + kinds[units[mirror].kind].radius
                        dx, dy = units[j].x - units[mirror].x, units[j].y - units[mirror].y
                        fits = fits and dx * dx + dy * dy >= room * room
            if fits:
                break


@njit(cache=True)
def _stand_block(units, kinds, cells, slots, count, x, y):
    """Put `count` units in a square block around a point, those that would stand on closed ground at the point."""
    side = int(np.ceil(np.sqrt(count)))
    for k in range(count):
        i = slots[k]
        units[i].x = inside(x + (k % side - (side - 1) / 2.0) * _APART, cells.shape[0])
        units[i].y = inside(y + (k // side - (side - 1) / 2.0) * _APART, cells.shape[1])
        if not kinds[units[i].kind].flies and not is_open(cells, units[i].x, units[i].y):
            units[i].x, units[i].y = inside(x, cells.shape[0]), inside(y, cells.shape[1])


@njit(cache=True)
def _surround(battle, units, kinds, cells, n_allies):
    """Agents in a block at the centre; enemies in one to four groups on different diagonals around them."""
    n_units = units.shape[0]
    centre_x, centre_y = cells.shape[0] / 2.0, cells.shape[1] / 2.0
    slots = np.arange(n_units)
    _stand_block(units, kinds, cells, slots[:n_allies], n_allies, centre_x, centre_y)
    n_groups = 1 + int(_uniform(battle) * _GROUPS)
    corners = np.arange(4)
    for g in range(3):
        swap = g + int(_uniform(battle) * (4 - g))
        corners[g], corners[swap] = corners[swap], corners[g]
    group = np.empty(n_units, dtype=np.int64)
    for i in range(n_allies, n_units):
        group[i] = int(_uniform(battle) * n_groups)
    for g in range(n_groups):
        share = _OUTSIDE + (1.0 - _OUTSIDE) * _uniform(battle)
        count = 0
        for i in range(n_allies, n_units):
            if group[i] == g:
                slots[count] = i
                count += 1
        # the block's half-width keeps it on the map
        half = _EDGE + _APART * np.ceil(np.sqrt(count)) / 2.0
        way_x, way_y = (centre_x - half) * share, (centre_y - half) * share
        x = centre_x + (way_x if corners[g] % 2 else -way_x)
        y = centre_y + (way_y if corners[g] // 2 else -way_y)
        _stand_block(units, kinds, cells, slots, count, x, y)


@njit(cache=True)
def _sort_agents(units, n_allies):
    """Sort the agents by x, then y, inside a type."""
    for i in range(1, n_allies):
        j = i
        while (
            j > 0
            and units[j - 1].kind == units[i].kind
            and (units[j].x < units[j - 1].x or (units[j].x == units[j - 1].x and units[j].y < units[j - 1].y))
        ):
            x, y = units[j].x, units[j].y
            units[j].x, units[j].y = units[j - 1].x, units[j - 1].y
            units[j - 1].x, units[j - 1].y = x, y
            j -= 1


@njit(cache=True)
def _begin(unit, kind):
    """Give a unit that has its kind and place all else that it begins with."""
    unit.health = kind.health
    unit.energy = kind.energy
    unit.cooldown = 0.0
    unit.wind_up = -1.0
    unit.home_x, unit.home_y = unit.x, unit.y
    unit.goal_x, unit.goal_y = unit.x, unit.y
    unit.order = IDLE
    unit.target = -1
    unit.moved = 0
    unit.dead = 0
    unit.shield = kind.shield
    unit.shield_wait = 0.0
    unit.flight = 0.0
    unit.flight_target = -1


@njit(cache=True)
def start(mask, seeds, units, battles, kinds, rules, cells, order, team, members, offsets, regions, n_regions):
    """Begin new battles where `mask` is true, each from its seed; agents of fixed teams are sorted inside a type."""
    n_allies, n_units = rules[0].n_allies, units.shape[1]
    for e in range(mask.shape[0]):
        if not mask[e]:
            continue
        battle = battles[e]
        battle.random = np.uint64(seeds[e])
        battle.steps = 0
        battle.running = 1
        for i in range(n_units):
            units[e, i].kind = team[i]
            order[e, i] = i
        if rules[0].random_team:
            _draw_teams(battle, units[e], kinds, n_allies)
        way = rules[0].random_start
        if way == SURROUND + REFLECT:
            way = SURROUND if _uniform(battle) < 0.5 else REFLECT
        if way == SURROUND:
            _surround(battle, units[e], kinds, cells, n_allies)
        elif way == REFLECT:
            _reflect(battle, units[e], kinds, cells, n_allies)
        else:
            for g in range(members.shape[0]):
                _place(battle, units[e], kinds, cells, members[g], offsets[g], regions[g], n_regions[g])
        if not rules[0].random_team:
            _sort_agents(units[e], n_allies)
        most = rules[0].reward_kill * (n_units - n_allies) + rules[0].reward_win
        for i in range(n_units):
            _begin(units[e, i], kinds[units[e, i].kind])
            if i >= n_allies:
                most += units[e, i].health + units[e, i].shield
        # SMAC scales the most that a battle can pay to 20
        battle.reward_divisor = most / 20.0
