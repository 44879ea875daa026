"""Rules on strings, and on the field, role and component names that they write."""

from __future__ import annotations

import abc
from fnmatch import fnmatchcase

import libcst as cst

from protocol_designer.rules.allowed import (
    INBOX_ATTRIBUTES,
    INBOX_METHODS,
    OBSERVATION_ATTRIBUTES,
    OBSERVATION_METHODS,
)
from protocol_designer.rules.rule import Rule, nearest_or_all
from protocol_designer.rules.values import Value

__all__ = ["ComponentReads", "ContractAccess", "FieldNames", "FormattedStrings", "Strings"]

_NAME_METHODS = OBSERVATION_METHODS | INBOX_METHODS | {"get", "pop", "setdefault", "append"}
_TEXT_KEYWORDS = {
    "indexing": ("ij", "xy"),
    "mode": ("constant", "edge", "wrap", "reflect", "clip", "same", "valid", "full"),
    "kind": ("stable", "quicksort", "mergesort", "heapsort"),
    "side": ("left", "right"),
    "method": ("linear", "lower", "higher", "nearest", "midpoint"),
}
_EINSUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,.-> ")
_MAX_STRING = 200


class Strings(Rule):
    """A string names a field, a role, a component or an option, and nothing is computed with it.

    It may stand as an index, a dict key, an argument of the accessors, in a tuple or list of names, and in comparisons.
    dtypes are written as np.float32.
    Remedy: write the name out, or loop over a tuple of names.
    """

    code = "PD317"
    title = "a string that is not a name"

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if not isinstance(self.reading.parents[node], cst.ConcatenatedString):
            self._check(node)

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> None:
        if not isinstance(self.reading.parents[node], cst.ConcatenatedString):
            self._check(node)

    def visit_Call(self, node: cst.Call) -> None:
        if not isinstance(node.func, cst.Attribute) or node.func.attr.value in _NAME_METHODS | {
            "update",
            "count",
            "index",
        }:
            return
        for arg in node.args:
            written = isinstance(arg.value, cst.SimpleString | cst.ConcatenatedString | cst.FormattedString)
            if not written and _holds_text(self.reading.trace.value(arg.value)):
                self.report(arg, f"text as an argument of '{node.func.attr.value}'", "write dtypes as np.float32")

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self._check_operands(node, node.left, node.right)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._check_operands(node, node.target, node.value)

    def _check_operands(self, node: cst.CSTNode, *operands: cst.BaseExpression) -> None:
        """A name that holds a string is computed with as little as the string itself."""
        written = cst.SimpleString | cst.ConcatenatedString | cst.FormattedString
        values = [self.reading.trace.value(one) for one in operands if not isinstance(one, written)]
        if any(value.text is not None or value.maybe is not None for value in values):
            self.report(node, "a computation with a string", "write own[f'enemy_{i}.health'], or loop over names")

    def _check(self, node: cst.SimpleString | cst.ConcatenatedString) -> None:
        parent = self.reading.parents[node]
        if isinstance(parent, cst.Expr) or self.reading.is_inside(node, cst.Annotation):
            return
        value = node.evaluated_value
        if value is None:
            return
        if isinstance(value, bytes):
            self.report(node, "a bytes literal", "names are plain strings")
        elif len(value) > _MAX_STRING:
            self.report(node, f"a string of {len(value)} characters", f"names have at most {_MAX_STRING}")
        elif isinstance(parent, cst.Arg):
            self._check_argument(node, value, parent)
        elif isinstance(parent, cst.BinaryOperation | cst.AugAssign):
            self.report(node, "a computation with a string", "write own[f'enemy_{i}.health'], or loop over names")
        elif isinstance(parent, cst.For | cst.CompFor):
            self.report(node, "a loop over the letters of a string", "loop over a tuple of names")
        elif isinstance(parent, cst.Attribute | cst.UnaryOperation) or (
            isinstance(parent, cst.Subscript) and parent.value is node
        ):
            self.report(node, "a computation with a string", "write own[f'enemy_{i}.health'], or loop over names")

    def _check_argument(self, node: cst.BaseString, value: str, arg: cst.Arg) -> None:
        call = self.reading.parents[arg]
        if not isinstance(call, cst.Call):
            return
        keyword = arg.keyword.value if arg.keyword else ""
        if isinstance(call.func, cst.Name) and call.func.value in self.reading.functions:
            return
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        of_np = (
            isinstance(call.func, cst.Attribute)
            and isinstance(call.func.value, cst.Name)
            and call.func.value.value == "np"
        )
        if keyword:
            if value in _TEXT_KEYWORDS.get(keyword, ()):
                return
            hint = "write dtype=np.float32" if keyword == "dtype" else "leave it out"
            self.report(node, f"the option {keyword}='{value}'", hint)
        elif of_np:
            plain = method == "einsum" and _EINSUM.issuperset(value)
            if not plain and not (method == "pad" and value in _TEXT_KEYWORDS["mode"]):
                self.report(node, f"a string as an argument of np.{method}", "write dtypes as np.float32")
        elif method not in _NAME_METHODS:
            hint = "write dtypes as np.float32" if method == "astype" else "names go into own[...] and inbox[...]"
            self.report(node, f"a string as an argument of '{method or 'this call'}'", hint)


