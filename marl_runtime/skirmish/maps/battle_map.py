"""What a map declares: terrain, who fights, where they spawn, and what it overrides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from buffers.episodes import BoolArray

__all__ = ["BattleMap", "Rect", "Spawn"]

Rect = tuple[float, float, float, float]


@dataclass(frozen=True)
class Spawn:
    """Units that appear together: one of `regions` (x0, y0, x1, y1) is drawn evenly, then one point in it, uniformly.

    `units` are slots (agents first, then enemies), `offsets` where each stands relative to the point. A region may be
    a single point.
    """

    units: tuple[int, ...]
    regions: tuple[Rect, ...]
    offsets: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if self.offsets and len(self.offsets) != len(self.units):
            raise ValueError(f"{len(self.offsets)} offsets for {len(self.units)} units {self.units}")


@dataclass(frozen=True)
class BattleMap:
    """One map. Ground units can walk on the cells of `open_rects` that are not in `closed_rects`; x goes east, y north.

    `sight` and `shoot` are the SMAC layer's radii, centre to centre; weapons have their own ranges. `enemy_leash` is
    how far an enemy follows a target from where it spawned (0: it holds its ground), `enemy_help` how far it answers
    when a friend is hit; the real game's computer opponent is not known in such detail, so these are tuned.

    A side has shield columns when its race, `ally_race` or `enemy_race`, is "protoss". `attack_order` is the point that
    enemies attack-move to from the first step on. `random_team` gives each unit name its weight: teams are then drawn
    anew in every battle, the enemies with the agents' types, and never a team that has units of `never_alone` only;
    `allies` and `enemies` say how many fight. `random_start` places both sides by chance: "surround", "reflect", or
    "surround_and_reflect", which is one or the other. A type bit of -1 is a unit without one.
    """

    name: str
    summary: str
    source: str
    allies: tuple[str, ...]
    enemies: tuple[str, ...]
    episode_limit: int
    open_rects: tuple[tuple[int, int, int, int], ...]
    spawns: tuple[Spawn, ...]
    type_bits: Mapping[str, int]
    size: int = 32
    sight: float = 9.0
    shoot: float = 6.0
    others_health: bool = True
    only_medivac_left_wins: bool = False
    enemy_leash: float = 0.0
    enemy_help: float = 0.0
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ally_race: str = ""
    enemy_race: str = ""
    attack_order: tuple[float, float] | None = None
    random_team: Mapping[str, float] = field(default_factory=dict)
    random_start: str = ""
    never_alone: tuple[str, ...] = ()
    schedule: tuple[Any, ...] = ()
    closed_rects: tuple[tuple[int, int, int, int], ...] = ()

    def __post_init__(self) -> None:
        placed = sorted(unit for spawn in self.spawns for unit in spawn.units)
        if placed != list(range(self.n_units)):
            raise ValueError(f"map {self.name!r}: spawns place the units {placed}, not each of {self.n_units} once")
        missing = {*self.allies, *self.enemies} - set(self.type_bits)
        if missing:
            raise ValueError(f"map {self.name!r}: no type bit for {', '.join(sorted(missing))}")

    @property
    def n_units(self) -> int:
        """U, agents and enemies."""
        return len(self.allies) + len(self.enemies)

    @property
    def n_type_bits(self) -> int:
        """Width of the unit-type one-hot."""
        return max(self.type_bits.values()) + 1

    def terrain(self) -> BoolArray:
        """Return `[x, y]`, true where ground units can walk."""
        cells = np.zeros((self.size, self.size), dtype=bool)
        for x0, y0, x1, y1 in self.open_rects:
            cells[x0:x1, y0:y1] = True
        for x0, y0, x1, y1 in self.closed_rects:
            cells[x0:x1, y0:y1] = False
        return cells
