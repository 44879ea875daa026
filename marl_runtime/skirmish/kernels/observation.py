"""What SMAC shows of a battle: observations, state, masks; `layout.py` names every column in the same order.

Axes: E battles, U units (agents first, then enemies), N agents, O observation, S state, A actions.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from marl_runtime.skirmish.kernels.geometry import inlined, is_open, within

__all__ = ["find_unavailable", "observe"]


@njit(cache=True, error_model="numpy")
def find_unavailable(actions, avail, battles):
    """Return e * N + i of the first action of a running battle that is not available, or -1."""
    for e in range(actions.shape[0]):
        if battles[e].running:
            for i in range(actions.shape[1]):
                action = actions[e, i]
                if action < 0 or action >= avail.shape[2] or not avail[e, i, action]:
                    return e * actions.shape[1] + i
    return -1


@njit(cache=True, error_model="numpy")
def observe(mask, units, kinds, rules, cells, obs, state, avail, alive):
    """Write `obs` `[E, N, O]`, `state` `[E, S]`, `avail` `[E, N, A]`, `alive` `[E, N]` where `mask` `[E]` is true."""
    shown = np.empty((4, units.shape[1]))
    bits = np.empty(units.shape[1], dtype=np.int64)
    for e in range(mask.shape[0]):
        if not mask[e]:
            continue
        _gather(units, kinds, shown, bits, e)
        for i in range(alive.shape[1]):
            alive[e, i] = units[e, i].health > 0.0
            if alive[e, i]:
                for column in range(obs.shape[2]):
                    obs[e, i, column] = 0.0
                _write_moves(units[e, i], rules[0].move_amount / 2.0, cells, avail, obs, e, i)
                heals = kinds[units[e, i].kind].heal > 0.0
                if heals:
                    _write_patients(units, kinds, rules[0], avail, e, i)
                _write_sight(shown, bits, rules[0], heals, avail, obs, e, i)
            else:
                for action in range(avail.shape[2]):
                    avail[e, i, action] = action == 0
                for column in range(obs.shape[2]):
                    obs[e, i, column] = 0.0
        _write_state(units, kinds, rules[0], cells, shown, state, e)


@inlined
def _gather(units, kinds, shown, bits, e):
    """Collect what others may see of each unit of battle e: x, y, shares of health and shield `[4, U]`, type `[U]`."""
    for i in range(units.shape[1]):
        unit, kind = units[e, i], kinds[units[e, i].kind]
        shown[0, i], shown[1, i] = unit.x, unit.y
        shown[2, i] = unit.health / kind.health
        shown[3, i] = unit.shield / kind.shield if kind.shield > 0.0 else 0.0
        bits[i] = kind.type_bit


@inlined
def _write_moves(unit, ahead, cells, avail, obs, e, i):
    """Stop, and moves onto open cells half a move ahead: the first columns of mask and observation."""
    avail[e, i, 0] = False
    avail[e, i, 1] = True
    avail[e, i, 2] = is_open(cells, unit.x, unit.y + ahead)
    avail[e, i, 3] = is_open(cells, unit.x, unit.y - ahead)
    avail[e, i, 4] = is_open(cells, unit.x + ahead, unit.y)
    avail[e, i, 5] = is_open(cells, unit.x - ahead, unit.y)
    for move in range(4):
        obs[e, i, move] = avail[e, i, 2 + move]


@inlined
def _write_patients(units, kinds, rules, avail, e, i):
    """A Medivac's attacks are heals: of each living agent in shooting range that is no Medivac."""
    for action in range(6, avail.shape[2]):
        j = action - 6
        avail[e, i, action] = (
            j < rules.n_allies
            and units[e, j].health > 0.0
            and kinds[units[e, j].kind].heal == 0.0
            and within(units[e, i], units[e, j], rules.shoot)
        )


@inlined
def _write_sight(shown, bits, rules, heals, avail, obs, e, i):
    """Enemies and the attacks on them, then the other agents, then oneself; what is not written is 0 already.

    An enemy's first column is the availability of its action, as in SMAC, also where that action `heals`.
    """
    n_allies, n_units, n_type_bits = rules.n_allies, bits.shape[0], rules.n_type_bits
    sight, shoot = rules.sight, rules.shoot
    health_width = 1 if rules.others_health else 0
    unit_x, unit_y = shown[0, i], shown[1, i]
    at = 4
    for k in range(n_units):
        # enemies come first, though agents have the lower slots
        j = k + n_allies if k < n_units - n_allies else k - (n_units - n_allies)
        if j == i:
            continue
        shield_width = health_width if (rules.enemy_shields if j >= n_allies else rules.ally_shields) else 0
        dx, dy = shown[0, j] - unit_x, shown[1, j] - unit_y
        square = dx * dx + dy * dy
        lives = shown[2, j] > 0.0
        if j >= n_allies and not heals:
            avail[e, i, 6 + j - n_allies] = lives and square <= shoot * shoot
        if lives and square < sight * sight:
            obs[e, i, at] = avail[e, i, 6 + j - n_allies] if j >= n_allies else True
            obs[e, i, at + 1] = math.sqrt(square) / sight
            obs[e, i, at + 2] = dx / sight
            obs[e, i, at + 3] = dy / sight
            if health_width:
                obs[e, i, at + 4] = shown[2, j]
            if shield_width:
                obs[e, i, at + 5] = shown[3, j]
            if bits[j] >= 0:
                obs[e, i, at + 4 + health_width + shield_width + bits[j]] = 1.0
        at += 4 + health_width + shield_width + n_type_bits + (rules.padding if j >= n_allies else 0)
    if not heals:
        for action in range(6 + n_units - n_allies, avail.shape[2]):
            avail[e, i, action] = False
    obs[e, i, at] = shown[2, i]
    at += 1
    if rules.ally_shields:
        obs[e, i, at] = shown[3, i]
        at += 1
    if bits[i] >= 0:
        obs[e, i, at + bits[i]] = 1.0


@inlined
def _write_state(units, kinds, rules, cells, shown, state, e):
    """The global state: agents with their cooldown (a Medivac's energy), then enemies; zeros for the dead."""
    n_type_bits, width, height = rules.n_type_bits, cells.shape[0], cells.shape[1]
    at = 0
    for column in range(state.shape[1]):
        state[e, column] = 0.0
    for i in range(units.shape[1]):
        unit, kind = units[e, i], kinds[units[e, i].kind]
        cooldown_width = 1 if i < rules.n_allies else 0
        shield_width = rules.ally_shields if i < rules.n_allies else rules.enemy_shields
        if unit.health > 0.0:
            state[e, at] = shown[2, i]
            if cooldown_width:
                waits = unit.energy if kind.heal > 0.0 else max(unit.cooldown, 0.0)
                state[e, at + 1] = waits / kind.full_cooldown
            state[e, at + 1 + cooldown_width] = (unit.x - width / 2.0) / width
            state[e, at + 2 + cooldown_width] = (unit.y - height / 2.0) / height
            if shield_width:
                state[e, at + 3 + cooldown_width] = shown[3, i]
            if kind.type_bit >= 0:
                state[e, at + 3 + cooldown_width + shield_width + kind.type_bit] = 1.0
        at += 3 + cooldown_width + shield_width + n_type_bits
