"""Rules on names: identifiers, what they may refer to, modules' members, attributes and calls."""

from __future__ import annotations

import builtins

import libcst as cst

from protocol_designer.rules.allowed import (
    ARRAY_ATTRIBUTES,
    ARRAY_METHODS,
    BUILTINS,
    CONTAINER_METHODS,
    CONTRACT_IMPORTS,
    INBOX_ATTRIBUTES,
    INBOX_METHODS,
    MATH,
    MEANT,
    NUMPY,
    NUMPY_LINALG,
    NUMPY_MEANT,
    OBSERVATION_ATTRIBUTES,
    OBSERVATION_METHODS,
    UFUNC_METHODS,
    UFUNCS,
)
from protocol_designer.rules.annotations import first_wrong
from protocol_designer.rules.reading import Reading, bound_names
from protocol_designer.rules.rule import Rule, nearest_or_all, normal

__all__ = ["Annotations", "AsciiIdentifiers", "Attributes", "Calls", "ModuleMembers", "Names", "Rebinding"]

_CONSTANTS = frozenset({"True", "False", "None"})
_MODULES = ("np", "math")
_ATTRIBUTES = (
    ARRAY_ATTRIBUTES
    | ARRAY_METHODS
    | CONTAINER_METHODS
    | OBSERVATION_ATTRIBUTES
    | OBSERVATION_METHODS
    | INBOX_ATTRIBUTES
    | INBOX_METHODS
)
_VALUES = ARRAY_ATTRIBUTES | OBSERVATION_ATTRIBUTES | INBOX_ATTRIBUTES


_UNDERSCORES = "the name '{}' starts with two underscores: such names are refused"


def _renamed(name: str) -> str:
    """Return a hint for a name that starts with two underscores; empty for others."""
    plain = name.strip("_")
    own = plain if plain and not hasattr(builtins, name) and name != "__builtins__" else ""
    if not name.startswith("__"):
        return ""
    return f"rename it, for example to '{own}'" if own.isidentifier() else "choose another name"


class AsciiIdentifiers(Rule):
    """Names are written in ASCII letters: some other letters look alike or are read by Python as another name.

    Remedy: retype the name; comments and docstrings may use any letters.
    """

    code = "PD105"
    title = "a name with letters other than ASCII"

    def visit_Name(self, node: cst.Name) -> None:
        if not node.value.isascii():
            same = normal(node.value)
            hint = f"Python reads it as '{same}'" if same.isascii() else "use a-z, A-Z, 0-9 and _"
            self.report(node, f"the name '{node.value}' is not ASCII", hint)


class Names(Rule):
    """A name refers to a parameter, a local, a function or constant of the module, `np`, `math` or an allowed builtin.

    Remedy: define it before it is used, or write it as the hint says. The guide lists the builtins.
    """

    code = "PD305"
    title = "a name that is not defined or not allowed"

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._locals = {name: bound_names(function) for name, function in reading.functions.items()}
        self._module = {*reading.functions, *reading.constants, *_imported(reading.module)}

    def finish(self) -> None:
        for node in self.reading.references:
            name = normal(node.value)
            function = self.reading.enclosing_function(node)
            if function is None:
                local = self.reading.comprehension_names(node)
            else:
                local = self._locals.get(function.name.value, frozenset())
            known = local | self._module | BUILTINS
            if name in known and not name.startswith("__"):
                continue
            if name in _MODULES:
                line = "import numpy as np" if name == "np" else "import math"
                self.report(node, f"'{name}' is not imported", f"write '{line}' at the top")
            else:
                hint = MEANT.get(name) or _renamed(name) or nearest_or_all(name, known - _CONSTANTS)
                self.report(node, self._message(name), hint)

    @staticmethod
    def _message(name: str) -> str:
        if name.startswith("__"):
            return _UNDERSCORES.format(name)
        exists = hasattr(builtins, name)
        return f"the name '{name}' is not allowed" if exists else f"the name '{name}' is not defined"


def _imported(module: cst.Module) -> set[str]:
    found = set()
    for statement in module.body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.Import | cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                    for alias in small.names:
                        name = alias.asname.name if alias.asname else alias.name
                        found.add(name.value if isinstance(name, cst.Name) else "")
    return found


class Rebinding(Rule):
    """`np`, `math`, the contract's names, the module's functions and the builtins keep their meaning.

    Remedy: choose another name for the variable, for example `total` for `sum`.
    """

    code = "PD306"
    title = "an allowed name gets another meaning"

    def finish(self) -> None:
        reserved = {*_MODULES, *CONTRACT_IMPORTS, *BUILTINS}
        for node in self.reading.stores:
            name = normal(node.value)
            if name == "__all__" and self.reading.enclosing_function(node) is None:
                continue
            if name.startswith("__"):
                self.report(node, _UNDERSCORES.format(name), _renamed(name))
            elif name in reserved or name in self.reading.functions:
                self.report(node, f"'{name}' gets another meaning here", "choose another name for this variable")
        for function in self.reading.functions.values():
            name = normal(function.name.value)
            if name in reserved or name.startswith("__"):
                self.report(function.name, f"'{name}' gets another meaning here", "choose another name")


