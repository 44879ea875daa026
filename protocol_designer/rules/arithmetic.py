"""Bounds of integer arithmetic, list repetition and f-string expansion, on abstract values."""

from __future__ import annotations

import itertools

import libcst as cst

from protocol_designer.rules.limits import MAX_EXPONENT, MAX_INTEGER
from protocol_designer.rules.values import UNKNOWN, Value, combine, element, integer

__all__ = ["binary", "expand", "negative"]

_HUGE = MAX_INTEGER**2
_MANY_TEXTS = 1_024


def negative(value: Value) -> Value:
    """Return the value of `-x`."""
    if value.low is not None and value.high is not None:
        return integer(-value.high, -value.low)
    return combine([value])


def binary(operator: cst.BaseBinaryOp, left: Value, right: Value) -> Value:
    """Return the value of `left operator right`; a fresh one."""
    if isinstance(operator, cst.Add) and left.is_list and right.is_list:
        steps = None if left.steps is None or right.steps is None else left.steps + right.steps
        if left.items is not None and right.items is not None:
            return Value(is_list=True, items=left.items + right.items, steps=steps)
        return Value(is_list=True, each=element(left).join(element(right)), steps=steps)
    if isinstance(operator, cst.Multiply) and left.is_list != right.is_list:
        repeated, count = (left, right) if left.is_list else (right, left)
        if count.number or count.row_count:
            steps = None if repeated.steps is None or count.high is None else repeated.steps * max(count.high, 0)
            return Value(is_list=True, each=element(repeated), steps=steps)
    if left.number and right.number:
        return _numbers(operator, left, right)
    return combine([left, right])


def _numbers(operator: cst.BaseBinaryOp, left: Value, right: Value) -> Value:
    fractional = left.fractional or right.fractional or isinstance(operator, cst.Divide)
    unknown = Value(number=True, fractional=fractional)
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
    return integer(max(low, -_HUGE), min(high, _HUGE))


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
        return a**b if 0 <= b <= MAX_EXPONENT and abs(a) <= _HUGE else None
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
