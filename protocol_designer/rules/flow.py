"""Runs `send` and `receive` on abstract values, statement by statement, following calls of the module's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from protocol_designer.rules.arithmetic import binary
from protocol_designer.rules.arrays import Arguments
from protocol_designer.rules.calling import Caller
from protocol_designer.rules.evaluate import Environment
from protocol_designer.rules.reading import Reading
from protocol_designer.rules.trace import Trace
from protocol_designer.rules.values import UNKNOWN, Value, element, join_all, of_module

__all__ = ["Flow", "trace_of"]

_MAX_CALLS = 2_000
_MAX_CALL_DEPTH = 20
_LOOP_VISITS = 40
_COARSE_VISIT = 8
_MAX_STATEMENTS = 60_000
_AUGMENTED: dict[type[cst.BaseAugOp], cst.BaseBinaryOp] = {
    cst.AddAssign: cst.Add(),
    cst.SubtractAssign: cst.Subtract(),
    cst.MultiplyAssign: cst.Multiply(),
    cst.FloorDivideAssign: cst.FloorDivide(),
    cst.ModuloAssign: cst.Modulo(),
    cst.PowerAssign: cst.Power(),
}


def trace_of(reading: Reading) -> Trace:
    """Return what `send(own)` and `receive(own, inbox)` do, as far as it can be seen without running them."""
    flow = Flow(reading)
    for name in reading.constants:
        flow.constant(name)
    own, inbox = Value(own=True), Value(inbox=True)
    for name, arguments in (("send", (own,)), ("receive", (own, inbox))):
        if name in reading.functions:
            flow.run(name, Arguments(arguments))
    for name in _passed_as_values(reading):
        # As in sorted(names, key=rank): called with what nobody knows here.
        flow.run(name, Arguments())
    return flow.trace


def _passed_as_values(reading: Reading) -> list[str]:
    called = {call.func for node, call in reading.parents.items() if isinstance(call, cst.Call) and call.func is node}
    names = {node.value for node in reading.references if node not in called}
    return [name for name in reading.functions if name in names and name not in ("send", "receive")]


class Flow(Caller):
    """The evaluator with statements and functions. Paths join; a loop's body is visited until nothing changes."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._active: list[str] = []
        self._calls = 0
        self._statements = 0
        self._known: dict[tuple[str, Arguments | tuple[object, ...], int | None], Value] = {}
        self._leaving: list[list[Environment]] = []

    def call_function(self, name: str, arguments: Arguments, node: cst.Call) -> Value:
        """Return the joined result of a call; a recursive one gives nothing known (a rule refuses it)."""
        if name in self._active:
            return UNKNOWN
        if len(self._active) >= _MAX_CALL_DEPTH:
            self.trace.gave_up = True
            return UNKNOWN
        key = (name, (arguments.positional, *sorted(arguments.keywords.items(), key=lambda item: item[0])), self.total)
        if key not in self._known:
            if self._calls >= _MAX_CALLS:
                self.trace.gave_up = True
                return UNKNOWN
            self._calls += 1
            self._known[key] = self.run(name, arguments)
        return self._known[key]

    def run(self, name: str, arguments: Arguments) -> Value:
        """Run one function and return the join of what it returns."""
        function = self.reading.functions[name]
        env: Environment = {}
        for index, param in enumerate((*function.params.posonly_params, *function.params.params)):
            given = arguments.get(index, param.name.value)
            if given is None:
                given = self._default(param)
            env[param.name.value] = given
        for param in function.params.kwonly_params:
            env[param.name.value] = arguments.keywords.get(param.name.value, self._default(param))
        self._active.append(name)
        outer = self.trace.returns.get(name, {})
        self.trace.returns[name] = {}
        end = self._block(function.body.body, env)
        returned = self.trace.returns[name]
        if end is not None:
            self.trace.may_end_without_return.add(name)
        result = join_all(list(returned.values()))
        self.trace.returns[name] = outer | returned
        self._active.pop()
        return result

    def _default(self, param: cst.Param) -> Value:
        return UNKNOWN if param.default is None else of_module(self.evaluate(param.default, {}))

    def _block(
        self, statements: Sequence[cst.BaseStatement | cst.BaseSmallStatement], env: Environment
    ) -> Environment | None:
        """Run statements in order; None when every path left by return, break or continue."""
        current: Environment | None = env
        for statement in statements:
            if current is None:
                return None
            current = self._statement(statement, current)
        return current

    def _statement(self, node: cst.CSTNode, env: Environment) -> Environment | None:
        self._statements += 1
        if self._statements > _MAX_STATEMENTS:
            self.trace.gave_up = True
            return None
        if isinstance(node, cst.SimpleStatementLine):
            return self._block(node.body, env)
        if isinstance(node, cst.If):
            return self._if(node, env)
        if isinstance(node, cst.For):
            return self._for(node, env)
        if isinstance(node, cst.Return):
            value = self.evaluate(node.value, env) if node.value is not None else UNKNOWN
            self.trace.returns[self._active[-1]][node] = value
            return None
        if isinstance(node, cst.Break | cst.Continue):
            if self._leaving:
                self._leaving[-1].append(env)
            return None
        if isinstance(node, cst.Raise):
            return None
        self._simple(node, env)
        return env

    def _simple(self, node: cst.CSTNode, env: Environment) -> None:
        if isinstance(node, cst.Assign):
            value = self.evaluate(node.value, env)
            for target in node.targets:
                self.bind(target.target, value, env)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self.bind(node.target, self.evaluate(node.value, env), env)
        elif isinstance(node, cst.AugAssign):
            self._augmented(node, env)
        elif isinstance(node, cst.Expr):
            self.evaluate(node.value, env)
        elif isinstance(node, cst.Assert):
            self.evaluate(node.test, env)
        elif isinstance(node, cst.While | cst.Try | cst.With):
            # Refused by a rule; the body is run so that what it assigns is known below.
            inner = self._block(node.body.body, dict(env))
            env.update(inner or {})

    def _augmented(self, node: cst.AugAssign, env: Environment) -> None:
        before = self.evaluate(node.target, env)
        value = self.evaluate(node.value, env)
        operator = _AUGMENTED.get(type(node.operator), cst.BitOr())
        after = binary(operator, before, value)
        if before.rows or before.shared or before.is_list or before.is_dict:
            self.trace.see_write(node, before, "it is changed in place")
        self.bind(node.target, after, env)

    def _if(self, node: cst.If, env: Environment) -> Environment | None:
        self.evaluate(node.test, env)
        then = self._block(node.body.body, dict(env))
        if node.orelse is None:
            otherwise: Environment | None = env
        elif isinstance(node.orelse, cst.If):
            otherwise = self._if(node.orelse, dict(env))
        else:
            otherwise = self._block(node.orelse.body.body, dict(env))
        return _join(then, otherwise)

    def _for(self, node: cst.For, env: Environment) -> Environment | None:
        iterated = self.evaluate(node.iter, env)
        outside = self.total
        self.enter_loop(node, iterated)
        inside = self.total
        current = env
        for visit in range(_LOOP_VISITS):
            self._leaving.append([])
            self.total = inside
            inner = dict(current)
            self.bind(node.target, element(iterated), inner)
            end = self._block(node.body.body, inner)
            after: Environment | None = current
            for path in (end, *self._leaving.pop()):
                after = _join(after, path)
            assert after is not None
            if after == current:
                break
            if visit:
                after = {k: _widened(v, current.get(k), iterated.steps, visit) for k, v in after.items()}
            current = after
        else:
            self.trace.gave_up = True
        self.total = outside
        current = {name: value.settled() for name, value in current.items()}
        if node.orelse is not None:
            return self._block(node.orelse.body.body, current)
        return current


def _widened(value: Value, before: Value | None, times: int | None, visit: int) -> Value:
    """Return a value that a loop changed, so that it soon changes no more: its bounds go first, then what it holds."""
    if before is None or value == before:
        return value
    widened = value.widened(before, times)
    if visit < _COARSE_VISIT:
        return widened
    each = None if widened.each is None else replace(widened.each, low=None, high=None, items=None, steps=None)
    return replace(widened, items=None, steps=None, text=None, maybe=None, each=each)


def _join(a: Environment | None, b: Environment | None) -> Environment | None:
    if a is None or b is None:
        return a if b is None else b
    joined = dict(a)
    for name, value in b.items():
        joined[name] = joined[name].join(value) if name in joined else value
    return joined
