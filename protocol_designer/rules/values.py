"""What is known of a value without running anything: where it comes from, its axis of rows, bounds, names.

Flags that make a finding (`rows`, `input`, `shared`, …) mean "may be"; bounds mean "is surely". So what is not known
never makes a finding, except where a bound is required, as for loops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

__all__ = [
    "UNKNOWN",
    "Value",
    "combine",
    "dictionary",
    "element",
    "integer",
    "join_all",
    "listing",
    "of_module",
    "taken",
    "text",
]

_MANY_ITEMS = 256
# Of containers nested deeper than this nothing is known; a = (a, a) on forty lines would be a tree of 2**40 values.
_MAX_DEPTH = 4


@dataclass(frozen=True)
class Value:
    """One abstract value.

    `rows`: an array with one entry per row; `front`: the row axis is surely the first one; `input`: may share memory
    with what `own` or `inbox` gave; `shared`: a list, dict or array of the module; `holds`: something inside may be
    one; `shaped`: an array without rows whose axes were placed by hand; `row_count`: R itself; `stretched`: it grows
    from step to step of a loop around. `array` and `number` say what it surely is, `axes` how many axes an array surely
    has, `wide` that it has two or more. `steps` bounds an iteration, `low` and `high` an integer. `items` are the
    elements of a short tuple or list, `entries` those of a dict with literal keys, `each` stands for all elements.
    `text` holds the strings this may be, all of them written out; `maybe` the expansions of an f-string.
    """

    own: bool = False
    inbox: bool = False
    rows: bool = False
    front: bool = False
    input: bool = False
    shared: bool = False
    holds: bool = False
    stretched: bool = False
    wide: bool = False
    axes: int | None = None
    shaped: bool = False
    row_count: bool = False
    array: bool = False
    number: bool = False
    fractional: bool = False
    low: int | None = None
    high: int | None = None
    steps: int | None = None
    items: tuple[Value, ...] | None = None
    entries: tuple[tuple[str, Value], ...] | None = None
    each: Value | None = None
    text: frozenset[str] | None = None
    maybe: frozenset[str] | None = None
    is_list: bool = False
    is_dict: bool = False
    is_shape: bool = False
    depth: int = 0

    def join(self, other: Value) -> Value:
        """Return what is known of a value that is one of the two."""
        if self == other:
            return self
        either: dict[str, Any] = {name: getattr(self, name) or getattr(other, name) for name in _EITHER}
        both = {name: getattr(self, name) and getattr(other, name) for name in ("array", "number", "is_shape", "wide")}
        each = join_all([inside for value in (self, other) if (inside := _inside(value)) is not UNKNOWN])
        return Value(
            **either,
            **both,
            depth=max(self.depth, other.depth),
            axes=self.axes if self.axes == other.axes else None,
            front=(self.front or not self.rows) and (other.front or not other.rows) and either["rows"],
            fractional=self.fractional and other.fractional,
            low=_either(min, self.low, other.low),
            high=_either(max, self.high, other.high),
            steps=_either(max, self.steps, other.steps),
            entries=_join_entries(self, other),
            each=None if each is UNKNOWN else each,
            text=None if self.text is None or other.text is None else self.text | other.text,
            maybe=None if self.maybe is None or other.maybe is None else self.maybe | other.maybe,
        )

    @property
    def scalar(self) -> bool:
        """Whether this is surely a number or a string, which nothing can change."""
        return self.number or self.text is not None or self.maybe is not None

    def widened(self, before: Value, times: int | None) -> Value:
        """Return a value that changes from step to step of a loop of `times` steps, as it is after all of them.

        A list that grew by k grows by k at each step; what goes on growing after that has no bound.
        """
        steps = self.steps
        if self.is_list and steps is not None and before.steps is not None and steps > before.steps:
            steps = None if times is None or before.stretched else before.steps + (steps - before.steps) * max(times, 1)
        grows = self.is_list and steps != before.steps
        items = None if grows else self.items
        each = element(self) if grows and self.items is not None else self.each
        stretched = grows or before.stretched or (self.number and (self.low, self.high) != (before.low, before.high))
        return replace(self, low=None, high=None, steps=steps, items=items, each=each, stretched=stretched)

    def settled(self) -> Value:
        """Return the value after the loop that stretched it."""
        return replace(self, stretched=False) if self.stretched else self


_EITHER = (
    *("own", "inbox", "rows", "input", "shared", "holds", "stretched", "shaped", "row_count", "is_list", "is_dict"),
)
UNKNOWN = Value()


def _inside(value: Value) -> Value:
    return (value.each or UNKNOWN) if value.is_dict else _element(value, UNKNOWN)


def _either(choose: Any, a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else choose(a, b)


def _join_entries(a: Value, b: Value) -> tuple[tuple[str, Value], ...] | None:
    if a.entries is None or b.entries is None:
        return None
    merged = dict(a.entries)
    for key, value in b.entries:
        merged[key] = merged[key].join(value) if key in merged else value
    return tuple(merged.items())


def join_all(values: list[Value]) -> Value:
    """Return the join; of nothing it is unknown."""
    return reduce(Value.join, values) if values else UNKNOWN


def integer(low: int | None, high: int | None) -> Value:
    """Return a Python integer between two bounds."""
    return Value(number=True, low=low, high=high)


def text(value: str) -> Value:
    """Return a string literal."""
    return Value(text=frozenset({value}))


def listing(items: list[Value]) -> Value:
    """Return a tuple or list of these elements."""
    depth = 1 + max((item.depth for item in items), default=0)
    holds = any(item.shared or item.holds for item in items)
    if depth > _MAX_DEPTH:
        each = Value(input=any(_reaches_input(item) for item in items))
        return Value(is_list=True, steps=len(items), each=each if each.input else None, holds=holds)
    if len(items) > _MANY_ITEMS:
        return Value(is_list=True, each=join_all(items), steps=len(items), depth=depth, holds=holds)
    return Value(is_list=True, items=tuple(items), steps=len(items), depth=depth, holds=holds)


def _reaches_input(value: Value) -> bool:
    inside = [*(value.items or ()), *(item for _, item in value.entries or ()), *([value.each] if value.each else [])]
    return value.input or any(_reaches_input(item) for item in inside)


def dictionary(entries: dict[str, Value]) -> Value:
    """Return a dict with these literal keys."""
    depth = 1 + max((value.depth for value in entries.values()), default=0)
    holds = any(value.shared or value.holds for value in entries.values())
    if depth > _MAX_DEPTH:
        entries = {key: Value(input=_reaches_input(value)) for key, value in entries.items()}
        depth = 1
    each = join_all(list(entries.values()))
    return Value(is_dict=True, entries=tuple(entries.items()), each=each, steps=len(entries), depth=depth, holds=holds)


def of_module(value: Value) -> Value:
    """Return a constant of the module or a default: what it is and what it holds outlives the call."""
    return value if value.scalar else replace(value, shared=True, holds=True)


def taken(container: Value, found: Value) -> Value:
    """Return what was taken out of a container: it may be of the module, or a part of the input, where that is."""
    if found.scalar:
        return found
    if container.holds and not (found.shared and found.holds):
        found = replace(found, shared=True, holds=True)
    plain = container.is_list or container.is_dict
    return replace(found, input=True) if container.input and not plain and not found.input else found


def element(value: Value, default: Value = UNKNOWN) -> Value:
    """Return what iterating over `value` gives."""
    return taken(value, _element(value, default))


def _element(value: Value, default: Value) -> Value:
    if value.is_dict:
        keys = value.entries
        return Value(text=frozenset(key for key, _ in keys)) if keys else default
    if value.items is not None:
        return join_all(list(value.items)) if value.items else default
    if value.each is not None:
        return value.each
    return default


def combine(operands: list[Value]) -> Value:
    """Return the fresh array that elementwise arithmetic on the operands gives."""
    rows = [operand for operand in operands if operand.rows]
    others = [operand for operand in operands if not operand.rows]
    shaped = any(operand.shaped or operand.is_list for operand in others)
    return Value(
        rows=bool(rows),
        array=any(operand.array or operand.rows for operand in operands),
        front=bool(rows) and all(operand.front for operand in rows) and not shaped,
        shaped=not rows and shaped,
        number=bool(operands) and all(operand.number for operand in operands),
        fractional=any(operand.fractional for operand in operands),
        stretched=any(operand.stretched for operand in operands),
        wide=any(operand.wide for operand in rows),
        axes=_broadcast_axes(rows, others),
    )


def _broadcast_axes(rows: list[Value], others: list[Value]) -> int | None:
    """Return the axes that arrays of rows have together; what is no array of rows is a number, or has unknown axes."""
    if not rows or any(operand.axes is None for operand in rows) or not all(other.number for other in others):
        return None
    return max(operand.axes or 0 for operand in rows)
