"""Walking, bodies, and ways around terrain.

Axes: U units, C cells of the map, numbered x * height + y.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from marl_runtime.skirmish.kernels.geometry import inlined, inside, is_open, outlined

__all__ = ["find_routes", "separate", "sweep", "walk", "way_around"]


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
def walk(unit, kind, cells, x, y):
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
def _push(a, b, kind_a, kind_b, cells):
    """Push two overlapping bodies apart; one that walked yields to one that stands."""
    dx, dy = b.x - a.x, b.y - a.y
    room = kind_a.radius + kind_b.radius
    square = dx * dx + dy * dy
    if square >= room * room:
        return
    distance = math.sqrt(square)
    if distance < 1e-6:
        dx, dy, distance = 1.0, 0.0, 1.0
        push = room
    else:
        push = room - distance
    share = 0.5 + 0.5 * (a.moved - b.moved)
    dx, dy = dx * push / distance, dy * push / distance
    _shift(a, False, cells, -dx * share, -dy * share)
    _shift(b, False, cells, dx * (1.0 - share), dy * (1.0 - share))


@inlined
def separate(units, kinds, cells, n):
    """Push overlapping bodies of the first n slots apart, pair by pair in slot order."""
    for i in range(n):
        kind = kinds[units[i].kind]
        if units[i].health <= 0.0 or kind.bodies == 0:
            continue
        for j in range(i + 1, n):
            if (
                units[j].health > 0.0
                and kinds[units[j].kind].bodies == kind.bodies
                and units[i].moved + units[j].moved > 0
            ):
                _push(units[i], units[j], kind, kinds[units[j].kind], cells)


@inlined
def _sort_by_x(units, order):
    """Sort `order` `[U]`, unit slots, by x: by insertion, since from loop to loop little changes."""
    for k in range(1, order.shape[0]):
        slot = order[k]
        x = units[slot].x
        at = k
        while at > 0 and units[order[at - 1]].x > x:
            order[at] = order[at - 1]
            at -= 1
        order[at] = slot


@outlined
def sweep(units, kinds, cells, order, widest, slots, places):
    """Push overlapping bodies apart in order of x: only pairs that are near in x are looked at.

    Bodies that both stand yield too, so that a crowd comes apart.
    `order` `[U]` is the order of the game loop before, `widest` the largest radius; `slots` `[U]` and `places` `[2, U]`
    are room to work in.
    """
    _sort_by_x(units, order)
    n = 0
    for i in order:
        if units[i].health > 0.0 and kinds[units[i].kind].bodies > 0:
            slots[n], places[0, n], places[1, n] = i, units[i].x, units[i].y
            n += 1
    for k in range(n):
        i = slots[k]
        kind = kinds[units[i].kind]
        reach = kind.radius + widest
        for at in range(k + 1, n):
            if places[0, at] - places[0, k] >= reach:
                break
            if abs(places[1, at] - places[1, k]) >= reach:
                continue
            j = slots[at]
            if kinds[units[j].kind].bodies == kind.bodies:
                _push(units[i], units[j], kind, kinds[units[j].kind], cells)
                places[0, k], places[1, k] = units[i].x, units[i].y
                places[0, at], places[1, at] = units[j].x, units[j].y


@outlined
def _sees(cells, x, y, goal_x, goal_y):
    """Whether the straight way is open, looked at every half map unit."""
    dx, dy = goal_x - x, goal_y - y
    parts = int(2.0 * max(abs(dx), abs(dy))) + 1
    sees = True
    for part in range(1, parts):
        sees = sees and is_open(cells, x + dx * part / parts, y + dy * part / parts)
    return sees


@outlined
def way_around(unit, cells, routes, x, y):
    """Return where a ground unit that wants to (x, y) has to go first: there, or where the way is blocked, around."""
    if not _sees(cells, unit.x, unit.y, x, y):
        height = cells.shape[1]
        goal = int(inside(x, cells.shape[0])) * height + int(inside(y, height))
        step = routes[goal, int(unit.x) * height + int(unit.y)]
        if step >= 0:
            return step // height + 0.5, step % height + 0.5
    return x, y


@njit(cache=True)
def find_routes(cells):
    """Return `[C, C]`: from the second cell, the next one on a shortest way to the first; -1 where there is none.

    One breadth-first search over the four neighbours per goal; then the diagonal is taken where both cells beside it
    are open.
    """
    width, height = cells.shape
    routes = np.full((width * height, width * height), -1, dtype=np.int32)
    steps = np.empty(width * height, dtype=np.int32)
    queue = np.empty(width * height, dtype=np.int32)
    for goal in range(width * height):
        if not cells[goal // height, goal % height]:
            continue
        steps[:] = -1
        steps[goal] = 0
        queue[0] = goal
        first, last = 0, 1
        while first < last:
            cell = queue[first]
            first += 1
            x, y = cell // height, cell % height
            for nx, ny in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if is_open(cells, nx, ny) and steps[nx * height + ny] < 0:
                    steps[nx * height + ny] = steps[cell] + 1
                    queue[last] = nx * height + ny
                    last += 1
        for at in range(1, last):
            x, y = queue[at] // height, queue[at] % height
            fewest = steps[queue[at]]
            for dx in range(-1, 2):
                for dy in range(-1, 2):
                    if (
                        is_open(cells, x + dx, y + dy)
                        and is_open(cells, x + dx, y)
                        and is_open(cells, x, y + dy)
                        and steps[(x + dx) * height + y + dy] < fewest
                    ):
                        fewest = steps[(x + dx) * height + y + dy]
                        routes[goal, queue[at]] = (x + dx) * height + y + dy
    return routes
