"""What one foraging task is: its settings, and the names that stand for them.

A name is one of the package's ids, as `Foraging-2s-8x8-3p-2f-coop-v3` (50 steps), or the same without its version,
which stands for the published comparison's limit of 25 steps; `Foraging-1s-8x8-2p-2f-coop` and
`Foraging-1s-11x11-6p-4f-coop` are its two settings. Any parameter of the package's class can follow, as in
`Foraging-8x8-2p-2f,sight=3,penalty=0.1,max_player_level=2+3`, and `state=grid`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from buffers.errors import UnknownNameError, UsageError
from marl_runtime.tasks import task_names

__all__ = ["PARAMETERS", "ForagingSettings", "settings_of"]

_VERSION = 3
_ID = re.compile(
    r"Foraging(?P<grid>-grid)?(-(?P<sight>\d+)s)?-(?P<rows>\d+)x(?P<columns>\d+)-(?P<players>\d+)p-(?P<foods>\d+)f"
    r"(?P<coop>-coop)?(?P<ind>-ind)?(?P<pen>-pen)?(-v(?P<version>\d+))?"
)
Levels = int | tuple[int, ...]


@dataclass(frozen=True)
class ForagingSettings:
    """One foraging task; names are those of the package's class, whose defaults are those of its ids.

    Levels are one number for all, or one for each agent or food (the package deals them out at random). A food's level
    is at most `max_food_level`, or else the sum of the three lowest agent levels; with `force_coop` it is always that.
    `state`: "compact" (row, column and level of every agent and food), or "grid" (three padded layers, as published).
    """

    name: str
    players: int = 2
    min_player_level: Levels = 1
    max_player_level: Levels = 2
    min_food_level: Levels = 1
    max_food_level: Levels | None = None
    field_size: tuple[int, int] = (8, 8)
    max_num_food: int = 2
    sight: int = 1
    max_episode_steps: int = 25
    force_coop: bool = True
    normalize_reward: bool = True
    observe_agent_levels: bool = True
    penalty: float = 0.0
    state: str = "compact"

    def __post_init__(self) -> None:
        rows, columns = self.field_size
        if min(rows, columns) < 3:
            raise ValueError(f"field_size {rows}x{columns}: foods lie inside the rim, so both have to be 3 or more")
        if not 1 <= self.sight <= max(rows, columns):
            raise ValueError(f"sight {self.sight} is not between 1 and the larger side of {rows}x{columns}")
        for name in ("players", "max_num_food", "max_episode_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is below 1")
        if self.players + self.max_num_food > rows * columns:
            raise ValueError(f"{self.players} players and {self.max_num_food} foods do not fit on {rows}x{columns}")
        if self.penalty < 0:
            raise ValueError(f"penalty {self.penalty} is below 0")
        if self.state not in {"compact", "grid"}:
            raise ValueError(f"state {self.state!r} is neither 'compact' nor 'grid'")
        for what, count in (("player", self.players), ("food", self.max_num_food)):
            low = self._each(f"min_{what}_level", count)
            high = self._each(f"max_{what}_level", count)
            if any(level < 1 for level in low) or any(a > b for a, b in zip(low, high or low, strict=True)):
                raise ValueError(f"{what} levels from {low} to {high}: from 1 on, and the lower ones first")

    def _each(self, name: str, count: int) -> tuple[int, ...]:
        """Return a level for each of `count`; empty where it is None."""
        value: Levels | None = getattr(self, name)
        if value is None:
            return ()
        if isinstance(value, int):
            return (value,) * count
        if len(value) != count:
            raise ValueError(f"{name} has {len(value)} levels, for {count} of them")
        return value

    @property
    def top_player_level(self) -> int:
        """The highest level an agent can have."""
        return max(self._each("max_player_level", self.players))

    @property
    def top_food_level(self) -> int:
        """The highest level a food can have."""
        if self.max_food_level is not None:
            return max(self._each("max_food_level", self.max_num_food))
        return sum(sorted(self._each("max_player_level", self.players))[:3])

    @property
    def window(self) -> int:
        """Cells along one side of what an agent sees."""
        return 2 * self.sight + 1


def settings_of(name: str) -> ForagingSettings:
    """Return the settings that `name` stands for.

    What is no such name raises `UnknownNameError`, an id of an older version or a value out of range `UsageError`.
    """
    identity, *given = name.split(",")
    found = _ID.fullmatch(identity)
    if found is None:
        raise UnknownNameError("task", name, task_names())
    version = found["version"]
    if version and int(version) != _VERSION:
        new = identity.replace(f"-v{version}", f"-v{_VERSION}")
        raise UsageError(f"{identity} is an id of another version of lbforaging; the present one is {new}")
    rows, columns = int(found["rows"]), int(found["columns"])
    values: dict[str, Any] = {
        "players": int(found["players"]),
        "max_num_food": int(found["foods"]),
        "field_size": (rows, columns),
        "sight": int(found["sight"] or max(rows, columns)),
        "force_coop": bool(found["coop"]),
        "max_food_level": 1 if found["ind"] else None,
        "penalty": 0.1 if found["pen"] else 0.0,
        "max_episode_steps": 50 if version else 25,
    }
    values |= dict(_parameter(name, text) for text in given)
    try:
        return replace(ForagingSettings(name), **values)
    except ValueError as error:
        raise UsageError(f"task {name!r}: {error}") from error


def _levels(text: str) -> Levels:
    levels = tuple(map(int, text.split("+")))
    return levels if len(levels) > 1 else levels[0]


def _size(text: str) -> tuple[int, int]:
    rows, columns = map(int, text.split("x"))
    return rows, columns


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


PARAMETERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "players": (int, "a number"),
    "min_player_level": (_levels, "a level, or one for each player as 1+2"),
    "max_player_level": (_levels, "a level, or one for each player as 1+2"),
    "min_food_level": (_levels, "a level, or one for each food as 1+2"),
    "max_food_level": (_levels, "a level, or one for each food as 1+2"),
    "field_size": (_size, "rows and columns, as 8x10"),
    "max_num_food": (int, "a number"),
    "sight": (int, "a number of cells"),
    "max_episode_steps": (int, "a number"),
    "force_coop": (_truth, "true or false"),
    "normalize_reward": (_truth, "true or false"),
    "observe_agent_levels": (_truth, "true or false"),
    "penalty": (float, "a number"),
    "state": (str, "compact or grid"),
}
"""Parameter → how its text is read, and what it has to be."""


def _parameter(name: str, text: str) -> tuple[str, Any]:
    key, _, value = text.partition("=")
    if key not in PARAMETERS:
        raise UnknownNameError(f"parameter in task {name!r}:", key, PARAMETERS)
    read, expected = PARAMETERS[key]
    try:
        return key, read(value)
    except (ValueError, KeyError):
        raise UsageError(f"task {name!r}: {key}={value} is not {expected}") from None
