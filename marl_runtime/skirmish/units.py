"""Unit statistics, one table for all maps; times are data-seconds of 16 game loops.

Source of `liberty`: the base game data (`liberty.sc2mod`: unit, weapon, effect and ability data, 5.0.14 dump), on
which every SMAC-Comm map depends; of `ladder-4.10`: the multiplayer values of BurnySc2/sc2-techtree, November 2019.
Neither was checked in a running game. Maps override single values (`maps/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from buffers.errors import UnknownNameError

__all__ = ["LOOPS_PER_SECOND", "PROFILES", "UnitType", "find_units"]

LOOPS_PER_SECOND = 16
_ATTRIBUTES = ("light", "armoured", "biological", "mechanical", "air")


@dataclass(frozen=True)
class UnitType:
    """What a kind of unit can do. Ranges go from edge to edge (both radii are added), speeds are per data-second.

    `damage` is per hit, `bonus` is added against units with the attribute `bonus_against`, armour is taken off each
    hit. `scan` is how far an idle unit acquires a target by itself; 0 for one that only does as it is told. `blast` is
    the radius of the damage that a unit does by dying, to all enemies on the ground: its attack is to die.
    `damage_point` is the wind-up: from the start of an attack to its damage, and of healing to its effect.
    """

    name: str
    health: float
    radius: float
    speed: float
    attributes: tuple[str, ...]
    armour: float = 0.0
    regeneration: float = 0.0
    damage: float = 0.0
    hits: int = 1
    bonus: float = 0.0
    bonus_against: str = "light"
    period: float = 0.8332
    damage_point: float = 0.167
    range: float = 0.0
    scan: float = 0.0
    blast: float = 0.0
    heal: float = 0.0
    heal_range: float = 0.0
    heal_cost: float = 0.0
    energy: float = 0.0
    energy_limit: float = 0.0
    energy_regeneration: float = 0.0
    reward_cooldown: int = 15

    def __post_init__(self) -> None:
        unknown = [name for name in self.attributes if name not in _ATTRIBUTES]
        if unknown:
            raise UnknownNameError("unit attribute", unknown[0], _ATTRIBUTES)
        if self.health <= 0 or self.radius <= 0:
            raise ValueError(f"unit {self.name!r}: health {self.health} and radius {self.radius} have to be above 0")

    @property
    def flies(self) -> bool:
        """Whether terrain, ground weapons and other units' bodies leave it alone."""
        return "air" in self.attributes


_ZERG_REGENERATION = 0.2734

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
    ),
    UnitType(
        # the maps' copy of the Overlord, not the Overseer of the game
        "overseer",
        health=200,
        radius=1.0,
        speed=0.4687,
        attributes=("armoured", "biological", "air"),
        regeneration=_ZERG_REGENERATION,
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
    ),
)

# What differs on the ladder.
_LADDER: Mapping[str, Mapping[str, Any]] = {
    "baneling": {"damage": 16, "bonus": 19},
    "roach": {"range": 4},
    "reaper": {"health": 60, "bonus": 0, "range": 5, "speed": 3.75},
    "hydralisk": {"health": 90, "period": 0.825},
    "medivac": {"speed": 2.5},
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
