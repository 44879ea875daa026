"""What changes in the middle of a battle: a schedule of changes, each of which begins a regime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FIRST_REGIME", "Change"]

FIRST_REGIME = "start"
"""The regime that every battle begins in."""


@dataclass(frozen=True)
class Change:
    """Something that happens once in each battle, after a step drawn evenly from `steps` (first, last).

    From then on the battle is in the regime of that name. Units are slots (agents first, then enemies): `arrive` are
    those that are absent until then and appear where they spawn, `leave` those that go, without being killed,
    `become` the unit types that slots change to, keeping their share of health and shield. `behaviour` "attack" sends
    the enemies on an attack-move to `attack_order`, "hold" ends one: they stand, and fight what comes near.
    """

    regime: str
    steps: tuple[int, int]
    arrive: tuple[int, ...] = ()
    leave: tuple[int, ...] = ()
    become: Mapping[int, str] = field(default_factory=dict)
    behaviour: str = ""
    attack_order: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        first, last = self.steps
        if not 1 <= first <= last:
            raise ValueError(f"regime {self.regime!r}: steps {self.steps} are not 1 <= first <= last")
        if self.behaviour not in ("", "attack", "hold"):
            raise ValueError(f"regime {self.regime!r}: behaviour {self.behaviour!r} is neither 'attack' nor 'hold'")
        if (self.behaviour == "attack") != (self.attack_order is not None):
            raise ValueError(f"regime {self.regime!r}: behaviour 'attack' and attack_order need each other")
        if not (self.arrive or self.leave or self.become or self.behaviour):
            raise ValueError(f"regime {self.regime!r}: nothing changes; say arrive, leave, become or behaviour")
