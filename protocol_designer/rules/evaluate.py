"""The abstract value of each expression: what the rules on rows, memory, loops and names ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import libcst as cst

from protocol_designer.rules.allowed import ARRAY_METHODS, MATH, MUTATING_METHODS, NUMPY, UFUNC_METHODS
from protocol_designer.rules.arithmetic import binary, expand, negative
from protocol_designer.rules.arrays import (
    Arguments,
    array_call,
    dict_items,
    mixes_rows,
    shape_item,
    shape_value,
    unpack,
    written_argument,
)
from protocol_designer.rules.limits import DEFAULT_AGENTS
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
    text,
)

__all__ = ["Environment", "Evaluator"]

Environment = dict[str, Value]
_READ_ROWS = Value(rows=True, front=True, input=True, array=True)
_NUMBER = Value(number=True)


class Evaluator:
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

    def call_function(self, name: str, arguments: Arguments, node: cst.Call) -> Value:
        """Return the result of calling a function of the module; `Flow` follows it."""
        raise NotImplementedError

    # Names and literals

    def _eval_Name(self, node: cst.Name, env: Environment) -> Value:
        name = node.value
        if name in env:
            return env[name]
        if name in ("True", "False"):
            return integer(0, 1)
        if name in self.reading.constants:
            if name not in self._constants:
                self._constants[name] = UNKNOWN
                value = self.evaluate(self.reading.constants[name], {})
                self._constants[name] = replace(value, shared=value.is_list or value.is_dict)
            return self._constants[name]
        return UNKNOWN

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
        values = [self.evaluate(e.value, env) for e in node.elements]
        if any(isinstance(e, cst.StarredElement) for e in node.elements):
            return Value(is_list=True)
        return listing(values)

    def _eval_Dict(self, node: cst.Dict, env: Environment) -> Value:
        entries: dict[str, Value] = {}
        literal = True
        for item in node.elements:
            value = self.evaluate(item.value, env)
            key = self.evaluate(item.key, env) if isinstance(item, cst.DictElement) else UNKNOWN
            if key.text is not None and len(key.text) == 1:
                entries[next(iter(key.text))] = value
            else:
                literal = False
        known = dictionary(entries)
        return known if literal else replace(known, entries=None, steps=len(node.elements))

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
            return _READ_ROWS if name in ("age", "agent_id", "delivered") else UNKNOWN
        if name == "shape":
            return shape_value(base)
        if name in ("size", "ndim"):
            return _NUMBER
        if name == "T":
            return replace(base, front=False, shaped=not base.rows)
        return UNKNOWN

    def _eval_Subscript(self, node: cst.Subscript, env: Environment) -> Value:
        base = self.evaluate(node.value, env)
        parts = [element_.slice for element_ in node.slice]
        indices = [self._index(part, env) for part in parts]
        only = indices[0] if len(indices) == 1 else UNKNOWN
        if base.own or base.inbox:
            return _READ_ROWS
        if base.is_shape:
            exact = only.low if only.number and only.low == only.high else None
            return shape_item(base, exact)
        if base.is_dict:
            found = dict(base.entries or ()).get(next(iter(only.text))) if only.text and len(only.text) == 1 else None
            return found or base.each or UNKNOWN
        if base.is_list:
            return _list_item(base, parts, only)
        return _array_item(base, parts, indices)

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
            for part, item in zip(target.elements, unpack(value, len(target.elements)), strict=True):
                self.bind(part.value, item, env)
        elif isinstance(target, cst.Subscript):
            base = self.evaluate(target.value, env)
            indices = [self._index(part.slice, env) for part in target.slice]
            self.trace.see_write(target, base, "an element is assigned")
            if isinstance(target.value, cst.Name) and target.value.value in env:
                env[target.value.value] = _after_store(base, indices, value, self.total)

    # Calls

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
            elif not arg.star:
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
        handler: Callable[[Arguments], Value] | None = getattr(_Builtins, name, None)
        return handler(arguments) if handler is not None and not name.startswith("_") else UNKNOWN

    def _call_module(self, node: cst.Call, func: cst.Attribute, arguments: Arguments) -> Value:
        name = func.attr.value
        if _module_of(func) == "math":
            return Value(number=True, fractional=name in MATH - {"floor", "ceil", "trunc", "gcd"})
        ufunc = func.value.attr.value if isinstance(func.value, cst.Attribute) else ""
        ufunc = "" if ufunc == "linalg" else ufunc
        return self._array_call(node, name, arguments, ufunc)

    def _array_call(self, node: cst.Call, name: str, arguments: Arguments, ufunc: str = "") -> Value:
        why = mixes_rows(name, arguments, is_ufunc_method=bool(ufunc))
        if why:
            self.trace.see_mixing(node, name, why)
        written = written_argument(name, ufunc, arguments)
        if written is not None:
            self.trace.see_write(node, written, f"'{name}' writes into it")
        if name == "arange":
            counted = _Builtins.range(arguments)
            return Value(array=True, each=counted.each, steps=counted.steps)
        if ufunc and name in UFUNC_METHODS:
            first = arguments.positional[0] if arguments.positional else UNKNOWN
            return array_call("cumsum" if name == "accumulate" else "sum", Arguments((first,), arguments.keywords))
        return array_call(name, arguments)

    def _call_method(
        self, node: cst.Call, func: cst.Attribute, base: Value, arguments: Arguments, env: Environment
    ) -> Value:
        name = func.attr.value
        if base.own or base.inbox:
            return _READ_ROWS
        if name in MUTATING_METHODS and not (name == "partition" and not arguments.positional):
            self.trace.see_write(node, base, f"'.{name}()' changes it")
        if base.is_dict and name in ("items", "keys", "values", "get"):
            if name == "items":
                return dict_items(base)
            each = base.each or UNKNOWN
            return (
                each
                if name == "get"
                else Value(is_list=True, each=each if name == "values" else element(base), steps=base.steps)
            )
        if name in ("append", "extend", "insert", "update", "setdefault") and isinstance(func.value, cst.Name):
            added = arguments.positional[-1] if arguments.positional else dictionary(arguments.keywords)
            env[func.value.value] = _grown(base, added, name, self.total)
            return UNKNOWN
        if name in ("pop", "index", "count", "reverse") or base.is_list:
            return element(base) if name == "pop" else UNKNOWN
        if name in ARRAY_METHODS or name in NUMPY:
            return self._array_call(node, name, Arguments((base, *arguments.positional), arguments.keywords))
        return UNKNOWN


def _module_of(node: cst.Attribute) -> str:
    """Return "np" or "math" for `np.name`, `np.linalg.name` and `np.ufunc.method`; empty for a method of a value."""
    inner = node.value
    if isinstance(inner, cst.Attribute) and isinstance(inner.value, cst.Name) and inner.value.value == "np":
        return "np"
    return inner.value if isinstance(inner, cst.Name) and inner.value in ("np", "math") else ""


def _is_new_axis(part: cst.BaseSlice) -> bool:
    if not isinstance(part, cst.Index):
        return False
    if isinstance(part.value, cst.Name):
        return part.value.value == "None"
    return isinstance(part.value, cst.Attribute) and part.value.attr.value == "newaxis"


def _list_item(base: Value, parts: list[cst.BaseSlice], index: Value) -> Value:
    if isinstance(parts[0], cst.Slice):
        return Value(is_list=True, each=element(base), steps=base.steps, shared=base.shared)
    exact = index.low if index.low == index.high else None
    if base.items is not None and exact is not None and -len(base.items) <= exact < len(base.items):
        return base.items[exact]
    return element(base)


def _array_item(base: Value, parts: list[cst.BaseSlice], indices: list[Value]) -> Value:
    """Return a part of an array: a view, unless an index is itself an array or a list."""
    new_axes = any(_is_new_axis(part) for part in parts)
    leading = parts[0]
    keeps_front = isinstance(leading, cst.Slice) or (
        isinstance(leading, cst.Index) and (isinstance(leading.value, cst.Ellipsis) or indices[0].rows)
    )
    copied = any(index.rows or index.is_list for index in indices)
    rows = base.rows or any(index.rows for index in indices)
    return Value(
        rows=rows,
        front=base.front and keeps_front,
        input=base.input and not copied,
        shared=base.shared and not copied,
        shaped=not rows and (new_axes or base.shaped),
    )


def _after_store(base: Value, indices: list[Value], value: Value, total: int | None) -> Value:
    """Return what a local holds after `local[index] = value`."""
    if base.is_dict:
        keys = indices[0].text if indices else None
        entries = None
        if keys is not None and base.entries is not None:
            entries = tuple((dict(base.entries) | dict.fromkeys(sorted(keys), value)).items())
        return _grown(replace(base, entries=entries), value, "store", total)
    if base.is_list:
        return replace(base, items=None, each=element(base).join(value))
    return replace(base, rows=base.rows or value.rows, shaped=base.shaped and not value.rows)


def _grown(base: Value, added: Value, how: str, total: int | None) -> Value:
    """Return a list or dict after something was added, at most once per step of the loops around."""
    known = element(base) if not base.is_dict else base.each or UNKNOWN
    more = element(added) if how == "extend" else added
    empty = known is UNKNOWN and base.steps == 0
    per_step = (added.steps or 1) if how == "extend" else 1
    steps = None if total is None or base.steps is None else max(base.steps + (total == 1) * per_step, total * per_step)
    entries = base.entries if base.is_dict else None
    if how == "update" and entries is not None:
        entries = None if added.entries is None else tuple((dict(entries) | dict(added.entries)).items())
    elif how == "setdefault":
        entries = None
    return replace(base, items=None, entries=entries, each=more if empty else known.join(more), steps=steps)


class _Builtins:
    """The results of the allowed builtins; those left out give nothing known."""

    @staticmethod
    def range(arguments: Arguments) -> Value:
        bounds = arguments.positional
        if len(bounds) == 1:
            bounds = (integer(0, 0), *bounds)
        if len(bounds) < 2:
            return UNKNOWN
        start, stop = bounds[0], bounds[1]
        if None in (start.low, start.high, stop.low, stop.high):
            return Value(is_list=True, each=_NUMBER)
        first_low, first_high = start.low or 0, start.high or 0
        last_low, last_high = stop.low or 0, stop.high or 0
        step = bounds[2] if len(bounds) > 2 else integer(1, 1)
        if step.high is not None and step.high < 0:
            steps, each = first_high - last_low, integer(last_low + 1, first_high)
        else:
            pace = max(step.low or 1, 1)
            steps, each = -(-(last_high - first_low) // pace), integer(first_low, last_high - 1)
        return Value(is_list=True, each=each, steps=max(steps, 0))

    @staticmethod
    def len(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        if of.is_list or of.is_dict:
            return integer(0 if of.items is None else of.steps, of.steps)
        return Value(number=True, row_count=of.rows and of.front)

    @staticmethod
    def enumerate(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        start = arguments.get(1, "start") or integer(0, 0)
        last = None if of.steps is None or start.high is None else start.high + max(of.steps - 1, 0)
        pair = listing([integer(start.low, last), element(of)])
        return Value(is_list=True, each=pair, steps=of.steps)

    @staticmethod
    def zip(arguments: Arguments) -> Value:
        known = [of.steps for of in arguments.positional if of.steps is not None]
        each = listing([element(of) for of in arguments.positional])
        return Value(is_list=True, each=each, steps=min(known) if known else None)

    @staticmethod
    def _same(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else Value(is_list=True, steps=0, items=())
        if of.is_dict:
            return Value(is_list=True, each=element(of), steps=of.steps)
        return replace(of, shared=False, is_list=True) if of.is_list else Value(is_list=True)

    list = tuple = _same

    @staticmethod
    def reversed(arguments: Arguments) -> Value:
        same = _Builtins._same(arguments)
        return replace(same, items=tuple(reversed(same.items)) if same.items is not None else None)

    @staticmethod
    def sorted(arguments: Arguments) -> Value:
        same = _Builtins._same(arguments)
        return Value(is_list=True, each=element(same), steps=same.steps)

    @staticmethod
    def dict(arguments: Arguments) -> Value:
        if arguments.positional:
            of = arguments.positional[0]
            return replace(of, shared=False) if of.is_dict else Value(is_dict=True, steps=of.steps)
        return dictionary(arguments.keywords)

    @staticmethod
    def sum(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        return combine([element(of)]) if of.is_list else Value(rows=of.rows)

    @staticmethod
    def _extreme(arguments: Arguments) -> Value:
        values = [element(v) if v.is_list else v for v in arguments.positional]
        joined = join_all(values)
        return integer(joined.low, joined.high) if joined.number and not joined.fractional else combine(values)

    min = max = _extreme

    @staticmethod
    def abs(arguments: Arguments) -> Value:
        return combine(list(arguments.positional))

    @staticmethod
    def round(arguments: Arguments) -> Value:
        return combine(list(arguments.positional[:1]))

    @staticmethod
    def int(arguments: Arguments) -> Value:
        of = arguments.positional[0] if arguments.positional else UNKNOWN
        return integer(of.low, of.high) if of.number and not of.fractional else _NUMBER

    @staticmethod
    def float(arguments: Arguments) -> Value:
        return Value(number=True, fractional=True)

    @staticmethod
    def bool(arguments: Arguments) -> Value:
        return integer(0, 1)

    any = all = bool
