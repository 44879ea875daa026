"""The unit tables: statistics of both profiles, times in data-seconds of 16 game loops.

Source of `liberty`: the base game data (`liberty.sc2mod`: unit, weapon, effect and ability data, 5.0.14 dump), on
which every SMAC map that was read depends; of `ladder-4.10`: the multiplayer values of BurnySc2/sc2-techtree, November
2019. Neither was checked in a running game. Shield and cooldown divisors are SMAC's. Not in these data, and ours: the
speed of missiles, the width of the Colossus's line, a scan of half a map unit beyond a weapon that reaches over 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from buffers.errors import UnknownNameError
from marl_runtime.skirmish.unit_type import LOOPS_PER_SECOND, UnitType

__all__ = ["LOOPS_PER_SECOND", "PROFILES", "UnitType", "find_units"]

_ZERG_REGENERATION = 0.2734
_MISSILE = 18.75  # map units a data-second

_LIBERTY = (
    UnitType(
        "baneling",
        health=30,
        radius=0.375,
        speed=2.5,
        attributes=("biological",),
        regeneration=_ZERG_REGENERATION,
        damage=20,
        bonus=15,
        range=0.25,
        damage_point=0,
        blast=2.2,
        reward_cooldown=1,
        sight=8,
    ),
    UnitType(
        # the maps' copy of the Overlord, not the Overseer of the game
        "overseer",
        health=200,
        radius=1.0,
        speed=0.4687,
        attributes=("armoured", "biological", "air"),
        regeneration=_ZERG_REGENERATION,
        sight=4,
    ),
    UnitType(
        "roach",
        health=145,
        radius=0.5,
        speed=2.25,
        attributes=("armoured", "biological"),
        armour=1,
        regeneration=_ZERG_REGENERATION,
        damage=16,
        period=2.0,
        range=3,
        scan=5,
        sight=9,
        missile_speed=_MISSILE,
    ),
    UnitType(
        "reaper",
        health=50,
        radius=0.375,
        speed=2.9531,
        attributes=("light", "biological"),
        damage=4,
        hits=2,
        bonus=5,
        period=1.1,
        range=4.5,
        scan=5,
        sight=9,
    ),
    UnitType(
        "hydralisk",
        health=80,
        radius=0.625,
        speed=2.25,
        attributes=("light", "biological"),
        regeneration=_ZERG_REGENERATION,
        damage=12,
        period=0.83,
        damage_point=0.208,
        range=5,
        scan=5,
        reward_cooldown=10,
        hits_air=True,
        sight=9,
        missile_speed=_MISSILE,
    ),
    UnitType(
        "medivac",
        health=150,
        radius=0.75,
        speed=2.75,
        attributes=("armoured", "mechanical", "air"),
        armour=1,
        heal=9,
        heal_range=4,
        heal_cost=0.33,
        energy=50,
        energy_limit=200,
        energy_regeneration=0.5625,
        sight=11,
        reward_cooldown=200,
    ),
    UnitType(
        "zealot",
        health=100,
        shield=50,
        radius=0.5,
        speed=2.25,
        attributes=("light", "biological"),
        armour=1,
        damage=8,
        hits=2,
        period=1.2,
        range=0.1,
        scan=5,
        sight=9,
        reward_cooldown=22,
    ),
    UnitType(
        "stalker",
        health=80,
        shield=80,
        radius=0.625,
        speed=2.9531,
        attributes=("armoured", "mechanical"),
        armour=1,
        damage=10,
        bonus=4,
        bonus_against="armoured",
        hits_air=True,
        period=1.44,
        range=6,
        scan=6.5,
        sight=10,
        missile_speed=_MISSILE,
        reward_cooldown=35,
    ),
    UnitType(
        "colossus",
        health=200,
        shield=150,
        radius=1.0,
        speed=2.25,
        attributes=("armoured", "mechanical"),
        armour=1,
        damage=20,
        period=2.2,
        range=6,
        scan=6.5,
        sight=10,
        splash="line",
        splash_reach=1.4,
        splash_width=0.15,
        strides=True,
        reward_cooldown=24,
    ),
    UnitType(
        "ultralisk",
        health=600,
        radius=1.0,
        speed=2.25,
        attributes=("armoured", "biological"),
        armour=1,
        regeneration=_ZERG_REGENERATION,
        damage=18,
        period=0.861,
        damage_point=0.333,
        range=1,
        scan=5,
        sight=9,
        splash="arc",
        splash_reach=2.0,
    ),
    UnitType(
        "zergling",
        health=35,
        radius=0.375,
        speed=2.9531,
        attributes=("light", "biological"),
        regeneration=_ZERG_REGENERATION,
        damage=5,
        period=0.696,
        range=0.1,
        scan=5,
        sight=8,
        reward_cooldown=11,
    ),
    UnitType(
        "marine",
        health=45,
        radius=0.375,
        speed=2.25,
        attributes=("light", "biological"),
        damage=6,
        hits_air=True,
        period=0.8608,
        damage_point=0.05,
        range=5,
        scan=5,
        sight=9,
    ),
    UnitType(
        "marauder",
        health=125,
        radius=0.5625,
        speed=2.25,
        attributes=("armoured", "biological"),
        armour=1,
        damage=10,
        bonus=10,
        bonus_against="armoured",
        period=1.5,
        range=6,
        scan=6.5,
        sight=10,
        missile_speed=_MISSILE,
        reward_cooldown=25,
    ),
)

# What differs on the ladder.
_LADDER: Mapping[str, Mapping[str, Any]] = {
    "baneling": {"damage": 16, "bonus": 19},
    "roach": {"range": 4},
    "reaper": {"health": 60, "bonus": 0, "range": 5, "speed": 3.75},
    "hydralisk": {"health": 90, "period": 0.825},
    "medivac": {"speed": 2.5},
    "ultralisk": {"health": 500, "armour": 2, "damage": 35, "splash_share": 0.33, "speed": 2.953},
    "stalker": {"damage": 13, "bonus": 5, "period": 1.87},
    "colossus": {"damage": 10, "hits": 2, "bonus": 5, "period": 1.5, "range": 7, "scan": 7.5},
}

PROFILES: Mapping[str, Mapping[str, UnitType]] = {
    "liberty": {unit.name: unit for unit in _LIBERTY},
    "ladder-4.10": {unit.name: replace(unit, **_LADDER.get(unit.name, {})) for unit in _LIBERTY},
}


def find_units(
    profile: str, names: tuple[str, ...], overrides: Mapping[str, Mapping[str, Any]]
) -> tuple[UnitType, ...]:
    """Return one unit type per name, from `profile`, with the map's overrides; unknown names raise UnknownNameError."""
    if profile not in PROFILES:
        raise UnknownNameError("unit profile", profile, PROFILES)
    table = dict(PROFILES[profile])
    known = [f.name for f in fields(UnitType)]
    for name, values in overrides.items():
        if name not in table:
            raise UnknownNameError("unit", name, table)
        for quantity in values:
            if quantity not in known:
                raise UnknownNameError("unit statistic", quantity, known)
        table[name] = replace(table[name], **values)
    for name in names:
        if name not in table:
            raise UnknownNameError("unit", name, table)
    return tuple(table[name] for name in names)
