"""Checks of single values in a map's file; each error names the file, the key, the value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from buffers.errors import RejectedError, nearest
from marl_runtime.skirmish.units import PROFILES, UnitType

__all__ = ["UNITS", "Checks"]

UNITS = PROFILES["liberty"]


class Checks:
    """The checks of the file at `path`; `where` is always the dotted key that an error names."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def wrong(self, message: str) -> RejectedError:
        """Return the error that says `message` of this file."""
        return RejectedError(f"{self.path}: {message}")

    def unknown(self, what: str, name: object, valid: Sequence[str], where: str) -> RejectedError:
        """Return the error for a name that is not among the `valid` ones, with the nearest."""
        close = nearest(str(name), valid)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"valid: {', '.join(sorted(valid))}"
        return self.wrong(f"{where}: unknown {what} {name!r}; {hint}")

    def known_keys(self, table: Mapping[str, Any], known: set[str], where: str) -> None:
        """Refuse a key that is not `known`."""
        for key in table:
            if key not in known:
                raise self.unknown("key", key, sorted(known), where or "top level")

    def expected(self, what: str, value: object, where: str) -> RejectedError:
        """Return the error for a value of another kind than `what`."""
        return self.wrong(f"{where}: {value!r} is not {what}")

    def list_of(self, value: object, where: str) -> list[Any]:
        """Check a list with at least one entry."""
        if not isinstance(value, list) or not value:
            raise self.expected("a list with at least one entry", value, where)
        return value

    def table(self, value: object, where: str) -> dict[str, Any]:
        """Check a table."""
        if not isinstance(value, dict):
            raise self.expected("a table", value, where)
        return value

    def text(self, value: object, where: str) -> str:
        """Check a text; lines of a long one are joined by spaces."""
        if not isinstance(value, str) or not value.strip():
            raise self.expected("a text", value, where)
        return " ".join(value.split())

    def flag(self, value: object, where: str) -> bool:
        """Check true or false."""
        if not isinstance(value, bool):
            raise self.expected("true or false", value, where)
        return value

    def number(self, value: object, where: str, low: float = -math.inf, high: float = math.inf) -> float:
        """Check a finite number between `low` and `high`."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.expected("a number", value, where)
        if not low <= value <= high:
            raise self.wrong(f"{where}: {value} is not between {low:g} and {high:g}")
        return value

    def whole(self, value: object, where: str, low: int, high: int) -> int:
        """Check a whole number between `low` and `high`."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.expected("a whole number", value, where)
        return int(self.number(value, where, low, high))

    def choice(self, value: object, where: str, valid: tuple[str, ...]) -> str:
        """Check one of the `valid` words."""
        if value not in valid:
            raise self.unknown("value", value, [word for word in valid if word], where)
        return str(value)

    def unit(self, value: object, where: str) -> str:
        """Check the name of a unit."""
        if value not in UNITS:
            raise self.unknown("unit", value, sorted(UNITS), where)
        return str(value)

    def team(self, value: object, where: str) -> tuple[str, ...]:
        """Check a side: unit names, each with how many there are in front where it is more than one ("10 baneling")."""
        units: list[str] = []
        for number, entry in enumerate(self.list_of(value, where)):
            place = f"{where}[{number}]"
            if not isinstance(entry, str):
                raise self.expected('a unit, as in "roach" or "10 baneling"', entry, place)
            count, _, name = entry.rpartition(" ")
            if count and not (count.isascii() and count.isdigit() and 1 <= int(count) <= 100):
                raise self.wrong(f"{place}: {entry!r} does not begin with a number of units from 1 to 100")
            units += [self.unit(name, place)] * int(count or 1)
        return tuple(units)

    def weights(self, value: object, where: str) -> dict[str, float]:
        """Check unit names with their weights, which are above 0."""
        return {
            self.unit(name, where): self.number(weight, f"{where}.{name}", 1e-6)
            for name, weight in self.table(value, where).items()
        }

    def bits(self, value: object, where: str) -> dict[str, int]:
        """Check unit names with their type bits; an empty table is a layout without type bits."""
        table = self.table(value, where)
        found = {self.unit(name, where): self.whole(bit, f"{where}.{name}", 0, 31) for name, bit in table.items()}
        if found and set(found.values()) != set(range(max(found.values()) + 1)):
            raise self.wrong(f"{where}: the bits {sorted(set(found.values()))} leave one out; they count from 0")
        return found

    def units(self, value: object, where: str) -> tuple[str, ...]:
        """Check a list of unit names."""
        return tuple(self.unit(name, f"{where}[{k}]") for k, name in enumerate(self.list_of(value, where)))

    def overrides(self, value: object, where: str) -> dict[str, dict[str, Any]]:
        """Check unit names with the statistics that this map changes."""
        known = [f.name for f in fields(UnitType) if f.name != "name"]
        found: dict[str, dict[str, Any]] = {}
        for name, table in self.table(value, where).items():
            self.unit(name, where)
            found[name] = {}
            for quantity, amount in self.table(table, f"{where}.{name}").items():
                place = f"{where}.{name}.{quantity}"
                if quantity not in known:
                    raise self.unknown("unit statistic", quantity, known, f"{where}.{name}")
                found[name][quantity] = self._like(getattr(UNITS[name], quantity), amount, place)
        return found

    def _like(self, present: object, value: Any, where: str) -> Any:
        """Check a statistic against the kind of value that the unit table has for it."""
        if isinstance(present, bool):
            return self.flag(value, where)
        if isinstance(present, str):
            return self.text(value, where)
        if isinstance(present, tuple):
            return tuple(self.text(word, where) for word in self.list_of(value, where))
        return self.number(value, where, 0)

    def rects(self, value: object, where: str) -> tuple[tuple[int, int, int, int], ...]:
        """Check rectangles of cells x0, y0, x1, y1; whether they are on the map is checked with its size."""
        found = []
        for number, rect in enumerate(self.list_of(value, where)):
            place = f"{where}[{number}]"
            if not isinstance(rect, list) or len(rect) != 4:
                raise self.expected("four whole numbers x0, y0, x1, y1", rect, place)
            x0, y0, x1, y1 = (self.whole(edge, place, 0, 256) for edge in rect)
            if not (x0 < x1 and y0 < y1):
                raise self.wrong(f"{place}: {rect} is empty; x0 < x1 and y0 < y1 are needed")
            found.append((x0, y0, x1, y1))
        return tuple(found)

    def point(self, value: object, where: str) -> tuple[float, float]:
        """Check a point x, y."""
        if not isinstance(value, list) or len(value) != 2:
            raise self.expected("two numbers x, y", value, where)
        return self.number(value[0], where, 0), self.number(value[1], where, 0)
