"""What indexing, storing and growing do to lists, dicts and arrays, on abstract values."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from protocol_designer.rules.values import UNKNOWN, Value, element, taken

__all__ = ["after_store", "array_item", "grown", "list_item"]


def _is_new_axis(part: cst.BaseSlice) -> bool:
    if not isinstance(part, cst.Index):
        return False
    if isinstance(part.value, cst.Name):
        return part.value.value == "None"
    return isinstance(part.value, cst.Attribute) and part.value.attr.value == "newaxis"


def list_item(base: Value, parts: list[cst.BaseSlice], index: Value) -> Value:
    """Return one element of a tuple or list, or a slice of it."""
    if isinstance(parts[0], cst.Slice):
        return Value(is_list=True, each=element(base), steps=base.steps, holds=base.holds, stretched=base.stretched)
    exact = index.low if index.low == index.high else None
    if base.items is not None and exact is not None and -len(base.items) <= exact < len(base.items):
        return taken(base, base.items[exact])
    return element(base)


def array_item(base: Value, parts: list[cst.BaseSlice], indices: list[Value]) -> Value:
    """Return a part of an array: a view, unless an index is itself an array or a list."""
    new_axes = any(_is_new_axis(part) for part in parts)
    leading = parts[0]
    keeps_front = isinstance(leading, cst.Slice) or (
        isinstance(leading, cst.Index) and (isinstance(leading.value, cst.Ellipsis) or indices[0].rows)
    )
    # of a list that nobody knows to be one, an index that is an array takes an element
    copied = base.array and any(index.rows or index.is_list for index in indices)
    rows = base.rows or any(index.rows for index in indices)
    return Value(
        rows=rows,
        front=indices[0].front if indices[0].rows else base.front and keeps_front,
        input=base.input and not copied,
        shared=base.shared and not copied,
        holds=base.holds and not copied,
        shaped=not rows and (new_axes or base.shaped),
        axes=_axes_left(base, parts, indices) if base.front and keeps_front else None,
        wide=base.front and isinstance(leading, cst.Slice) and any(_keeps_an_axis(part) for part in parts[1:]),
    )


def _keeps_an_axis(part: cst.BaseSlice) -> bool:
    return isinstance(part, cst.Slice) or _is_new_axis(part)


def _axes_left(base: Value, parts: list[cst.BaseSlice], indices: list[Value]) -> int | None:
    """Return the axes of `base[parts]`, for slices, new axes and single numbers."""
    left = base.axes
    for part, index in zip(parts, indices, strict=True):
        if left is None:
            return None
        if _is_new_axis(part):
            left += 1
        elif isinstance(part, cst.Index) and index.number and not index.array:
            left -= 1
        elif not isinstance(part, cst.Slice):
            left = None
    return left


def after_store(base: Value, indices: list[Value], value: Value, total: int | None) -> Value:
    """Return what a local holds after `local[index] = value`."""
    if base.is_dict:
        keys = indices[0].text if indices else None
        entries = None
        if keys is not None and base.entries is not None:
            entries = tuple((dict(base.entries) | dict.fromkeys(sorted(keys), value)).items())
        return grown(replace(base, entries=entries), value, "store", total)
    if base.is_list:
        holds = base.holds or value.shared or value.holds
        return replace(base, items=None, each=element(base).join(value), holds=holds)
    return replace(base, rows=base.rows or value.rows, shaped=base.shaped and not value.rows)


def grown(base: Value, added: Value, how: str, total: int | None) -> Value:
    """Return a list or dict after something was added, at most once per step of the loops around."""
    known = element(base) if not base.is_dict else base.each or UNKNOWN
    more = element(added) if how == "extend" else added
    empty = known is UNKNOWN and base.steps == 0
    per_step = (added.steps or 1) if how == "extend" else 1
    doubles = how == "extend" and base.stretched and added.stretched
    steps = None if total is None or base.steps is None or doubles else _grown_steps(base.steps, total, per_step)
    holds = base.holds or added.shared or added.holds
    entries = base.entries if base.is_dict else None
    if how == "update" and entries is not None:
        entries = None if added.entries is None else tuple((dict(entries) | dict(added.entries)).items())
    elif how == "setdefault":
        entries = None
    each = more if empty else known.join(more)
    return replace(base, items=None, entries=entries, each=each, steps=steps, holds=holds)


def _grown_steps(before: int, total: int, per_step: int) -> int:
    return max(before + (total == 1) * per_step, total * per_step)
