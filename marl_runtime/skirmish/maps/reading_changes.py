"""Reads what a map's file says of changes in mid-battle, and of how many agents take part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from marl_runtime.skirmish.maps.changes import FIRST_REGIME, Change
from marl_runtime.skirmish.maps.checks import Checks

__all__ = ["ChangesReader"]

_KEYS = {"regime", "steps", "arrive", "leave", "become", "behaviour", "attack_order"}


class ChangesReader(Checks):
    """Checks of `[[schedule]]` and `[agents]`."""

    def schedule(self, value: object, n_units: int, limit: int) -> tuple[Change, ...]:
        """Check the tables of `[[schedule]]`; units are numbered, agents first, then enemies."""
        if not value:
            return ()
        changes = []
        for number, entry in enumerate(self.list_of(value, "schedule")):
            where = f"schedule[{number}]"
            table = self.table(entry, where)
            self.known_keys(table, _KEYS, where)
            for key in ("regime", "steps"):
                if key not in table:
                    raise self.wrong(f"{where}: the key {key!r} is missing")
            changes.append(self._change(table, where, n_units, limit))
        names = [change.regime for change in changes]
        if len({FIRST_REGIME, *names}) != len(names) + 1:
            raise self.wrong(f"schedule: the regimes {names} need names that differ, and other ones than 'start'")
        return tuple(changes)

    def numbers(self, value: object, n_agents: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Check `[agents]`: how many take part in training, and in tests, each from and to."""
        if value is None:
            return None
        table = self.table(value, "agents")
        self.known_keys(table, {"train", "test"}, "agents")
        if set(table) != {"train", "test"}:
            raise self.wrong("agents: both keys are needed, as in train = [3, 5] and test = [6, 8]")
        train, test = (self._range(table[key], f"agents.{key}", 1, n_agents) for key in ("train", "test"))
        return train, test

    def _change(self, table: dict[str, Any], where: str, n_units: int, limit: int) -> Change:
        order = table.get("attack_order")
        try:
            return Change(
                regime=self.text(table["regime"], f"{where}.regime"),
                steps=self._range(table["steps"], f"{where}.steps", 1, limit - 1),
                arrive=self._units(table.get("arrive", ()), f"{where}.arrive", n_units),
                leave=self._units(table.get("leave", ()), f"{where}.leave", n_units),
                become=self._types(table.get("become", {}), f"{where}.become", n_units),
                behaviour=self.choice(table.get("behaviour", ""), f"{where}.behaviour", ("", "attack", "hold")),
                attack_order=None if order is None else self.point(order, f"{where}.attack_order"),
            )
        except ValueError as error:
            raise self.wrong(f"{where}: {error}") from error

    def _range(self, value: object, where: str, low: int, high: int) -> tuple[int, int]:
        """Check a number, or two: from and to."""
        ends = value if isinstance(value, list) else [value, value]
        if len(ends) != 2:
            raise self.expected("a whole number or two, from and to", value, where)
        first, last = (self.whole(end, where, low, high) for end in ends)
        if first > last:
            raise self.wrong(f"{where}: {value} goes from more to less")
        return first, last

    def _units(self, value: Sequence[object], where: str, n_units: int) -> tuple[int, ...]:
        if not value:
            return ()
        return tuple(
            self.whole(slot, f"{where}[{k}]", 0, n_units - 1) for k, slot in enumerate(self.list_of(value, where))
        )

    def _types(self, value: object, where: str, n_units: int) -> dict[int, str]:
        found = {}
        for slot, name in self.table(value, where).items():
            if not (slot.isascii() and slot.isdigit() and int(slot) < n_units):
                raise self.wrong(f"{where}: {slot!r} is not a unit from 0 to {n_units - 1}")
            found[int(slot)] = self.unit(name, f"{where}.{slot}")
        return found
