"""The abstract values of calls: of functions of the module, builtins, NumPy, methods of arrays and containers."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from protocol_designer.rules.allowed import ARRAY_METHODS, MUTATING_METHODS, NUMPY, UFUNC_METHODS
from protocol_designer.rules.arithmetic import rounded
from protocol_designer.rules.arrays import Arguments, accessor_value, array_call, dict_view, mixes_rows
from protocol_designer.rules.builtin_values import builtin_call, range_value
from protocol_designer.rules.einsum import einsum_of
from protocol_designer.rules.evaluate import Environment, Evaluator
from protocol_designer.rules.indexing import grown
from protocol_designer.rules.outputs import by_position, written_arguments
from protocol_designer.rules.values import UNKNOWN, Value, dictionary, element, integer, join_all, taken

__all__ = ["Caller"]

_WHOLE = ("floor", "ceil", "trunc", "gcd")


class Caller(Evaluator):
    """The evaluator with calls."""

    def _eval_Call(self, node: cst.Call, env: Environment) -> Value:
        positional = []
        keywords = {}
        base = UNKNOWN
        method = isinstance(node.func, cst.Attribute) and _module_of(node.func) == ""
        if isinstance(node.func, cst.Attribute) and method:
            base = self.evaluate(node.func.value, env)
        for arg in node.args:
            value = self.evaluate(arg.value, env)
            if arg.keyword is not None:
                keywords[arg.keyword.value] = value
            elif arg.star:
                positional += [taken(value, item) for item in value.items or ()]
            else:
                positional.append(value)
        arguments = Arguments(tuple(positional), keywords)
        if isinstance(node.func, cst.Name):
            return self._call_name(node, node.func.value, arguments)
        if isinstance(node.func, cst.Attribute):
            if method:
                return self._call_method(node, node.func, base, arguments, env)
            return self._call_module(node, node.func, arguments)
        self.evaluate(node.func, env)
        return UNKNOWN

    def _call_name(self, node: cst.Call, name: str, arguments: Arguments) -> Value:
        if name in self.reading.functions:
            return self.call_function(name, arguments, node)
        return builtin_call(name, arguments)

    def _call_module(self, node: cst.Call, func: cst.Attribute, arguments: Arguments) -> Value:
        name = func.attr.value
        if _module_of(func) == "math":
            return rounded(UNKNOWN) if name in _WHOLE else Value(number=True, fractional=True)
        ufunc = func.value.attr.value if isinstance(func.value, cst.Attribute) else ""
        ufunc = "" if ufunc == "linalg" else ufunc
        return self._array_call(node, name, arguments, ufunc)

    def _array_call(
        self, node: cst.Call, name: str, arguments: Arguments, ufunc: str = "", method: bool = False
    ) -> Value:
        if by_position(name, ufunc, arguments, method):
            self.trace.outputs.add(node)
        why = mixes_rows(name, arguments, is_ufunc_method=bool(ufunc))
        if why:
            self.trace.see_mixing(node, name, why)
        for written in written_arguments(name, ufunc, arguments, method):
            self.trace.see_write(node, written, f"'{name}' writes into it")
        if name == "einsum" and not method:
            sums = einsum_of(arguments.positional)
            if sums is not None and sums.mixes:
                self.trace.see_mixing(node, name, sums.mixes)
            if sums is not None and sums.too_large:
                self.trace.large.add(node)
        if name == "arange":
            counted = range_value(arguments)
            return Value(array=True, each=counted.each, steps=counted.steps)
        if ufunc and name == "outer":
            return array_call("outer", Arguments(arguments.positional[:2]))
        if ufunc and name in UFUNC_METHODS:
            first = arguments.positional[0] if arguments.positional else UNKNOWN
            axis = arguments.get(1, "axis") or integer(0, 0)
            given = Arguments((first,), {**arguments.keywords, "axis": axis})
            return array_call("cumsum" if name == "accumulate" else "sum", given)
        return array_call(name, arguments)

    def _call_method(
        self, node: cst.Call, func: cst.Attribute, base: Value, arguments: Arguments, env: Environment
    ) -> Value:
        name = func.attr.value
        if base.own or base.inbox:
            return accessor_value(name, base, arguments)
        if name in MUTATING_METHODS and not (name == "partition" and not arguments.positional):
            self.trace.see_write(node, base, f"'.{name}()' changes it")
        if (base.is_dict or base.is_list) and name == "copy":
            return replace(base, shared=False)
        if base.is_dict and name in ("items", "keys", "values", "get"):
            found = dict_view(name, base)
            return join_all([found, *arguments.positional[1:]]) if name == "get" else found
        if name in ("append", "extend", "insert", "update", "setdefault") and isinstance(func.value, cst.Name):
            added = arguments.positional[-1] if arguments.positional else dictionary(arguments.keywords)
            grew = env[func.value.value] = grown(base, added, name, self.total)
            if name == "extend" and grew.steps is None and base.steps is not None:
                self.trace.endless.add(node)
            return grew.each or UNKNOWN if name == "setdefault" else UNKNOWN
        if name in ("pop", "index", "count", "reverse", "setdefault") or base.is_list:
            inside = base.each or UNKNOWN if base.is_dict else element(base)
            takes = name in ("pop", "setdefault")
            return join_all([taken(base, inside), *arguments.positional[1:]]) if takes else UNKNOWN
        if name in ARRAY_METHODS or name in NUMPY:
            return self._array_call(
                node, name, Arguments((base, *arguments.positional), arguments.keywords), method=True
            )
        return UNKNOWN


def _module_of(node: cst.Attribute) -> str:
    """Return "np" or "math" for `np.name`, `np.linalg.name` and `np.ufunc.method`; empty for a method of a value."""
    inner = node.value
    if isinstance(inner, cst.Attribute) and isinstance(inner.value, cst.Name) and inner.value.value == "np":
        return "np"
    return inner.value if isinstance(inner, cst.Name) and inner.value in ("np", "math") else ""
