"""Rules on what is handed to NumPy beside numbers: dtypes, functions and types, and arrays to write into."""

from __future__ import annotations

import libcst as cst

from protocol_designer.rules.allowed import BUILTINS, CONTRACT_IMPORTS, DTYPES, NUMPY, UFUNCS
from protocol_designer.rules.outputs import DTYPE_PLACES
from protocol_designer.rules.rule import Rule, normal

__all__ = ["Dtypes", "Outputs"]

_PLAIN = frozenset({"float", "int", "bool", "None"})
_VALUES = DTYPES | {"pi", "e", "inf", "nan", "newaxis"}
_NO_PLACE = 99
_HINT = "write np.float32, np.int64, bool, or x.dtype"


class Dtypes(Rule):
    """A dtype is one of NumPy's number types by name, `float`, `int`, `bool`, or another array's `dtype`.

    Other types (`list`, `dict`, the contract's) would make arrays that hold objects. Builtins and NumPy functions are
    called, not kept; they may go to `sorted`, `min` and `max` as `key`.
    Remedy: write dtype=np.float32, or leave it out.
    """

    code = "PD319"
    title = "a type or a function as a value"

    def visit_Call(self, node: cst.Call) -> None:
        places: list[cst.BaseExpression] = [
            arg.value for arg in node.args if arg.keyword and arg.keyword.value == "dtype"
        ]
        if isinstance(node.func, cst.Attribute) and not any(arg.star for arg in node.args):
            # of a method, the array itself is the first argument
            place = DTYPE_PLACES.get(node.func.attr.value, _NO_PLACE) - (not _is_numpy(node.func.value))
            positional = [arg.value for arg in node.args if arg.keyword is None]
            places += positional[place : place + 1]
        for written in places:
            if not self._is_dtype(written):
                self.report(written, f"the dtype '{cst.Module([]).code_for_node(written)}' is not allowed", _HINT)

    def _is_dtype(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.IfExp):
            return self._is_dtype(node.body) and self._is_dtype(node.orelse)
        if isinstance(node, cst.Attribute):
            return node.attr.value == "dtype" or (_is_numpy(node.value) and node.attr.value in DTYPES)
        if isinstance(node, cst.Name):
            value = self.reading.trace.value(node)
            holds_other = value.is_list or value.is_dict or value.number or value.text is not None
            return node.value in _PLAIN or not (node.value in BUILTINS or holds_other)
        return False

    def finish(self) -> None:
        for node in self.reading.references:
            name = normal(node.value)
            types = (BUILTINS - _PLAIN - {"True", "False"}) | CONTRACT_IMPORTS
            if name in types and name not in self.reading.constants and not self._is_used(node):
                self.report(node, f"'{name}' is not called here", f"write {name}(...), or what is meant")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        name = normal(node.attr.value)
        if _is_numpy(node.value) and isinstance(node.value, cst.Name) and name in NUMPY - _VALUES:
            outer = self.reading.parents[node]
            method = isinstance(outer, cst.Attribute) and name in UFUNCS
            if not method and not self._is_used(node):
                self.report(node, f"'np.{name}' is not called here", f"write np.{name}(...)")

    def _is_used(self, node: cst.CSTNode) -> bool:
        """Return whether a name is called, is the key of a sort, or stands in a type alias."""
        parent = self.reading.parents[node]
        if isinstance(parent, cst.Call):
            return True
        key = isinstance(parent, cst.Arg) and parent.keyword is not None and parent.keyword.value == "key"
        return key or self.reading.in_alias(node)


def _is_numpy(node: cst.CSTNode) -> bool:
    """Return whether `node` is `np`, or a ufunc of it, as in np.add.reduce."""
    if isinstance(node, cst.Attribute):
        return _is_numpy(node.value) and node.attr.value in UFUNCS
    return isinstance(node, cst.Name) and normal(node.value) == "np"


class Outputs(Rule):
    """What stands at the position of an array to write into is an array that the function made itself.

    np.median(x, 1, y) writes into y: the third argument is `out`.
    Remedy: write np.add(a, b, out=total) with an array of your own, or total = a + b; name the other options.
    """

    code = "PD321"
    title = "too many arguments by position"

    def finish(self) -> None:
        for node in self.reading.trace.outputs:
            self.report(node, "this argument is an array to write into", "name the options, or assign the result")
