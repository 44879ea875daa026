"""The abstract value of each expression: what the rules on rows, memory, loops and names ask for."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import replace

import libcst as cst

from protocol_designer.rules.arithmetic import binary, expand, negative
from protocol_designer.rules.arrays import (
    Arguments,
    shape_item,
    shape_value,
    transposed,
    unpack,
)
from protocol_designer.rules.indexing import after_store, array_item, list_item
from protocol_designer.rules.limits import DEFAULT_AGENTS, MAX_AXES
from protocol_designer.rules.reading import Reading
from protocol_designer.rules.trace import Trace
from protocol_designer.rules.values import (
    UNKNOWN,
    Value,
    combine,
    dictionary,
    element,
    integer,
    join_all,
    listing,
    of_module,
    taken,
    text,
)

__all__ = ["Environment", "Evaluator"]

Environment = dict[str, Value]
_READ_ROWS = Value(rows=True, front=True, input=True, array=True)
_NUMBER = Value(number=True)


class Evaluator(abc.ABC):
    """Evaluates expressions on abstract values, and writes what it sees into a `Trace`."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.trace = Trace()
        self.total: int | None = 1
        self._constants: Environment = {}

    def evaluate(self, node: cst.CSTNode, env: Environment) -> Value:
        """Return the value of an expression under `env`, and remember it, joined over all visits."""
        handler: Callable[[cst.CSTNode, Environment], Value] | None
        handler = getattr(self, f"_eval_{type(node).__name__}", None)
        if handler is not None:
            value = handler(node, env)
        else:
            value = UNKNOWN
            for child in node.children:
                if isinstance(child, cst.BaseExpression):
                    self.evaluate(child, env)
        self.trace.see(node, value)
        return value

    @abc.abstractmethod
    def call_function(self, name: str, arguments: Arguments, node: cst.Call) -> Value:
        """Return the result of calling a function of the module; `Flow` follows it."""

    def constant(self, name: str) -> Value:
        """Return the value of a constant of the module."""
        if name not in self._constants:
            self._constants[name] = UNKNOWN
            value = self.evaluate(self.reading.constants[name], {})
            if name in self.reading.unpacked:
                place, count = self.reading.unpacked[name]
                value = unpack(value, [False] * count)[place]
            self._constants[name] = of_module(value)
        return self._constants[name]

    # Names and literals

    def _eval_Name(self, node: cst.Name, env: Environment) -> Value:
        name = node.value
        if name in env:
            return env[name]
        if name in ("True", "False"):
            return integer(0, 1)
        return self.constant(name) if name in self.reading.constants else UNKNOWN

    def _eval_Integer(self, node: cst.Integer, env: Environment) -> Value:
        return integer(node.evaluated_value, node.evaluated_value)

    def _eval_Float(self, node: cst.Float, env: Environment) -> Value:
        return Value(number=True, fractional=True)

    def _eval_SimpleString(self, node: cst.SimpleString, env: Environment) -> Value:
        value = node.evaluated_value
        return text(value) if isinstance(value, str) else UNKNOWN

    def _eval_ConcatenatedString(self, node: cst.ConcatenatedString, env: Environment) -> Value:
        value = node.evaluated_value
        return text(value) if isinstance(value, str) else UNKNOWN

    def _eval_FormattedString(self, node: cst.FormattedString, env: Environment) -> Value:
        parts = []
        for part in node.parts:
            if isinstance(part, cst.FormattedStringText):
                parts.append(text(part.value))
            elif isinstance(part, cst.FormattedStringExpression):
                parts.append(self.evaluate(part.expression, env))
        return expand(parts)

    def _eval_Tuple(self, node: cst.Tuple, env: Environment) -> Value:
        return self._display(node, env)

    def _eval_List(self, node: cst.List, env: Environment) -> Value:
        return self._display(node, env)

    def _display(self, node: cst.Tuple | cst.List, env: Environment) -> Value:
        values: list[Value] = []
        parts: list[Value] = []
        for item in node.elements:
            value = self.evaluate(item.value, env)
            if isinstance(item, cst.StarredElement):
                parts.append(value)
                values += [taken(value, inside) for inside in value.items or ()]
            else:
                parts.append(listing([value]))
                values.append(value)
        if all(part.items is not None for part in parts):
            return listing(values)
        steps = None if any(part.steps is None for part in parts) else sum(part.steps or 0 for part in parts)
        each = join_all([element(part) for part in parts])
        return Value(is_list=True, each=each, steps=steps, holds=any(part.holds or part.shared for part in parts))

    def _eval_Dict(self, node: cst.Dict, env: Environment) -> Value:
        entries: dict[str, Value] = {}
        literal = True
        for item in node.elements:
            value = self.evaluate(item.value, env)
            if isinstance(item, cst.StarredDictElement) and value.is_dict and value.entries is not None:
                entries |= {key: taken(value, inside) for key, inside in value.entries}
                continue
            key = self.evaluate(item.key, env) if isinstance(item, cst.DictElement) else UNKNOWN
            if key.text is not None and len(key.text) == 1:
                entries[next(iter(key.text))] = value
            else:
                literal = False
        known = dictionary(entries)
        if literal:
            return known
        values = [self.trace.value(item.value) for item in node.elements]
        holds = any(value.shared or value.holds for value in values)
        each = join_all(
            [
                v.each or UNKNOWN if v.is_dict and i.__class__ is cst.StarredDictElement else v
                for v, i in zip(values, node.elements, strict=True)
            ]
        )
        return replace(known, entries=None, each=each, steps=len(node.elements), holds=holds)

    # Operators

    def _eval_UnaryOperation(self, node: cst.UnaryOperation, env: Environment) -> Value:
        value = self.evaluate(node.expression, env)
        if isinstance(node.operator, cst.Not):
            return _NUMBER
        return negative(value) if isinstance(node.operator, cst.Minus) else combine([value])

    def _eval_BinaryOperation(self, node: cst.BinaryOperation, env: Environment) -> Value:
        left = self.evaluate(node.left, env)
        right = self.evaluate(node.right, env)
        return binary(node.operator, left, right)

    def _eval_BooleanOperation(self, node: cst.BooleanOperation, env: Environment) -> Value:
        return self.evaluate(node.left, env).join(self.evaluate(node.right, env))

    def _eval_Comparison(self, node: cst.Comparison, env: Environment) -> Value:
        operands = [self.evaluate(node.left, env)]
        operands += [self.evaluate(part.comparator, env) for part in node.comparisons]
        plain = all(isinstance(part.operator, cst.In | cst.NotIn | cst.Is | cst.IsNot) for part in node.comparisons)
        return _NUMBER if plain else combine(operands)

    def _eval_IfExp(self, node: cst.IfExp, env: Environment) -> Value:
        self.evaluate(node.test, env)
        return self.evaluate(node.body, env).join(self.evaluate(node.orelse, env))

    # Attributes and indexing

    def _eval_Attribute(self, node: cst.Attribute, env: Environment) -> Value:
        name = node.attr.value
        if isinstance(node.value, cst.Name) and node.value.value in ("np", "math"):
            return Value(number=True, fractional=True) if name in ("pi", "e", "inf", "nan", "tau") else UNKNOWN
        base = self.evaluate(node.value, env)
        if base.own and name == "n_agents":
            schema = self.reading.schema
            return integer(schema.n_agents, schema.n_agents) if schema else integer(1, DEFAULT_AGENTS)
        if base.own or base.inbox:
            wide = name == "delivered"
            read = replace(_READ_ROWS, wide=wide, axes=1 + wide)
            return read if name in ("age", "agent_id", "delivered") else UNKNOWN
        if name == "shape":
            return shape_value(base)
        if name == "ndim":
            return integer(0, MAX_AXES)
        if name == "size":
            return Value(number=True, row_count=base.rows)
        return transposed(base) if name == "T" else UNKNOWN

    def _eval_Subscript(self, node: cst.Subscript, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        parts = [element_.slice for element_ in node.slice]
        indices = [self._index(part, env) for part in parts]
        only = indices[0] if len(indices) == 1 else UNKNOWN
        if base.own or base.inbox:
            return replace(_READ_ROWS, wide=base.inbox, axes=1 if base.own and not base.inbox else None)
        if base.is_shape:
            exact = only.low if only.number and only.low == only.high else None
            return shape_item(base, exact)
        if base.is_dict:
            found = dict(base.entries or ()).get(next(iter(only.text))) if only.text and len(only.text) == 1 else None
            return taken(base, found or base.each or UNKNOWN)
        if base.is_list:
            return list_item(base, parts, only)
        return array_item(base, parts, indices)

    def _index(self, part: cst.BaseSlice, env: Environment) -> Value:
        if isinstance(part, cst.Index):
            return self.evaluate(part.value, env)
        for bound in (part.lower, part.upper, part.step) if isinstance(part, cst.Slice) else ():
            if bound is not None:
                self.evaluate(bound, env)
        return UNKNOWN

    # Comprehensions

    def _eval_ListComp(self, node: cst.ListComp, env: Environment) -> Value:
        return self._comprehension(node.for_in, [node.elt], env)

    def _eval_GeneratorExp(self, node: cst.GeneratorExp, env: Environment) -> Value:
        return self._comprehension(node.for_in, [node.elt], env)

    def _eval_SetComp(self, node: cst.SetComp, env: Environment) -> Value:
        return self._comprehension(node.for_in, [node.elt], env)

    def _eval_DictComp(self, node: cst.DictComp, env: Environment) -> Value:
        value = self._comprehension(node.for_in, [node.key, node.value], env)
        each, keys = value.each or UNKNOWN, self.trace.value(node.key).text
        entries = None if keys is None else tuple((key, each) for key in sorted(keys))
        return Value(is_dict=True, entries=entries, each=each, steps=value.steps)

    def _comprehension(self, first: cst.CompFor, results: list[cst.BaseExpression], env: Environment) -> Value:
        inner = dict(env)
        outside = self.total
        steps: int | None = 1
        clause: cst.CompFor | None = first
        while clause is not None:
            iterated = self.evaluate(clause.iter, inner)
            self.enter_loop(clause, iterated)
            steps = None if steps is None or iterated.steps is None else steps * iterated.steps
            self.bind(clause.target, element(iterated), inner)
            for condition in clause.ifs:
                self.evaluate(condition.test, inner)
            clause = clause.inner_for_in
        values = [self.evaluate(result, inner) for result in results]
        self.total = outside
        return Value(is_list=True, each=values[-1], steps=steps)

    def enter_loop(self, node: cst.CSTNode, iterated: Value) -> None:
        """Count the steps of a loop into the total of the loops around it."""
        steps = iterated.steps
        self.total = None if self.total is None or steps is None else self.total * max(steps, 1)
        self.trace.see_loop(node, steps, self.total)

    def bind(self, target: cst.CSTNode, value: Value, env: Environment) -> None:
        """Bind the names of an assignment target; stores into slices and elements are recorded as writes."""
        if isinstance(target, cst.Name):
            env[target.value] = value
        elif isinstance(target, cst.Tuple | cst.List):
            starred = [isinstance(part, cst.StarredElement) for part in target.elements]
            for part, item in zip(target.elements, unpack(value, starred), strict=True):
                self.bind(part.value, item, env)
                if isinstance(part, cst.StarredElement):
                    self.trace.see(part.value, item)
        elif isinstance(target, cst.Subscript):
            base = self.evaluate(target.value, env)
            indices = [self._index(part.slice, env) for part in target.slice]
            self.trace.see_write(target, base, "an element is assigned")
            if isinstance(target.value, cst.Name) and target.value.value in env:
                env[target.value.value] = after_store(base, indices, value, self.total)