class ModuleMembers(Rule):
    """Of `np` and `math` only the listed functions and constants may be used, and the modules only with a dot.

    Left out are names that read or write files, evaluate text, call back, use random numbers, mix rows or
    return uninitialised memory.
    Remedy: the hint names the nearest allowed ones; `np.linalg` has `norm` alone.
    """

    code = "PD307"
    title = "a member of np or math that is not allowed"

    def finish(self) -> None:
        for node in self.reading.references:
            module = normal(node.value)
            if module in _MODULES:
                self._check(module, node)

    def _check(self, module: str, node: cst.Name) -> None:
        parent = self.reading.parents[node]
        if not (isinstance(parent, cst.Attribute) and parent.value is node):
            self.report(node, f"the module '{module}' stands alone", f"use it as {module}.name")
            return
        name = normal(parent.attr.value)
        outer = self.reading.parents[parent]
        member = normal(outer.attr.value) if isinstance(outer, cst.Attribute) and outer.value is parent else None
        if module == "np" and name == "linalg":
            if member not in NUMPY_LINALG:
                self.report(parent, f"'np.linalg{'.' + member if member else ''}'", "allowed: 'np.linalg.norm'")
        elif name not in (NUMPY if module == "np" else MATH):
            valid = NUMPY if module == "np" else MATH
            hint = NUMPY_MEANT.get(name) if module == "np" else None
            self.report(parent, f"'{module}.{name}' is not allowed", hint or nearest_or_all(name, valid))
        elif member is not None and name in UFUNCS and member not in UFUNC_METHODS:
            self.report(outer, f"'np.{name}.{member}' is not allowed", nearest_or_all(member, UFUNC_METHODS))


class Attributes(Rule):
    """Of arrays, lists, dicts, `own` and `inbox` only the listed attributes and methods may be used.

    Remedy: fields are read as `own["name"]`; for another array method use the
    NumPy function of that name.
    """

    code = "PD308"
    title = "an attribute that is not allowed"

    def visit_Attribute(self, node: cst.Attribute) -> None:
        name = normal(node.attr.value)
        base = node.value
        if isinstance(base, cst.Name) and normal(base.value) in _MODULES:
            return
        if name in UFUNC_METHODS | NUMPY_LINALG and _is_numpy_member(base):
            return
        value = self.reading.trace.value(base)
        contract = (value.own or value.inbox) and not name.startswith("_")
        if name in _ATTRIBUTES or contract:
            # Of own and inbox, ContractAccess says more.
            return
        self.report(node.attr, f"the attribute '.{name}' is not allowed", self._hint(name, base))

    @staticmethod
    def _hint(name: str, base: cst.BaseExpression) -> str:
        if name.startswith("_"):
            return "attributes that start with an underscore are never allowed"
        if name in NUMPY:
            return f"use np.{name}(...)"
        return nearest_or_all(name, _ATTRIBUTES)


def _is_numpy_member(node: cst.BaseExpression) -> bool:
    if not (isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "np"):
        return False
    return normal(node.attr.value) in UFUNCS | {"linalg"}


class Calls(Rule):
    """A call names what it calls: a function of this module, an allowed builtin, `np.name`, `math.name` or a method.

    Remedy: call the function by its name; a function that is passed as a value may only go to `sorted`, `min` and `max`
    as `key`.
    """

    code = "PD310"
    title = "a call of something that is not a function by name"

    def visit_Call(self, node: cst.Call) -> None:
        called = node.func
        if isinstance(called, cst.Attribute):
            of_module = isinstance(called.value, cst.Name) and normal(called.value.value) in _MODULES
            if normal(called.attr.value) in _VALUES and not of_module:
                self.report(called, f"'.{called.attr.value}' is a value, not a method", "remove the parentheses")
            return
        if isinstance(called, cst.Name):
            name = normal(called.value)
            if name in self.reading.functions or name in BUILTINS - _CONSTANTS:
                return
            function = self.reading.enclosing_function(node)
            if function is not None and name in bound_names(function):
                self.report(called, f"call of the variable '{name}'", "call functions by their own name")
            elif name in CONTRACT_IMPORTS or name in self.reading.constants or name in _CONSTANTS:
                self.report(called, f"'{name}' is not a function", "call functions of this module, np and math")
            return
        self.report(called, "call of the value of an expression", "call functions by their own name")


class Annotations(Rule):
    """Annotations name Array, Observation, Inbox, `np.ndarray`, NumPy number types, Python's plain types, and aliases.

    Remedy: write `Array` for any array, or leave the annotation out.
    """

    code = "PD309"
    title = "an annotation that is not allowed"

    def finish(self) -> None:
        for node in self.reading.references:
            if node.value in self.reading.aliases and not self.reading.in_alias(node):
                hint = "a type alias stands in annotations only"
                self.report(node, f"the type alias '{node.value}' is used as a value", hint)
        for annotation in self.reading.annotations:
            wrong = first_wrong(annotation, self.reading.aliases)
            if wrong is not None:
                written = cst.Module([]).code_for_node(wrong)
                self.report(wrong, f"the annotation '{written}' is not allowed", "write Array, or leave it out")
