"""What a kind of unit is made of; the tables are in `units.py`."""

from __future__ import annotations

from dataclasses import dataclass

from buffers.errors import UnknownNameError

__all__ = ["LOOPS_PER_SECOND", "UnitType"]

LOOPS_PER_SECOND = 16
_ATTRIBUTES = ("light", "armoured", "biological", "mechanical", "air")
_SPLASHES = ("", "arc", "line")


@dataclass(frozen=True)
class UnitType:
    """What a kind of unit can do. Ranges go from edge to edge (both radii are added), speeds are per data-second.

    `damage` is per hit, `bonus` is added against units with the attribute `bonus_against`, armour is taken off each
    hit. Shields take damage first, without armour, and come back after `shield_delay` without damage. `scan` is how far
    an idle unit acquires a target by itself; 0 for one that only does as it is told. `sight` is where a marching enemy
    loses its target. `damage_point` is the wind-up: from the start of an attack to its damage, or to the launch of a
    missile where `missile_speed` is above 0; and of healing to its effect.

    `blast` is the radius of the damage that a unit does by dying, to all enemies on the ground: its attack is to die.
    `splash` says whom else an attack hurts, with `splash_share` of the damage: "arc", opponents in front of the
    attacker whose edge is within `splash_reach` of the target's centre; "line", those whose body touches the line of
    half-length `splash_reach` and half-width `splash_width` through the target, across the line of fire. A unit that
    `strides` does not collide with ground units that do not.
    """

    name: str
    health: float
    radius: float
    speed: float
    attributes: tuple[str, ...]
    shield: float = 0.0
    shield_regeneration: float = 2.0
    shield_delay: float = 10.0
    armour: float = 0.0
    regeneration: float = 0.0
    damage: float = 0.0
    hits: int = 1
    bonus: float = 0.0
    bonus_against: str = "light"
    hits_ground: bool = True
    hits_air: bool = False
    period: float = 0.8332
    damage_point: float = 0.167
    range: float = 0.0
    scan: float = 0.0
    sight: float = 9.0
    missile_speed: float = 0.0
    blast: float = 0.0
    splash: str = ""
    splash_reach: float = 0.0
    splash_width: float = 0.0
    splash_share: float = 1.0
    strides: bool = False
    heal: float = 0.0
    heal_range: float = 0.0
    heal_cost: float = 0.0
    energy: float = 0.0
    energy_limit: float = 0.0
    energy_regeneration: float = 0.0
    reward_cooldown: int = 15

    def __post_init__(self) -> None:
        for name in (*self.attributes, self.bonus_against):
            if name not in _ATTRIBUTES:
                raise UnknownNameError("unit attribute", name, _ATTRIBUTES)
        if self.splash not in _SPLASHES:
            raise UnknownNameError("splash", self.splash, _SPLASHES)
        if self.health <= 0 or self.radius <= 0:
            raise ValueError(f"unit {self.name!r}: health {self.health} and radius {self.radius} have to be above 0")
        if self.shield < 0 or self.missile_speed < 0:
            raise ValueError(
                f"unit {self.name!r}: shield {self.shield} and missile_speed {self.missile_speed} have to be 0 or more"
            )

    @property
    def flies(self) -> bool:
        """Whether terrain, ground weapons and other units' bodies leave it alone."""
        return "air" in self.attributes

    @property
    def heals(self) -> bool:
        """Whether it mends friends."""
        return self.heal > 0
