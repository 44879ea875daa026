"""Rules on the two functions of the contract: that they exist, their parameters, and what they return."""

from __future__ import annotations

import re

import libcst as cst

from protocol_designer.rules.limits import MAX_NAME_LENGTH
from protocol_designer.rules.rule import Rule
from protocol_designer.rules.values import Value

__all__ = ["ComponentNames", "ComponentValues", "EveryPathReturns", "Returns", "SameComponents", "Signatures"]

_PARAMETERS = {"send": ("own",), "receive": ("own", "inbox")}
_HELP = {"send": "def send(own): ...", "receive": "def receive(own, inbox): ..."}
_LIKE_SEND = ("communication", "make_messages", "encode", "message", "messages", "protocol", "communicate")


class Signatures(Rule):
    """A part defines `send(own)`, and may define `receive(own, inbox)`, each once, with exactly these parameters.

    Remedy: write the line as the hint shows it.
    """

    code = "PD401"
    title = "send or receive is missing or has other parameters"

    def finish(self) -> None:
        functions = self.reading.functions
        if "send" not in functions:
            similar = [name for name in functions if name.lower() in _LIKE_SEND]
            where = functions[similar[0]].name if similar else None
            instead = f" ('{similar[0]}' is not it)" if similar else ""
            self.report(where, f"the part defines no function 'send'{instead}", _HELP["send"])
        for again in self.reading.duplicate_functions:
            self.report(again.name, f"'{again.name.value}' is defined twice", "keep one of the two")
        for name, expected in _PARAMETERS.items():
            if name in functions:
                self._check(functions[name], expected)

    def _check(self, function: cst.FunctionDef, expected: tuple[str, ...]) -> None:
        name = function.name.value
        params = function.params
        plain = (*params.posonly_params, *params.params)
        stars = (params.star_arg, params.star_kwarg)
        found = tuple(param.name.value for param in plain)
        extra = params.kwonly_params or any(isinstance(star, cst.Param) for star in stars)
        if found != expected or extra or any(param.default is not None for param in plain):
            written = cst.Module([]).code_for_node(params)
            self.report(function.name, f"'{name}' has the parameters ({written})", _HELP[name])


class Returns(Rule):
    """`send` and `receive` return a dict whose keys are string literals; each value is an array [R] or [R, k].

    The dict may be written in the return statement, built in a variable with literal keys, or by dict(name=value).
    Remedy: return {"name": value, ...}.
    """

    code = "PD402"
    title = "send or receive does not return a dict of named components"

    def finish(self) -> None:
        for name in _PARAMETERS:
            for node, value in self.reading.trace.returns.get(name, {}).items():
                where = node.value or node
                if not value.is_dict:
                    self.report(where, f"'{name}' returns something else than a dict", 'return {"name": value, ...}')
                elif value.entries is None:
                    hint = "write the keys out; several values of one kind are one component [R, k]"
                    self.report(where, f"the component names of '{name}' are not string literals", hint)
                elif not value.entries:
                    self.report(where, f"'{name}' returns no component", "return at least one, or delete the part")


class EveryPathReturns(Rule):
    """Every way through `send` and `receive` ends with a return.

    Remedy: end the function with `return {...}`.
    """

    code = "PD403"
    title = "send or receive may end without a return"

    def finish(self) -> None:
        for name in _PARAMETERS:
            if name in self.reading.trace.may_end_without_return:
                function = self.reading.functions[name]
                self.report(function.name, f"'{name}' may end without a return", "end it with return {...}")


class ComponentNames(Rule):
    """A component name is an ASCII identifier of at most 64 characters, and stands once in its dict.

    Remedy: use letters, digits and _, as in "enemy_0_dx"; dots are for the fields of the task.
    """

    code = "PD404"
    title = "a component name is not an identifier, or stands twice"

    def visit_Dict(self, node: cst.Dict) -> None:
        seen: set[str] = set()
        function = self.reading.enclosing_function(node)
        returned = {name for name in _PARAMETERS for name in self._returned(name)}
        for item in node.elements:
            if not isinstance(item, cst.DictElement):
                continue
            names = self.reading.trace.value(item.key).text or frozenset()
            key = next(iter(names)) if len(names) == 1 else None
            if key is None or function is None or function.name.value not in _PARAMETERS:
                continue
            if key in seen:
                self.report(item.key, f"the name '{key}' stands twice in this dict", "give each component its own name")
            seen.add(key)
            if key in returned and not _is_component_name(key):
                self.report(item.key, f"the component name '{key}' is not an identifier", _NAME_HINT)

    def finish(self) -> None:
        for name in _PARAMETERS:
            for node, value in self.reading.trace.returns.get(name, {}).items():
                wrong = [key for key, _ in value.entries or () if not _is_component_name(key)]
                if wrong and not isinstance(node.value, cst.Dict):
                    self.report(node, f"the component name '{wrong[0]}' is not an identifier", _NAME_HINT)

    def _returned(self, name: str) -> set[str]:
        return {
            key
            for node, value in self.reading.trace.returns.get(name, {}).items()
            if isinstance(node.value, cst.Dict)
            for key, _ in value.entries or ()
        }


_NAME_HINT = f"use ASCII letters, digits and _, at most {MAX_NAME_LENGTH} characters, as in 'enemy_0_dx'"


def _is_component_name(name: str) -> bool:
    return len(name) <= MAX_NAME_LENGTH and re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) is not None


class ComponentValues(Rule):
    """The value of a component is an array with one entry, or k of them, per row.

    Remedy: np.full(own.agent_id.shape, value) for a constant; np.stack([a, b], axis=1) for several values.
    """

    code = "PD406"
    title = "a component is not an array of rows"

    def finish(self) -> None:
        for name in _PARAMETERS:
            for node, value in self.reading.trace.returns.get(name, {}).items():
                for key, given in value.entries or ():
                    what = _not_an_array(given)
                    if what:
                        hint = "one entry per row is needed, as np.full(own.agent_id.shape, value) gives"
                        self.report(node.value or node, f"the component '{key}' is {what}", hint)


def _not_an_array(value: Value) -> str:
    if value.number and not value.array and not value.rows:
        return "a single number"
    if value.text is not None or value.maybe is not None:
        return "a string"
    return "a dict" if value.is_dict and not value.rows else ""


class SameComponents(Rule):
    """All return statements of a function name the same components: the width of a message is fixed.

    Remedy: return every component on every path, with zeros where there is nothing to say.
    """

    code = "PD405"
    title = "return statements name different components"

    def finish(self) -> None:
        for name in _PARAMETERS:
            first: frozenset[str] | None = None
            for node, value in self.reading.trace.returns.get(name, {}).items():
                if value.entries is None:
                    continue
                names = frozenset(key for key, _ in value.entries)
                if first is None:
                    first = names
                elif names != first:
                    odd = ", ".join(sorted(names ^ first))
                    hint = "return every component on every path, with zeros where there is nothing to say"
                    self.report(node, f"the returns of '{name}' differ in: {odd}", hint)
