"""What NumPy functions and array methods do with the axis of rows and with memory, on abstract values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from protocol_designer.rules.allowed import words
from protocol_designer.rules.limits import MAX_AXES, MAX_AXIS
from protocol_designer.rules.values import UNKNOWN, Value, combine, element, integer, join_all, listing, taken

__all__ = [
    "Arguments",
    "accessor_value",
    "array_call",
    "dict_view",
    "mixes_rows",
    "shape_item",
    "shape_value",
    "transposed",
    "unpack",
]


@dataclass(frozen=True)
class Arguments:
    """The abstract arguments of a call; for a method, the first positional one is the object itself."""

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)

    def get(self, index: int, name: str) -> Value | None:
        """Return the argument at a position or under a name, or None."""
        if index < len(self.positional):
            return self.positional[index]
        return self.keywords.get(name)


_REDUCTIONS = words(
    """sum prod mean average std var median min max amin amax ptp argmin argmax any all count_nonzero nansum nanmean
    nanmin nanmax nanprod nanstd nanvar nanmedian nanargmin nanargmax norm"""
)
_AXIS_THIRD = words("norm quantile percentile roll take repeat append delete compress")
_FLATTENING = words("cumsum cumprod nancumsum flip ravel flatten")
_LAST_AXIS = words("sort argsort diff partition argpartition")
_UFUNC_AXIS_0 = words("reduce accumulate")
_VIEWS = words(
    """asarray reshape ravel transpose swapaxes moveaxis rollaxis expand_dims squeeze broadcast_to atleast_1d
    atleast_2d atleast_3d flip fliplr flipud rot90 diagonal diag split array_split hsplit vsplit
    broadcast_arrays conj"""
)
_SEVERAL = words("broadcast_arrays atleast_1d atleast_2d atleast_3d")
_LISTS_OF_VIEWS = words("split array_split hsplit vsplit broadcast_arrays")
_KEEPS_FRONT = words("asarray conj atleast_1d array copy astype flip fliplr broadcast_to")
_STACKS = words("stack concatenate")
_MAKES = words("zeros ones full")
_LIKE = words("zeros_like ones_like full_like")
_PLAIN = words("shape ndim size finfo iinfo eye identity tri linspace ix_ meshgrid")
_MOVES_AXES = words(
    """reshape ravel flatten transpose swapaxes moveaxis rollaxis squeeze atleast_2d atleast_3d rot90 diagonal trace
    vstack hstack dstack tensordot einsum kron outer inner dot vdot cross pad insert delete append tile repeat
    convolve correlate nonzero flatnonzero argwhere extract compress unravel_index"""
)

_UNARY = words(
    """abs absolute fabs sign sqrt cbrt square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan
    sinh cosh tanh arcsinh arccosh arctanh degrees radians deg2rad rad2deg floor ceil trunc rint fix negative
    positive reciprocal isfinite isnan isinf logical_not bitwise_not invert signbit"""
)
_BINARY = words(
    """add subtract multiply divide true_divide floor_divide mod fmod remainder power float_power maximum minimum
    fmax fmin arctan2 hypot copysign heaviside logical_and logical_or logical_xor bitwise_and bitwise_or
    bitwise_xor left_shift right_shift equal not_equal less less_equal greater greater_equal round around"""
)
_ELEMENTWISE = (
    _UNARY | _BINARY | words("clip nan_to_num where select copy astype array isclose interp conj cumsum cumprod")
)
_PAIRS_OF_ROWS = words("outer kron meshgrid")


def axis_of(name: str, arguments: Arguments) -> Value | None:
    """Return the `axis` argument, or None where it is left out."""
    return arguments.get(2 if name in _AXIS_THIRD else 1, "axis")


def _is_row_axis(axis: Value) -> bool:
    """Return whether an axis argument surely holds axis 0."""
    if axis.items is not None:
        return any(_is_row_axis(item) for item in axis.items)
    return axis.number and axis.low == axis.high == 0


def mixes_rows(name: str, arguments: Arguments, is_ufunc_method: bool = False) -> str:
    """Return why a call computes over the axis of rows, for example "no axis"; empty when it does not surely do so."""
    first = arguments.get(0, "a")
    if first is None or not (first.rows and first.front):
        return ""
    axis = axis_of(name, arguments)
    if name in _PAIRS_OF_ROWS and sum(value.rows for value in arguments.positional) > 1:
        return "two arrays of rows"
    if is_ufunc_method:
        return "axis=0, the default" if name in _UFUNC_AXIS_0 and (axis is None or _is_row_axis(axis)) else ""
    takes_axis = name in _REDUCTIONS | _FLATTENING | _LAST_AXIS | {"quantile", "percentile", "roll"}
    if not takes_axis:
        return ""
    if axis is None:
        return "" if name in _LAST_AXIS | {"ravel", "flatten"} else "no axis"
    return "axis=0" if _is_row_axis(axis) else ""


def _flat(value: Value) -> Value:
    """Return an argument as NumPy reads it: a list becomes an array of its elements."""
    if not value.is_list:
        return value
    inner = join_all([_flat(item) for item in value.items]) if value.items else element(value)
    return Value(rows=inner.rows, shaped=True)


def array_call(name: str, arguments: Arguments) -> Value:
    """Return the result of `np.name(...)` or of the array method `name`."""
    result = _array_call(name, arguments)
    return result if result.is_list or result.number else replace(result, array=True)


def _array_call(name: str, arguments: Arguments) -> Value:
    first = arguments.get(0, "a") or UNKNOWN
    if name in _PLAIN:
        if name in ("ndim", "size"):
            return integer(0, MAX_AXES) if name == "ndim" else Value(number=True, row_count=first.rows)
        return Value(shaped=name == "ix_")
    if name in _MAKES:
        shape = arguments.get(0, "shape") or UNKNOWN
        leading = shape.items[0] if shape.items else shape
        return Value(rows=leading.row_count, front=leading.row_count)
    if name in _LIKE:
        return combine([_flat(first)])
    if name in _REDUCTIONS:
        return _reduce(name, first, arguments)
    if name in _STACKS or name == "column_stack":
        return _stack(name, first, arguments)
    if name == "select":
        lists = [element(value) for value in arguments.positional[:2]]
        return combine([*lists, *arguments.positional[2:]])
    if name == "where" and len(arguments.positional) == 1:
        return UNKNOWN
    if name in ("item", "tolist"):
        return Value(number=name == "item", is_list=name == "tolist")
    if name in _VIEWS:
        return _view(name, first, arguments)
    result = combine([_flat(value) for value in arguments.positional])
    if name in ("array", "copy", "astype"):
        result = combine([_flat(first)])
        copied = arguments.keywords.get("copy")
        if copied is not None and name != "copy":
            result = replace(result, input=first.input, shared=first.shared)
    if name in ("matmul", "vecdot", "matvec", "vecmat"):
        return replace(result, front=first.front, wide=False, axes=None)
    if name in _MOVES_AXES:
        return replace(result, front=False, shaped=not result.rows, wide=False, axes=None)
    return result if name in _ELEMENTWISE else replace(result, wide=False, axes=None)


def _reduce(name: str, first: Value, arguments: Arguments) -> Value:
    value = _flat(first)
    axis = axis_of(name, arguments)
    if axis is None:
        return Value(rows=value.rows and not value.front)
    one = value.axes is not None and axis.number and "keepdims" not in arguments.keywords
    axes = (value.axes or 0) - 1 if one else None
    front = value.front and not _is_row_axis(axis)
    return Value(rows=value.rows, front=front, shaped=value.shaped, axes=axes, wide=(axes or 0) > 1)


def _stack(name: str, first: Value, arguments: Arguments) -> Value:
    parts = list(first.items) if first.items is not None else [element(first)]
    rows = any(part.rows for part in parts)
    axis = axis_of(name, arguments)
    behind = name == "column_stack" or (axis is not None and axis.number and axis.low is not None and axis.low != 0)
    front = rows and behind and all(part.front for part in parts if part.rows)
    known = {part.axes for part in parts}
    axes = next(iter(known)) if len(known) == 1 else None
    if name == "column_stack":
        axes = 2
    elif name == "stack" and axes is not None:
        axes += 1
    return Value(rows=rows, front=front, shaped=not rows, wide=front, axes=axes if front else None)


def _view(name: str, first: Value, arguments: Arguments) -> Value:
    if name in _SEVERAL:
        first = join_all(list(arguments.positional))
    value = _flat(first) if first.is_list else first
    base = Value(rows=value.rows, front=value.front, input=value.input, shared=value.shared, shaped=True)
    if name == "transpose" and len(arguments.positional) == 1 and not arguments.keywords:
        return transposed(value)
    if name == "expand_dims":
        axis = arguments.get(1, "axis")
        keeps = axis is not None and axis.low is not None and axis.low != 0
    else:
        keeps = name in _KEEPS_FRONT
    base = replace(base, front=base.front and keeps, shaped=not base.rows)
    if name in _LISTS_OF_VIEWS:
        return Value(is_list=True, each=base)
    return base


def shape_value(value: Value) -> Value:
    """Return the value of `x.shape`."""
    return Value(is_shape=True, row_count=value.rows and value.front, axes=value.axes, is_list=True)


def accessor_value(name: str, base: Value, arguments: Arguments) -> Value:
    """Return the value of `own.group(...)`, `inbox.past(...)` and their like."""
    read = Value(rows=True, front=True, input=True, array=True)
    if name == "past":
        names = (arguments.positional[0].text if arguments.positional else None) or frozenset()
        one_field = base.own and not base.inbox and names and not any(set("*?[") & set(text) for text in names)
        return replace(read, wide=True, axes=2 if one_field else None)
    if name in ("group", "allies", "addressed"):
        return replace(read, wide=True, axes=2)
    return replace(read, axes=1) if name == "is_role" else read


def transposed(value: Value) -> Value:
    """Return the value of `x.T`: one step of a loop over it is a column where x surely has columns."""
    turned = replace(value, front=False, shaped=not value.rows, wide=False, axes=None, each=None, steps=None)
    if not (value.rows and value.front):
        return turned
    if value.axes == 1:
        return value
    if not value.wide:
        return turned
    one = value.axes == 2
    column = Value(rows=True, front=one, axes=1 if one else None, array=True, input=value.input, shared=value.shared)
    return replace(turned, each=column, steps=MAX_AXIS)


def unpack(value: Value, starred: list[bool]) -> list[Value]:
    """Return the values that `a, *b, c = value` binds; `starred` says which of the targets takes what is left."""
    count = len(starred)
    if any(starred):
        return _unpack_starred(value, starred.index(True), count - 1 - starred.index(True))
    if value.items is not None and len(value.items) == count:
        return [taken(value, item) for item in value.items]
    if value.is_shape:
        return [shape_item(value, index) for index in range(count)]
    return [element(value)] * count


def _unpack_starred(value: Value, before: int, after: int) -> list[Value]:
    if value.items is not None and len(value.items) >= before + after:
        items = [taken(value, item) for item in value.items]
        last = len(items) - after
        return [*items[:before], listing(items[before:last]), *items[last:]]
    each = element(value)
    left = Value(is_list=True, each=each, steps=value.steps, holds=value.holds)
    return [*[each] * before, left, *[each] * after]


def shape_item(value: Value, index: int | None) -> Value:
    """Return one entry of a shape: R for the first of an array of rows, bounded by an assumed width for the others."""
    if index == 0 or (index == -1 and value.axes == 1):
        return Value(number=True, row_count=value.row_count)
    return Value(number=True, low=0, high=MAX_AXIS) if index is not None else Value(number=True)


def dict_view(method: str, value: Value) -> Value:
    """Return the value of `x.items()`, `x.keys()`, `x.values()` or `x.get(key)` of a dict."""
    keys, each = element(value), value.each or UNKNOWN
    keys, each = taken(value, keys), taken(value, each)
    if method == "get":
        return each
    views = {"items": listing([keys, each]), "keys": keys, "values": each}
    return Value(is_list=True, each=views[method], steps=value.steps, holds=value.holds)
