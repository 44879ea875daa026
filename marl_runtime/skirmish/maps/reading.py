"""Reads a map's TOML file: every key is checked, and what is wrong is named with its file and place (docs/maps.md)."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from buffers.errors import RejectedError, UsageError
from marl_runtime.skirmish.maps.battle_map import BattleMap, Rect, Spawn
from marl_runtime.skirmish.maps.checks import UNITS
from marl_runtime.skirmish.maps.reading_changes import ChangesReader

__all__ = ["MapFile", "Script", "read_map"]

_RACES = ("", "protoss", "terran", "zerg")
_STARTS = ("", "reflect", "surround", "surround_and_reflect")
# where SMAC's two sides stand; random starts put their units elsewhere
_SMAC_SPAWNS = [
    {"units": "allies", "regions": [[9, 16]], "spacing": 1.0},
    {"units": "enemies", "regions": [[23, 16]], "spacing": 1.0},
]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Script:
    """Which family of `marl_runtime/skirmish/scripted` plays a map by hand, and its parameters."""

    family: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MapFile:
    """What a file declares: the map, who plays it by hand, and whether it is a task in smac_plus too.

    `test_agents`: how many agents take part in tests, fewest and most, where that differs from training.
    """

    path: Path
    battle_map: BattleMap
    scripted: Script
    published_layout: bool = False
    test_agents: tuple[int, int] | None = None


def read_map(path: Path) -> MapFile:
    """Return the map in the TOML file at `path`; the file's name, less `.toml`, is the map's name.

    A file that is not there raises `UsageError`; a wrong one `RejectedError`, which names file, key, value and remedy.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no map file {path}") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; name the map's .toml file in it") from None
    except (OSError, ValueError) as error:
        raise RejectedError(f"{path} cannot be read as TOML: {error}") from error
    if not _NAME.fullmatch(path.stem):
        raise RejectedError(
            f"{path}: the map takes its name from the file, and {path.stem!r} has other characters than letters, "
            "digits, '_', '.' and '-'; rename the file"
        )
    return _Reader(path).read(content)