def _holds_text(value: Value) -> bool:
    """Return whether a value is a string, or a list with one somewhere inside."""
    if value.text is not None or value.maybe is not None:
        return True
    inside = value.items if value.items is not None else [each for each in (value.each,) if each is not None]
    return value.is_list and any(_holds_text(item) for item in inside)


class FormattedStrings(Rule):
    """An f-string names a field with a number or name from a loop: own[f"enemy_{i}.health"]; components are literals.

    Remedy: return several values as one component [R, k] (np.stack([...], axis=1)) instead of computing names.
    """

    code = "PD318"
    title = "an f-string that is not a field name"

    def visit_FormattedString(self, node: cst.FormattedString) -> None:
        parent = self.reading.parents[node]
        if isinstance(parent, cst.DictElement | cst.DictComp) or self._is_stored_key(parent):
            hint = "write each name out, or return one component [R, k]: np.stack([...], axis=1)"
            self.report(node, "a component name that is computed", hint)
        elif isinstance(parent, cst.Arg):
            call = self.reading.parents[parent]
            named = isinstance(call, cst.Call) and (
                (isinstance(call.func, cst.Attribute) and call.func.attr.value in _NAME_METHODS)
                or (isinstance(call.func, cst.Name) and call.func.value in self.reading.functions)
            )
            if not named:
                self.report(
                    node, "an f-string as an argument", "f-strings are for field names: own[f'enemy_{i}.health']"
                )
        elif not isinstance(
            parent, cst.Index | cst.Assign | cst.AnnAssign | cst.Element | cst.ListComp | cst.GeneratorExp
        ):
            self.report(node, "an f-string that is not a field name", "f-strings are for own[f'enemy_{i}.health'] only")

    def _is_stored_key(self, index: cst.CSTNode) -> bool:
        """Return whether an index stands in the target of an assignment, as in out[f"x{i}"] = ..."""
        if not isinstance(index, cst.Index):
            return False
        subscript = self.reading.parents[self.reading.parents[index]]
        return isinstance(self.reading.parents[subscript], cst.AssignTarget)

    def visit_FormattedStringExpression(self, node: cst.FormattedStringExpression) -> None:
        if node.conversion or node.format_spec or node.equal:
            self.report(node, "formatting inside an f-string", "write {i} alone")
        value = self.reading.trace.value(node.expression)
        if value.rows or value.is_list or value.is_dict or value.own or value.inbox:
            self.report(
                node, "an f-string of something that is not a number or a name", "write {i} with a loop variable"
            )


class ContractAccess(Rule):
    """`own` and `inbox` offer a few accessors, and columns have no numbers.

    `own[name]`, `own.group`, `own.allies`, `own.past`, `own.is_role`, `own.age`, `own.agent_id`, `own.n_agents`;
    `inbox[name]`, `inbox.addressed`, `inbox.past`, `inbox.delivered`. Each method takes one argument, the name.
    Remedy: fields are read by name, own["enemy_0.distance"]; columns have no numbers here.
    """

    code = "PD330"
    title = "own or inbox is used in a way that they do not offer"

    _OWN = OBSERVATION_ATTRIBUTES | OBSERVATION_METHODS
    _INBOX = INBOX_ATTRIBUTES | INBOX_METHODS

    def visit_Attribute(self, node: cst.Attribute) -> None:
        value = self.reading.trace.value(node.value)
        name = node.attr.value
        for is_it, label, names in ((value.own, "own", self._OWN), (value.inbox, "inbox", self._INBOX)):
            others = self._OWN | self._INBOX
            if is_it and name not in names and (name in others or not name.startswith("_")):
                self.report(
                    node.attr, f"'{label}' has no '{name}'", f'{label} offers ["name"], {", ".join(sorted(names))}'
                )
            elif is_it and name in OBSERVATION_METHODS | INBOX_METHODS:
                call = self.reading.parents[node]
                if not (isinstance(call, cst.Call) and call.func is node):
                    self.report(node, f"'{label}.{name}' without a call", f'write {label}.{name}("name")')
                elif len(call.args) != 1:
                    self.report(node, f"'{label}.{name}' takes one argument", f'write {label}.{name}("name")')

    def _instead(self, label: str, name: str, names: frozenset[str]) -> str:
        schema = self.reading.schema
        similar = nearest_or_all(name, schema.fields) if schema and label == "own" else ""
        offers = f'{label} offers {label}["name"], {", ".join(f"{label}.{known}" for known in sorted(names))}'
        return f"{similar} {offers}" if similar.startswith("did") else offers

    def visit_Subscript(self, node: cst.Subscript) -> None:
        value = self.reading.trace.value(node.value)
        if not (value.own or value.inbox):
            return
        label = "own" if value.own else "inbox"
        first = node.slice[0].slice
        index = self.reading.trace.value(first.value) if isinstance(first, cst.Index) else Value(number=True)
        if len(node.slice) > 1 or index.number or index.array or index.is_list:
            self.report(node, f"'{label}' is indexed by something that is not a name", f'write {label}["name"]')

    def visit_Comparison(self, node: cst.Comparison) -> None:
        for part in node.comparisons:
            value = self.reading.trace.value(part.comparator)
            if isinstance(part.operator, cst.In | cst.NotIn) and (value.own or value.inbox):
                label = "own" if value.own else "inbox"
                self.report(node, f"'in {label}'", f'the names are fixed; read {label}["name"]')


