"""What the allowed builtins give, on abstract values: ranges and their bounds, lists, numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from protocol_designer.rules.arithmetic import rounded
from protocol_designer.rules.arrays import Arguments
from protocol_designer.rules.values import UNKNOWN, Value, combine, dictionary, element, integer, join_all, listing

__all__ = ["builtin_call", "range_value"]

_NUMBER = Value(number=True)


def builtin_call(name: str, arguments: Arguments) -> Value:
    """Return the result of an allowed builtin; of the others nothing is known."""
    handler: Callable[[Arguments], Value] | None = getattr(_Builtins, name, None)
    return UNKNOWN if handler is None or name.startswith("_") else handler(arguments)


def range_value(arguments: Arguments) -> Value:
    """Return the value of `range(...)`, with its steps where the bounds are known."""
    return _Builtins.range(arguments)


class _Builtins:
    """The results of the allowed builtins; those left out give nothing known."""

    @staticmethod
    def range(arguments: Arguments) -> Value:
        bounds = arguments.positional
        if len(bounds) == 1:
            bounds = (integer(0, 0), *bounds)
        if len(bounds) < 2:
            return UNKNOWN
        start, stop = bounds[0], bounds[1]
        if None in (start.low, start.high, stop.low, stop.high):
            return Value(is_list=True, each=_NUMBER)
        first_low, first_high = start.low or 0, start.high or 0
        last_low, last_high = stop.low or 0, stop.high or 0
        step = bounds[2] if len(bounds) > 2 else integer(1, 1)
        if step.high is not None and step.high < 0:
            steps, each = first_high - last_low, integer(last_low + 1, first_high)
        else:
            pace = max(step.low or 1, 1)
            steps, each = -(-(last_high - first_low) // pace), integer(first_low, last_high - 1)
        return Value(is_list=True, each=each, steps=max(steps, 0))

    @staticmethod
    def len(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        if of.is_list or of.is_dict:
            return integer(0 if of.items is None else of.steps, of.steps)
        return Value(number=True, row_count=of.rows and of.front)

    @staticmethod
    def enumerate(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        start = arguments.get(1, "start") or integer(0, 0)
        last = None if of.steps is None or start.high is None else start.high + max(of.steps - 1, 0)
        pair = listing([integer(start.low, last), element(of)])
        return Value(is_list=True, each=pair, steps=of.steps)

    @staticmethod
    def zip(arguments: Arguments) -> Value:
        known = [of.steps for of in arguments.positional if of.steps is not None]
        each = listing([element(of) for of in arguments.positional])
        return Value(is_list=True, each=each, steps=min(known) if known else None)

    @staticmethod
    def _same(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else Value(is_list=True, steps=0, items=())
        if of.is_list:
            return replace(of, shared=False)
        return Value(is_list=True, each=element(of), steps=of.steps, holds=of.holds)

    list = tuple = _same

    @staticmethod
    def reversed(arguments: Arguments) -> Value:
        same = _Builtins._same(arguments)
        return replace(same, items=tuple(reversed(same.items)) if same.items is not None else None)

    @staticmethod
    def sorted(arguments: Arguments) -> Value:
        same = _Builtins._same(arguments)
        return Value(is_list=True, each=element(same), steps=same.steps, holds=same.holds)

    @staticmethod
    def dict(arguments: Arguments) -> Value:
        if arguments.positional:
            of = arguments.positional[0]
            return (
                replace(of, shared=False)
                if of.is_dict
                else Value(is_dict=True, each=element(element(of)), steps=of.steps, holds=of.holds)
            )
        return dictionary(arguments.keywords)

    @staticmethod
    def sum(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        start = arguments.get(1, "start") or integer(0, 0)
        each = element(of)
        if start.is_list or each.is_list:
            # lists laid one behind the other
            return Value(is_list=True, each=element(each).join(element(start)), holds=of.holds or start.holds)
        return combine([each, start]) if of.is_list or not of.rows else Value(rows=of.rows)

    @staticmethod
    def _extreme(arguments: Arguments) -> Value:
        values = [element(v) if v.is_list else v for v in arguments.positional]
        joined = join_all(values)
        if joined.number and not joined.fractional:
            return replace(integer(joined.low, joined.high), stretched=joined.stretched)
        # the largest of several lists is one of them
        found = replace(combine(values), input=joined.input, shared=joined.shared, holds=joined.holds)
        return replace(found, is_list=True, each=element(joined), steps=joined.steps) if joined.is_list else found

    min = max = _extreme

    @staticmethod
    def abs(arguments: Arguments) -> Value:
        found = combine(list(arguments.positional))
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        if of.number and of.low is not None and of.high is not None:
            return replace(integer(0, max(-of.low, of.low, -of.high, of.high)), stretched=of.stretched)
        return found

    @staticmethod
    def round(arguments: Arguments) -> Value:
        found = combine(list(arguments.positional[:1]))
        return rounded(arguments.positional[0]) if found.number and len(arguments.positional) == 1 else found

    @staticmethod
    def int(arguments: Arguments) -> Value:
        return rounded(arguments.positional[0] if arguments.positional else UNKNOWN)

    @staticmethod
    def float(arguments: Arguments) -> Value:
        return Value(number=True, fractional=True)

    @staticmethod
    def bool(arguments: Arguments) -> Value:
        return integer(0, 1)

    any = all = bool