class _Reader(ChangesReader):
    """Reads one file, table by table."""

    def read(self, content: Mapping[str, Any]) -> MapFile:
        known = set(_KEYS) | {"spawns", "scripted", "published_layout", "schedule", "agents"}
        self.known_keys(content, known, "")
        for key in (
            "summary",
            "source",
            "allies",
            "enemies",
            "episode_limit",
            *(() if content.get("random_start") else ("spawns",)),
        ):
            if key not in content:
                raise self.wrong(f"the key {key!r} is missing; docs/maps.md lists all keys")
        values = {key: _KEYS[key](self, value, key) for key, value in content.items() if key in _KEYS}
        values.setdefault("open_rects", ((0, 0, values.get("size", 32), values.get("size", 32)),))
        n_allies, n_units = len(values["allies"]), len(values["allies"]) + len(values["enemies"])
        values["schedule"] = self.schedule(content.get("schedule", ()), n_units, values["episode_limit"])
        values["type_bits"] = self._type_bits(values)
        numbers = self.numbers(content.get("agents"), n_allies)
        self._require_fit(values)
        spawns: list[Spawn] = []
        for number, value in enumerate(self.list_of(content.get("spawns", _SMAC_SPAWNS), "spawns")):
            spawns += self._spawn(value, f"spawns[{number}]", n_allies, n_units, values.get("size", 32))
        self._require_all_placed(spawns, n_units)
        try:
            battle_map = BattleMap(
                name=self.path.stem, spawns=tuple(spawns), present_agents=numbers and numbers[0], **values
            )
        except ValueError as error:
            raise self.wrong(str(error)) from error
        self._require_open_ground(battle_map)
        return MapFile(
            self.path,
            battle_map,
            self._script(content.get("scripted", {})),
            self.flag(content.get("published_layout", False), "published_layout"),
            numbers and numbers[1],
        )

    def _type_bits(self, values: Mapping[str, Any]) -> dict[str, int]:
        """The file's, else SMAC's own: none where each side has one kind of unit, else one each; -1 is no bit."""
        sides = (values["allies"], values["enemies"])
        later = [name for change in values["schedule"] for name in change.become.values()]
        kinds = tuple(values.get("random_team") or dict.fromkeys((*sides[0], *sides[1], *later)))
        if (
            "type_bits" not in values
            and not later
            and (len(kinds) == 1 or len(set(sides[0])) == len(set(sides[1])) == 1)
        ):
            return dict.fromkeys(kinds, -1)
        given: dict[str, int] = values.get("type_bits", {name: bit for bit, name in enumerate(kinds)})
        missing = [name for name in kinds if name not in given]
        if given and missing:
            raise self.wrong(
                f"type_bits: {', '.join(missing)} has no bit; give every kind of unit one, or none at all with {{}}"
            )
        return given or dict.fromkeys(kinds, -1)

    def _require_fit(self, values: Mapping[str, Any]) -> None:
        size = values.get("size", 32)
        for key in ("open_rects", "closed_rects"):
            for number, rect in enumerate(values.get(key, ())):
                if max(rect) > size:
                    raise self.wrong(f"{key}[{number}]: {list(rect)} leaves the map, which is {size} cells wide")
        if values.get("attack_order") and max(values["attack_order"]) >= size:
            raise self.wrong(f"attack_order: {values['attack_order']} is not on the map, which is {size} cells wide")
        if values.get("only_medivac_left_wins") and "medivac" not in values["enemies"]:
            raise self.wrong("only_medivac_left_wins: true, but no enemy is a 'medivac'")

    def _spawn(self, value: object, where: str, n_allies: int, n_units: int, size: int) -> list[Spawn]:
        """One `[[spawns]]` table: units that appear together, or each by itself with `separately`."""
        table = self.table(value, where)
        self.known_keys(table, {"units", "regions", "offsets", "spacing", "separately"}, where)
        for key in ("units", "regions"):
            if key not in table:
                raise self.wrong(f"{where}: the key {key!r} is missing")
        slots = self._slots(table["units"], f"{where}.units", n_allies, n_units)
        regions = tuple(
            self._region(region, f"{where}.regions[{k}]", size)
            for k, region in enumerate(self.list_of(table["regions"], f"{where}.regions"))
        )
        if self.flag(table.get("separately", False), f"{where}.separately"):
            if "offsets" in table or "spacing" in table:
                raise self.wrong(f"{where}: 'separately' places each unit by itself; leave 'offsets' and 'spacing' out")
            return [Spawn((slot,), regions) for slot in slots]
        if "offsets" in table and "spacing" in table:
            raise self.wrong(f"{where}: 'offsets' and 'spacing' both say how units stand; leave one out")
        if "spacing" in table:
            return [Spawn(slots, regions, _square(len(slots), self.number(table["spacing"], f"{where}.spacing", 0)))]
        offsets = [self._offset(offset, f"{where}.offsets[{k}]") for k, offset in enumerate(table.get("offsets", ()))]
        if offsets and len(offsets) != len(slots):
            raise self.wrong(f"{where}.offsets: {len(offsets)} offsets for {len(slots)} units")
        return [Spawn(slots, regions, tuple(offsets))]

    def _offset(self, value: object, where: str) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            raise self.expected("two numbers x, y", value, where)
        return self.number(value[0], where), self.number(value[1], where)

    def _region(self, value: object, where: str, size: int) -> Rect:
        if not isinstance(value, list) or len(value) not in (2, 4):
            raise self.expected("a point x, y or a rectangle x0, y0, x1, y1", value, where)
        x0, y0, x1, y1 = (self.number(edge, where) for edge in (value if len(value) == 4 else value * 2))
        if not (0 <= x0 <= x1 <= size and 0 <= y0 <= y1 <= size):
            raise self.wrong(f"{where}: {value} is not on the map, which goes from 0 to {size}")
        return (x0, y0, x1, y1)

    def _slots(self, value: object, where: str, n_allies: int, n_units: int) -> tuple[int, ...]:
        """Check which units a spawn places: "allies", "enemies", or slots, the agents first and then the enemies."""
        if value == "allies":
            return tuple(range(n_allies))
        if value == "enemies":
            return tuple(range(n_allies, n_units))
        if isinstance(value, str):
            ends = value.split("-")
            if len(ends) != 2 or not all(end.isascii() and end.isdigit() for end in ends):
                raise self.expected('"allies", "enemies", a range as in "0-9", or a list of slots', value, where)
            first, last = int(ends[0]), int(ends[1])
            value = list(range(first, last + 1))
        return tuple(self.whole(slot, where, 0, n_units - 1) for slot in self.list_of(value, where))

    def _require_all_placed(self, spawns: Sequence[Spawn], n_units: int) -> None:
        placed = [slot for spawn in spawns for slot in spawn.units]
        for slot in range(n_units):
            if placed.count(slot) != 1:
                often = "no spawn" if slot not in placed else f"{placed.count(slot)} spawns"
                raise self.wrong(f"spawns: the unit in slot {slot} is placed by {often}; each is placed once")

    def _require_open_ground(self, battle_map: BattleMap) -> None:
        """A group that finds no open ground in a region would spawn inside walls."""
        ground, kinds = battle_map.terrain(), (*battle_map.allies, *battle_map.enemies)
        for spawn in battle_map.spawns:
            walkers = [k for k, slot in enumerate(spawn.units) if not UNITS[kinds[slot]].flies]
            for x0, y0, x1, y1 in spawn.regions:
                cells = ground[int(x0) : max(math.ceil(x1), int(x0) + 1), int(y0) : max(math.ceil(y1), int(y0) + 1)]
                if walkers and not cells.any():
                    raise self.wrong(
                        f"spawns: no cell of the region {[x0, y0, x1, y1]} is open ground for unit {spawn.units[0]}"
                    )

    def _script(self, value: object) -> Script:
        table = self.table(value, "scripted")
        if not table:
            return Script()
        if "family" not in table:
            raise self.wrong("scripted: the key 'family' is missing")
        return Script(self.text(table["family"], "scripted.family"), {k: v for k, v in table.items() if k != "family"})


