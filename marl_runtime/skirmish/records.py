"""The simulator's memory: one record per unit, battle, kind of unit and map, shared by Python and the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ARC",
    "BATTLE",
    "IDLE",
    "KIND",
    "LINE",
    "MEND",
    "REFLECT",
    "RULES",
    "STRIKE",
    "SURROUND",
    "UNIT",
    "WALK",
    "Records",
]

Records = NDArray[np.void]
_Spec = list[tuple[str, Any]]

# Orders of a unit.
IDLE, WALK, STRIKE, MEND = 0, 1, 2, 3
# Shapes of splash.
ARC, LINE = 1, 2
# Random starts, bits.
SURROUND, REFLECT = 1, 2

_UNIT: _Spec = [
    ("x", np.float64),
    ("y", np.float64),
    ("health", np.float64),  # 0 for the dead
    ("energy", np.float64),
    ("cooldown", np.float64),  # game loops until the next attack may begin
    ("wind_up", np.float64),  # game loops until the attack that has begun does its damage; below 0 when none has
    ("goal_x", np.float64),
    ("goal_y", np.float64),
    ("home_x", np.float64),  # where it spawned
    ("home_y", np.float64),
    ("order", np.int64),
    ("target", np.int64),  # unit slot, -1 for none
    ("moved", np.int64),  # 1 when it walked in this game loop
    ("dead", np.int64),  # 1 once its death was dealt with
    ("kind", np.int64),  # index in the table of kinds
    ("shield", np.float64),
    ("shield_wait", np.float64),  # game loops until the shield comes back
    ("flight", np.float64),  # game loops until its missile lands; 0 when none flies
    ("flight_target", np.int64),
]
UNIT = np.dtype(_UNIT, align=True)

# What a kind of unit can do, one record per unit name; per game loop where that has a meaning.
_KIND: _Spec = [
    ("health", np.float64),
    ("armour", np.float64),
    ("radius", np.float64),
    ("speed", np.float64),
    ("regeneration", np.float64),
    ("damage", np.float64),
    ("hits", np.float64),
    ("bonus", np.float64),
    ("bonus_against", np.int64),  # bit of the attribute
    ("attributes", np.int64),  # bits
    ("period", np.float64),
    ("damage_point", np.float64),
    ("range", np.float64),
    ("scan", np.float64),
    ("blast", np.float64),
    ("heal", np.float64),
    ("heal_range", np.float64),
    ("heal_cost", np.float64),
    ("energy", np.float64),
    ("energy_limit", np.float64),
    ("energy_regeneration", np.float64),
    ("full_cooldown", np.float64),  # SMAC's divisor of the cooldown in the state
    ("flies", np.int64),
    ("heals_it", np.int64),  # 1 when a healer can heal it
    ("type_bit", np.int64),  # -1 for none
    ("plane", np.int64),  # 1 ground, 2 air
    ("targets", np.int64),  # the planes that its weapon reaches; 0 without a weapon
    ("bodies", np.int64),  # units with the same number collide; 0 for those that never do
    ("shield", np.float64),
    ("shield_regeneration", np.float64),
    ("shield_delay", np.float64),
    ("sight", np.float64),
    ("missile_speed", np.float64),
    ("splash", np.int64),
    ("splash_reach", np.float64),
    ("splash_width", np.float64),
    ("splash_share", np.float64),
    ("weight", np.float64),  # share in a random team
    ("never_alone", np.int64),  # 1 when a random team has to have others too
]
KIND = np.dtype(_KIND, align=True)

_BATTLE: _Spec = [
    ("random", np.uint64),  # the battle's own stream (splitmix64)
    ("steps", np.int64),
    ("running", np.int64),
    ("reward_divisor", np.float64),
]
BATTLE = np.dtype(_BATTLE, align=True)

_RULES: _Spec = [
    ("n_allies", np.int64),
    ("n_type_bits", np.int64),
    ("limit", np.int64),
    ("others_health", np.int64),
    ("padding", np.int64),  # zero columns that end each enemy's block of an observation
    ("medivac_slot", np.int64),  # the enemy that alone is a win; -1 for none
    ("stock_reward", np.int64),
    ("shortcut", np.int64),  # 0 plays every game loop in full, even where nothing can meet; for tests
    ("ally_shields", np.int64),  # 1 where the agents' shields have columns
    ("enemy_shields", np.int64),
    ("marches", np.int64),  # 1 where enemies attack-move, agents acquire nothing by themselves, and missiles fly
    ("ordered", np.int64),  # 1 where enemies attack-move to (march_x, march_y)
    ("march_x", np.float64),
    ("march_y", np.float64),
    ("random_team", np.int64),
    ("random_start", np.int64),
    ("sight", np.float64),
    ("shoot", np.float64),
    ("move_amount", np.float64),
    ("leash", np.float64),
    ("help", np.float64),
    ("reward_kill", np.float64),
    ("reward_win", np.float64),
]
RULES = np.dtype(_RULES, align=True)
