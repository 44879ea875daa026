"""Bounds of integer arithmetic, list repetition and f-string expansion, on abstract values."""

from __future__ import annotations

import itertools
from dataclasses import replace

import libcst as cst

from protocol_designer.rules.limits import MAX_EXPONENT
from protocol_designer.rules.values import UNKNOWN, Value, combine, element, integer

__all__ = ["HUGE", "LARGEST_FLOAT", "binary", "expand", "negative", "rounded"]

LARGEST_FLOAT = 2**1024
"""No float is larger, so neither is an integer made of one."""

HUGE = LARGEST_FLOAT**4
"""Bounds of integers stop here; four unknown ones multiplied reach it."""

_MANY_TEXTS = 1_024


def negative(value: Value) -> Value:
    """Return the value of `-x`."""
    if value.low is not None and value.high is not None:
        return integer(-value.high, -value.low)
    return combine([value])


def binary(operator: cst.BaseBinaryOp, left: Value, right: Value) -> Value:
    """Return the value of `left operator right`; a fresh one."""
    if isinstance(operator, cst.Add) and left.is_list and right.is_list:
        return _joined(left, right)
    if isinstance(operator, cst.Multiply) and left.is_list != right.is_list:
        repeated, count = (left, right) if left.is_list else (right, left)
        if count.number or count.row_count:
            unbounded = repeated.steps is None or count.high is None or (repeated.stretched and count.high > 1)
            steps = None if unbounded else (repeated.steps or 0) * max(count.high or 0, 0)
            stretched = repeated.stretched or count.stretched
            return Value(is_list=True, each=element(repeated), steps=steps, holds=repeated.holds, stretched=stretched)
    if left.number and right.number:
        return replace(_numbers(operator, left, right), stretched=left.stretched or right.stretched)
    found = combine([left, right])
    return replace(found, wide=False, axes=None) if isinstance(operator, cst.MatrixMultiply) else found


def _joined(left: Value, right: Value) -> Value:
    """Return the sum of two lists."""
    holds, stretched = left.holds or right.holds, left.stretched or right.stretched
    steps = None if left.steps is None or right.steps is None else left.steps + right.steps
    if left.stretched != right.stretched:
        # what the shorter one adds at each step is in the bound of the one that grows
        steps = left.steps if left.stretched else right.steps
    elif stretched:
        steps = None  # both grow: it doubles at each step
    elif left.items is not None and right.items is not None:
        return Value(is_list=True, items=left.items + right.items, steps=steps, holds=holds)
    each = element(left).join(element(right))
    return Value(is_list=True, each=each, steps=steps, holds=holds, stretched=stretched)


def _numbers(operator: cst.BaseBinaryOp, left: Value, right: Value) -> Value:
    fractional = left.fractional or right.fractional or isinstance(operator, cst.Divide)
    unknown = Value(number=True, fractional=fractional)
    if isinstance(operator, cst.Multiply) and not fractional:
        left, right = _some_integer(left), _some_integer(right)
    if fractional or None in (left.low, left.high, right.low, right.high):
        return unknown
    corners = []
    for a, b in itertools.product((left.low, left.high), (right.low, right.high)):
        result = _corner(operator, a or 0, b or 0)
        if result is None:
            return unknown
        corners.append(result)
    if isinstance(operator, cst.Modulo):
        return integer(0, (right.high or 1) - 1) if (right.low or 0) > 0 else unknown
    low, high = min(corners), max(corners)
    return integer(max(low, -HUGE), min(high, HUGE))


def _some_integer(value: Value) -> Value:
    """Return an integer with bounds: one that nobody knows may come from a float."""
    low = -LARGEST_FLOAT if value.low is None else value.low
    return integer(low, LARGEST_FLOAT if value.high is None else value.high)


def rounded(value: Value) -> Value:
    """Return `int(value)`, `round(value)` or `math.floor(value)`."""
    if value.number and not value.fractional and value.low is not None and value.high is not None:
        return integer(value.low, value.high)
    return integer(-LARGEST_FLOAT, LARGEST_FLOAT)


def _corner(operator: cst.BaseBinaryOp, a: int, b: int) -> int | None:
    if isinstance(operator, cst.Add):
        return a + b
    if isinstance(operator, cst.Subtract):
        return a - b
    if isinstance(operator, cst.Multiply):
        return a * b
    if isinstance(operator, cst.FloorDivide):
        return a // b if b else None
    if isinstance(operator, cst.Modulo):
        return 0
    if isinstance(operator, cst.Power):
        return a**b if 0 <= b <= MAX_EXPONENT and abs(a) <= HUGE else None
    return None


def expand(parts: list[Value]) -> Value:
    """Return the value of an f-string with these parts: its expansions, where they are few."""
    choices: list[list[str]] = []
    for part in parts:
        if part.text is not None:
            choices.append(sorted(part.text))
        elif part.low is not None and part.high is not None and part.high - part.low < _MANY_TEXTS:
            choices.append([str(number) for number in range(part.low, part.high + 1)])
        else:
            return UNKNOWN
    count = 1
    for choice in choices:
        count *= len(choice)
    if not 0 < count <= _MANY_TEXTS:
        return UNKNOWN
    return Value(maybe=frozenset("".join(pieces) for pieces in itertools.product(*choices)))