def _square(count: int, spacing: float) -> tuple[tuple[float, float], ...]:
    """Offsets of a square block around a point, `spacing` apart, column by column from the west."""
    rows = math.ceil(math.sqrt(count))
    columns = math.ceil(count / rows)
    return tuple(
        ((k // rows - (columns - 1) / 2) * spacing, (k % rows - (rows - 1) / 2) * spacing) for k in range(count)
    )


_KEYS: Mapping[str, Callable[[_Reader, Any, str], Any]] = {
    "summary": _Reader.text,
    "source": _Reader.text,
    "allies": _Reader.team,
    "enemies": _Reader.team,
    "episode_limit": lambda reader, value, where: reader.whole(value, where, 1, 10_000),
    "size": lambda reader, value, where: reader.whole(value, where, 4, 256),
    "open_rects": _Reader.rects,
    "closed_rects": _Reader.rects,
    "type_bits": _Reader.bits,
    "sight": lambda reader, value, where: reader.number(value, where, 0.1),
    "shoot": lambda reader, value, where: reader.number(value, where, 0),
    "others_health": _Reader.flag,
    "only_medivac_left_wins": _Reader.flag,
    "enemy_leash": lambda reader, value, where: reader.number(value, where, 0),
    "enemy_help": lambda reader, value, where: reader.number(value, where, 0),
    "overrides": _Reader.overrides,
    "ally_race": lambda reader, value, where: reader.choice(value, where, _RACES),
    "enemy_race": lambda reader, value, where: reader.choice(value, where, _RACES),
    "attack_order": _Reader.point,
    "random_team": _Reader.weights,
    "random_start": lambda reader, value, where: reader.choice(value, where, _STARTS),
    "never_alone": _Reader.units,
}
