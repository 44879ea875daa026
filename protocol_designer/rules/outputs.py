"""Which arguments of NumPy's functions, methods and ufunc methods are written into, and which one is a dtype."""

from __future__ import annotations

from protocol_designer.rules.allowed import UFUNC_METHODS, words
from protocol_designer.rules.arrays import Arguments
from protocol_designer.rules.values import Value

__all__ = ["DTYPE_PLACES", "OUT_PLACES", "by_position", "written_arguments"]

_UNARY = words(
    """abs absolute fabs sign sqrt cbrt square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan
    sinh cosh tanh arcsinh arccosh arctanh degrees radians deg2rad rad2deg floor ceil trunc rint fix negative
    positive reciprocal isfinite isnan isinf logical_not bitwise_not invert signbit modf"""
)
_SECOND = words(
    """add subtract multiply divide true_divide floor_divide mod fmod remainder power float_power maximum minimum
    fmax fmin arctan2 hypot copysign heaviside logical_and logical_or logical_xor bitwise_and bitwise_or
    bitwise_xor left_shift right_shift equal not_equal less less_equal greater greater_equal matmul vecdot
    matvec vecmat divmod dot round around all any amax amin max min ptp argmax argmin nanmax nanmin nanargmax
    nanargmin median nanmedian concatenate stack outer"""
)
_THIRD = words(
    """sum prod mean std var cumsum cumprod nansum nanprod nanmean nanstd nanvar nancumsum take compress clip
    quantile percentile"""
)

OUT_PLACES = {**dict.fromkeys(_UNARY, 1), **dict.fromkeys(_SECOND, 2), **dict.fromkeys(_THIRD, 3), "trace": 5}
"""Function → the position of its first output array, from 0; a test compares it with NumPy's own signatures."""

DTYPE_PLACES = {
    **dict.fromkeys(("array", "asarray", "astype", "identity", "ones", "ones_like", "zeros", "zeros_like"), 1),
    **dict.fromkeys(("cumprod", "cumsum", "mean", "prod", "std", "sum", "var", "full", "full_like"), 2),
    **dict.fromkeys(("nancumsum", "nanmean", "nanprod", "nanstd", "nansum", "nanvar", "reduce", "accumulate"), 2),
    **dict.fromkeys(("arange", "eye", "tri"), 3),
    "trace": 4,
    "linspace": 5,
}
"""Function, or array method with the array counted first → the position of its dtype, from 0."""

_METHOD_OUT = {"choose": 2}
_UFUNC_METHOD_OUT = {"reduce": 3, "accumulate": 3, "outer": 2, "at": 3}
_OVERWRITE = {"median": 3, "nanmedian": 3, "percentile": 4, "quantile": 4}
_FIRST_IS_WRITTEN = ("fill_diagonal", "put_along_axis")


def _place(name: str, owner: str, method: bool) -> int | None:
    if owner:
        return _UFUNC_METHOD_OUT.get(name)
    return _METHOD_OUT.get(name, OUT_PLACES.get(name)) if method else OUT_PLACES.get(name)


def by_position(name: str, owner: str, arguments: Arguments, method: bool) -> bool:
    """Return whether a call is given something by the position of an output that is not known to be an array.

    `owner` is the ufunc of a ufunc method.
    """
    place = _place(name, owner, method)
    return place is not None and not all(value.array for value in arguments.positional[place:])


def written_arguments(name: str, owner: str, arguments: Arguments, method: bool = False) -> list[Value]:
    """Return the arguments that a NumPy call writes into."""
    written = []
    if (owner and name == "at") or (not owner and (name in _FIRST_IS_WRITTEN or _works_in_place(name, arguments))):
        written += [first for first in (arguments.get(0, "a"),) if first is not None]
    if not owner or name in UFUNC_METHODS - {"at"}:
        place = _place(name, owner, method)
        if place is not None:
            written += arguments.positional[place:]
        if "out" in arguments.keywords:
            written.append(arguments.keywords["out"])
    return [inside for value in written for inside in _arrays(value)]


def _arrays(value: Value) -> list[Value]:
    """Return a value, and what lies inside where it is a tuple of outputs."""
    inside = list(value.items or ()) if value.items is not None else [value.each] if value.each is not None else []
    return [value, *inside] if value.is_list else [value]


def _works_in_place(name: str, arguments: Arguments) -> bool:
    if name == "nan_to_num":
        copied = arguments.get(1, "copy")
        return copied is not None and copied.low != 1
    place = _OVERWRITE.get(name)
    return "overwrite_input" in arguments.keywords or (place is not None and len(arguments.positional) > place)
