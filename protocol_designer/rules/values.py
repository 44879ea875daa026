"""What is known of a value without running anything: where it comes from, its axis of rows, bounds, names.

Flags that make a finding (`rows`, `input`, `shared`, …) mean "may be"; bounds mean "is surely". So what is not known
never makes a finding, except where a bound is required, as for loops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

__all__ = ["UNKNOWN", "Value", "combine", "dictionary", "element", "integer", "join_all", "listing", "text"]

_MANY_ITEMS = 256
# Of containers nested deeper than this nothing is known; a = (a, a) on forty lines would be a tree of 2**40 values.
_MAX_DEPTH = 4


@dataclass(frozen=True)
class Value:
    """One abstract value.

    `rows`: an array with one entry per row; `front`: the row axis is surely the first one; `input`: may share memory
    with what `own` or `inbox` gave; `shared`: a list or dict of the module; `shaped`: an array without rows whose axes
    were placed by hand; `row_count`: R itself. `array` and `number` say what it surely is. `steps` bounds an iteration,
    `low` and `high` an integer. `items` are the elements of a short tuple or list, `entries` those of a dict with
    literal keys, `each` stands for all elements.
    `text` holds the strings this may be, all of them written out; `maybe` the expansions of an f-string.
    """

    own: bool = False
    inbox: bool = False
    rows: bool = False
    front: bool = False
    input: bool = False
    shared: bool = False
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
        either: dict[str, Any] = {
            name: getattr(self, name) or getattr(other, name)
            for name in ("own", "inbox", "rows", "input", "shared", "shaped", "row_count", "is_list", "is_dict")
        }
        both = {name: getattr(self, name) and getattr(other, name) for name in ("array", "number", "is_shape")}
        each = join_all([inside for value in (self, other) if (inside := _inside(value)) is not UNKNOWN])
        return Value(
            **either,
            **both,
            depth=max(self.depth, other.depth),
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

    def fresh(self) -> Value:
        """Return the same value as a copy that shares no memory."""
        return replace(self, input=False, shared=False)

    def widened(self) -> Value:
        """Return the value without integer bounds, for what changes from step to step of a loop."""
        return replace(self, low=None, high=None)


UNKNOWN = Value()


def _inside(value: Value) -> Value:
    return (value.each or UNKNOWN) if value.is_dict else element(value)


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
    if depth > _MAX_DEPTH:
        return Value(is_list=True, steps=len(items))
    if len(items) > _MANY_ITEMS:
        return Value(is_list=True, each=join_all(items), steps=len(items), depth=depth)
    return Value(is_list=True, items=tuple(items), steps=len(items), depth=depth)


def dictionary(entries: dict[str, Value]) -> Value:
    """Return a dict with these literal keys."""
    depth = 1 + max((value.depth for value in entries.values()), default=0)
    if depth > _MAX_DEPTH:
        entries = dict.fromkeys(entries, UNKNOWN)
        depth = 1
    each = join_all(list(entries.values()))
    return Value(is_dict=True, entries=tuple(entries.items()), each=each, steps=len(entries), depth=depth)


def element(value: Value, default: Value = UNKNOWN) -> Value:
    """Return what iterating over `value` gives."""
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
    )