class _NameRule(Rule, abc.ABC):
    """Shared by the rules on names: yields each accessor call or index with the names that it may ask for."""

    def visit_Subscript(self, node: cst.Subscript) -> None:
        value = self.reading.trace.value(node.value)
        first = node.slice[0].slice
        if (value.own or value.inbox) and isinstance(first, cst.Index):
            self._check("own" if value.own else "inbox", "[]", first.value)

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and len(node.args) == 1:
            value = self.reading.trace.value(node.func.value)
            if value.own or value.inbox:
                self._check("own" if value.own else "inbox", node.func.attr.value, node.args[0].value)

    @abc.abstractmethod
    def _check(self, label: str, accessor: str, argument: cst.BaseExpression) -> None:
        """Report what is wrong with `argument` as a name for `accessor` of "own" or "inbox"."""

    def _names(self, argument: cst.BaseExpression) -> tuple[list[str], bool]:
        """Return the names that an argument may be, and whether each of them must exist (else: at least one)."""
        value = self.reading.trace.value(argument)
        if value.text is not None:
            return sorted(value.text), True
        return sorted(value.maybe or ()), False


class FieldNames(_NameRule):
    """Names of fields, ally quantities and roles exist in the task's schema, and a pattern matches at least one field.

    Checked where the task is known. `design-protocol tasks` and the manifest list the fields.
    Remedy: take the name that the hint gives; names are dotted, `enemy_0.relative_x`, patterns use `*`.
    """

    code = "PD331"
    title = "no such field, ally quantity or role"

    def _check(self, label: str, accessor: str, argument: cst.BaseExpression) -> None:
        schema = self.reading.schema
        if schema is None or label != "own":
            return
        names, each = self._names(argument)
        kind, valid = "observation field", schema.fields
        if accessor == "allies":
            kind, valid = "quantity of allies", schema.ally_quantities
        elif accessor == "is_role":
            kind, valid = "role", tuple(dict.fromkeys(schema.roles))
            if schema.roles_vary:
                self.report(argument, "roles vary from episode to episode in this task", "read the unit type fields")
                return
        globs = accessor in ("group", "past")
        missing = [name for name in names if not _exists(name, valid, globs)]
        if missing and (each or len(missing) == len(names)):
            self.report(argument, f"no {kind} {_matches(missing[0], globs)}", self._hint(missing[0], accessor, valid))

    @staticmethod
    def _hint(name: str, accessor: str, valid: tuple[str, ...]) -> str:
        if accessor == "[]" and "*" in name and _exists(name, valid, True):
            return f'for several fields write own.group("{name}")'
        return nearest_or_all(name, valid)


def _exists(name: str, valid: tuple[str, ...], globs: bool) -> bool:
    if globs and any(sign in name for sign in "*?["):
        return any(fnmatchcase(field, name) for field in valid)
    return name in valid


def _matches(name: str, globs: bool) -> str:
    return f"matches '{name}'" if globs and "*" in name else f"'{name}'"


class ComponentReads(_NameRule):
    """What `inbox` is asked for is a component that this part's `send` returns.

    Remedy: take the name that the hint gives, or let send return it. Parts do not hear each other's components.
    """

    code = "PD332"
    title = "send returns no such component"

    def _check(self, label: str, accessor: str, argument: cst.BaseExpression) -> None:
        returned = self.reading.trace.returns.get("send")
        if label != "inbox" or not returned:
            return
        sent: set[str] = set()
        for value in returned.values():
            if value.entries is None:
                return
            sent |= {name for name, _ in value.entries}
        names, each = self._names(argument)
        missing = [name for name in names if name not in sent]
        if missing and (each or len(missing) == len(names)):
            self.report(argument, f"send returns no component '{missing[0]}'", nearest_or_all(missing[0], sent))
