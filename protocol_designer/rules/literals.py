"""What may make a constant of the module: computed from what is written alone, cheaply, and without a state."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from protocol_designer.rules.allowed import CONSTANT_MEMBERS, DTYPES, MATH, words
from protocol_designer.rules.reading import target_names

__all__ = ["is_literal", "is_name_list"]

_BUILTINS = words("range len min max abs int float bool round sum sorted tuple list dict any all divmod")
# an iterator remembers how far it was read: it may be read at once, and not be kept
_ITERATORS = words("enumerate zip reversed")
_READERS = words("tuple list dict sum sorted min max any all")
_ARRAYS = words(
    """array asarray arange linspace eye identity tri zeros ones full sqrt square exp log log2 sin cos tan arctan2 hypot
    abs absolute radians sum prod mean min max cumsum cumprod diag tril triu flip float32 float64 int32 int64"""
)
_OPTIONS = words("axis endpoint num k start stop step N M shape fill_value")
_VIEWS = words("items keys values")


def is_literal(node: cst.CSTNode, names: Collection[str] = ()) -> bool:
    """Return whether `node` is computed from literals and the constants `names` alone.

    That is a number, a string, True/False/None, a dtype, a constant, a container, arithmetic, comparison, index or
    comprehension of such, and `range`, `sum`, `math` functions, `np.array` and their like of such.
    """
    return _is_literal(node, frozenset(names))


def is_name_list(node: cst.CSTNode) -> bool:
    """Return whether `node` is a list or tuple of strings, as `__all__` is."""
    return isinstance(node, cst.Tuple | cst.List) and all(
        isinstance(element.value, cst.SimpleString) for element in node.elements
    )


def _is_literal(node: cst.CSTNode, names: frozenset[str], read_at_once: bool = False) -> bool:
    if isinstance(node, cst.Integer | cst.Float | cst.SimpleString):
        return True
    if isinstance(node, cst.Name):
        return node.value in ("True", "False", "None") or node.value in names
    if isinstance(node, cst.Attribute):
        return _member_of(node, "np", CONSTANT_MEMBERS | DTYPES) or _member_of(node, "math", CONSTANT_MEMBERS)
    if isinstance(node, cst.Call):
        return _is_literal_call(node, names, read_at_once)
    if isinstance(node, cst.GeneratorExp):
        return read_at_once and _is_literal_comprehension(node.for_in, [node.elt], names)
    if isinstance(node, cst.ListComp):
        return _is_literal_comprehension(node.for_in, [node.elt], names)
    if isinstance(node, cst.DictComp):
        return _is_literal_comprehension(node.for_in, [node.key, node.value], names)
    parts = _parts(node)
    return parts is not None and all(_is_literal(part, names) for part in parts)


def _parts(node: cst.CSTNode) -> list[cst.CSTNode] | None:
    """Return what an expression is computed from; None for one that makes no constant."""
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    if isinstance(node, cst.BinaryOperation | cst.BooleanOperation | cst.ConcatenatedString):
        return [node.left, node.right]
    if isinstance(node, cst.Comparison):
        return [node.left, *(part.comparator for part in node.comparisons)]
    if isinstance(node, cst.IfExp):
        return [node.test, node.body, node.orelse]
    if isinstance(node, cst.Tuple | cst.List):
        return [element.value for element in node.elements]
    if isinstance(node, cst.Dict):
        keys = [item.key for item in node.elements if isinstance(item, cst.DictElement)]
        return [*keys, *(item.value for item in node.elements)]
    if isinstance(node, cst.FormattedString):
        return [part.expression for part in node.parts if isinstance(part, cst.FormattedStringExpression)]
    if isinstance(node, cst.Subscript):
        return [node.value, *(part for element in node.slice for part in _bounds(element.slice))]
    return None


def _bounds(part: cst.BaseSlice) -> list[cst.CSTNode]:
    if isinstance(part, cst.Slice):
        return [bound for bound in (part.lower, part.upper, part.step) if bound is not None]
    return [part.value] if isinstance(part, cst.Index) else [part]


def _is_literal_comprehension(first: cst.CompFor, results: list[cst.BaseExpression], names: frozenset[str]) -> bool:
    clause: cst.CompFor | None = first
    while clause is not None:
        if not _is_literal(clause.iter, names, read_at_once=True):
            return False
        names |= {name.value for name in target_names(clause.target)}
        if not all(_is_literal(condition.test, names) for condition in clause.ifs):
            return False
        clause = clause.inner_for_in
    return all(_is_literal(result, names) for result in results)


def _member_of(node: cst.CSTNode, module: str, members: Collection[str]) -> bool:
    """Return whether `node` is `module.name` with one of these names."""
    if not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Name):
        return False
    return node.value.value == module and node.attr.value in members


def _is_literal_call(node: cst.Call, names: frozenset[str], read_at_once: bool) -> bool:
    """Return whether `node` is range(…), sum(…), math.sqrt(…), np.array(…) and their like of literals."""
    if any(arg.star for arg in node.args):
        return False
    plain = [arg.value for arg in node.args if arg.keyword is None]
    named = {arg.keyword.value: arg.value for arg in node.args if arg.keyword is not None}
    called = node.func
    if isinstance(called, cst.Attribute) and called.attr.value in _VIEWS and not node.args:
        return _is_literal(called.value, names) and not isinstance(called.value, cst.Attribute)
    if isinstance(called, cst.Name):
        lazy = called.value in _ITERATORS
        at_once = called.value in _READERS or (lazy and read_at_once)
        known = called.value in _BUILTINS or (lazy and read_at_once)
        return known and not named and all(_is_literal(value, names, at_once) for value in plain)
    if not all(_is_literal(value, names) for value in plain):
        return False
    if _member_of(called, "math", MATH):
        return not named
    return _member_of(called, "np", _ARRAYS) and all(
        _is_dtype(value, names) if name == "dtype" else name in _OPTIONS and _is_literal(value, names)
        for name, value in named.items()
    )


def _is_dtype(node: cst.CSTNode, names: frozenset[str]) -> bool:
    if isinstance(node, cst.Name):
        return node.value in names or node.value in ("float", "int", "bool")
    return isinstance(node, cst.Attribute)
