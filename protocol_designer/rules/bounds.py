"""Rules on how much a protocol may compute: loops, recursion, integers, exponents, array sizes."""

from __future__ import annotations

import libcst as cst

from protocol_designer.rules.allowed import words
from protocol_designer.rules.arithmetic import HUGE, binary
from protocol_designer.rules.limits import (
    DEFAULT_AGENTS,
    MAX_ARRAY_SIZE,
    MAX_AXIS,
    MAX_EXPONENT,
    MAX_INTEGER,
    MAX_LOOP_STEPS,
    MAX_SHIFT,
)
from protocol_designer.rules.rule import Rule
from protocol_designer.rules.values import UNKNOWN, Value, element

__all__ = ["ArraySizes", "BoundedLoops", "Exponents", "Integers", "LoopSteps", "Recursion"]


class BoundedLoops(Rule):
    """A loop or comprehension runs over something whose length can be seen in the text.

    That is a range of integers, `own.n_agents`, the length of a written-out tuple, list or dict, an array's `shape[1]`,
    and `enumerate`, `zip`, `reversed` or `sorted` of those; also where they come in as arguments of a function here.
    Remedy: compute on whole arrays instead of a loop over rows; loop over a tuple of names otherwise.
    """

    code = "PD311"
    title = "a loop without a bound that can be seen"

    def finish(self) -> None:
        for node, loop in self.reading.trace.loops.items():
            if loop.steps is None:
                iterated = node.iter if isinstance(node, cst.For | cst.CompFor) else node
                rows = self.reading.trace.value(iterated).rows
                what = "a loop over the rows of an array" if rows else "this loop has no bound that can be seen"
                hint = "compute on the whole array, with axis=1 where needed" if rows else _LOOP_HINT
                self.report(iterated, what, hint)


_LOOP_HINT = "loop over range(n) with a fixed n, range(own.n_agents), or a tuple written out"


class LoopSteps(Rule):
    """Nested loops take at most 10,000 steps together.

    Remedy: compute on whole arrays instead of the innermost loop.
    """

    code = "PD312"
    title = "loops take too many steps"

    def finish(self) -> None:
        for node, loop in self.reading.trace.loops.items():
            if loop.total is None or loop.steps is None:
                continue
            around = loop.total // max(loop.steps, 1)
            if loop.total > MAX_LOOP_STEPS >= around:
                message = f"the loops take up to {loop.total:,} steps together, at most {MAX_LOOP_STEPS:,} are allowed"
                assumed = "" if self.reading.schema else f" ({DEFAULT_AGENTS} agents are assumed)"
                self.report(node, message, f"compute on whole arrays instead of the innermost loop{assumed}")
        if self.reading.trace.gave_up:
            self.report(None, "the functions call each other too often to follow", "write fewer helper functions")


class Recursion(Rule):
    """No function calls itself, directly or through others.

    Remedy: use `for step in range(n)`.
    """

    code = "PD313"
    title = "a function calls itself"

    def finish(self) -> None:
        uses: dict[str, set[str]] = {name: set() for name in self.reading.functions}
        for node in self.reading.references:
            function = self.reading.enclosing_function(node)
            if function is not None and node.value in uses and function.name.value in uses:
                uses[function.name.value].add(node.value)
        for name, function in self.reading.functions.items():
            if name in _reachable(name, uses):
                self.report(function.name, f"the function '{name}' calls itself", "use 'for step in range(n)'")


def _reachable(name: str, uses: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [*uses[name]]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += uses[current]
    return found


class Integers(Rule):
    """Integers are at most 1,000,000, and so is what written integers make together.

    Remedy: use a float (1e9) for a large number.
    """

    code = "PD314"
    title = "an integer is too large"

    def visit_Integer(self, node: cst.Integer) -> None:
        if node.evaluated_value > MAX_INTEGER:
            # Python writes no integer of more than 4,300 digits
            known = node.evaluated_value < 10**_SHOWN_DIGITS
            what = f"the integer {node.evaluated_value:,}" if known else f"an integer of {len(node.value):,} characters"
            message = f"{what} is above {MAX_INTEGER:,}"
            self.report(node, message, "use a float such as 1e9 for a large number")

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        value = self.reading.trace.value(node)
        operands = (self.reading.trace.value(node.left), self.reading.trace.value(node.right))
        if _is_large(value) and not any(_is_large(operand) for operand in operands):
            message = f"this integer is above {MAX_INTEGER:,}"
            self.report(node, message, "use a float such as 1e9 for a large number")
        elif isinstance(node.operator, cst.Multiply):
            self._check_growth(node, value, *operands)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if isinstance(node.operator, cst.MultiplyAssign):
            operands = (self.reading.trace.value(node.target), self.reading.trace.value(node.value))
            self._check_growth(node, binary(cst.Multiply(), *operands), *operands)

    def _check_growth(self, node: cst.CSTNode, value: Value, left: Value, right: Value) -> None:
        """Report integers that may square themselves until they fill the memory."""
        both = left.number and right.number and not (left.fractional or right.fractional)
        if both and left.stretched and right.stretched:
            self.report(node, "an integer multiplies with itself from step to step of a loop", _GROWS_HINT)
        elif both and max(value.high or 0, -(value.low or 0)) >= HUGE:
            self.report(node, "an integer without a bound that can be seen", _GROWS_HINT)


_SHOWN_DIGITS = 30
_GROWS_HINT = "compute with floats: float(n), or np.float64"


def _is_large(value: Value) -> bool:
    return (value.low is not None and value.low > MAX_INTEGER) or (value.high is not None and value.high < -MAX_INTEGER)


class Exponents(Rule):
    """The exponent of `**` is at most 8 where the base may be a Python integer; a shift is by at most 32.

    Remedy: write the base as a float (2.0 ** n), or np.power(base, exponent) on arrays.
    """

    code = "PD315"
    title = "an exponent or a shift without a small bound"

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self._check(node, node.operator, node.left, node.right)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._check(node, node.operator, node.target, node.value)

    def _check(self, node: cst.CSTNode, operator: cst.CSTNode, left: cst.CSTNode, right: cst.CSTNode) -> None:
        power = isinstance(operator, cst.Power | cst.PowerAssign)
        if not power and not isinstance(operator, cst.LeftShift | cst.LeftShiftAssign):
            return
        trace = self.reading.trace
        if left not in trace.values:
            return
        base, exponent = trace.value(left), trace.value(right)
        if base.array or exponent.array or base.rows or exponent.rows:
            return
        if power and (base.fractional or exponent.fractional):
            return
        limit = MAX_EXPONENT if power else MAX_SHIFT
        known = exponent.low is not None and exponent.high is not None
        if known and max(abs(exponent.low or 0), abs(exponent.high or 0)) <= limit:
            return
        what = "exponent" if power else "shift"
        hint = "write the base as a float, or np.power(base, exponent)" if power else "multiply instead"
        self.report(node, f"the {what} is not known to be at most {limit}", hint)


class ArraySizes(Rule):
    """A shape that is written out asks for at most 1,000,000 elements, a repeated or growing list for at most 10,000.

    In a loop, nothing doubles from step to step: `y = y + y` for a list, np.concatenate([y, y], axis=1). An axis behind
    the rows counts as 16 in np.einsum.
    Remedy: make arrays of the size of the input: np.zeros_like(own["name"]), np.zeros((x.shape[0], k)).
    """

    code = "PD316"
    title = "an array or a list is too large"

    _SHAPES = words("zeros ones full eye identity tri broadcast_to tile repeat arange linspace pad")
    _SECOND = words("broadcast_to tile repeat pad")

    def visit_Call(self, node: cst.Call) -> None:
        if not isinstance(node.func, cst.Attribute) or node.func.attr.value not in self._SHAPES:
            return
        name = node.func.attr.value
        of_module = isinstance(node.func.value, cst.Name) and node.func.value.value == "np"
        places = node.args[1:] if of_module and name in self._SECOND else node.args
        sizes = [self._size(arg.value) for arg in places]
        size = max(sizes, default=0)
        if name in ("eye", "identity", "tri"):
            size = max(size**2, 0)
        if size > MAX_ARRAY_SIZE:
            message = f"an array of {size:,} elements, at most {MAX_ARRAY_SIZE:,} are allowed"
            self.report(node, message, "take the shape from the input, as in np.zeros_like(x)")

    def _size(self, node: cst.BaseExpression) -> int:
        if isinstance(node, cst.Float):
            return int(min(node.evaluated_value, 2.0 * MAX_ARRAY_SIZE))
        return _elements(self.reading.trace.value(node))

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        value = self.reading.trace.value(node)
        left, right = self.reading.trace.value(node.left), self.reading.trace.value(node.right)
        if not value.is_list or left.is_shape or right.is_shape:
            return
        if isinstance(node.operator, cst.Add):
            self._check_sum(node, value, left, right)
        if not isinstance(node.operator, cst.Multiply):
            return
        if value.steps is None or value.steps > MAX_LOOP_STEPS:
            message = f"a list is repeated beyond {MAX_LOOP_STEPS:,} elements, or without a bound that can be seen"
            self.report(node, message, "use np.zeros((x.shape[0], k)) or np.repeat")
        elif _nested_length(value) > MAX_ARRAY_SIZE:
            message = f"lists of {_nested_length(value):,} elements together, at most {MAX_ARRAY_SIZE:,} are allowed"
            self.report(node, message, "use np.zeros((x.shape[0], k)) or np.repeat")

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        left, right = self.reading.trace.value(node.target), self.reading.trace.value(node.value)
        if isinstance(node.operator, cst.AddAssign) and left.is_list and right.is_list:
            self._check_sum(node, binary(cst.Add(), left, right), left, right)
        elif isinstance(node.operator, cst.MultiplyAssign) and left.is_list != right.is_list:
            repeated = binary(cst.Multiply(), left, right)
            if repeated.is_list and (repeated.steps is None or repeated.steps > MAX_LOOP_STEPS):
                message = f"a list is repeated beyond {MAX_LOOP_STEPS:,} elements, or without a bound that can be seen"
                self.report(node, message, "use np.zeros((x.shape[0], k)) or np.repeat")

    def _check_sum(self, node: cst.CSTNode, value: Value, left: Value, right: Value) -> None:
        if left.stretched and right.stretched:
            self.report(node, "a list doubles from step to step of a loop", _DOUBLES_HINT)
        elif (value.steps or 0) > MAX_LOOP_STEPS >= max(left.steps or 0, right.steps or 0):
            self.report(node, f"a list of more than {MAX_LOOP_STEPS:,} elements", _DOUBLES_HINT)

    def finish(self) -> None:
        for node in self.reading.trace.endless:
            self.report(node, "a list doubles from step to step of a loop", _DOUBLES_HINT)
        for node in self.reading.trace.large:
            message = f"np.einsum of too many axes: each counts as {MAX_AXIS}, together at most {MAX_ARRAY_SIZE:,}"
            self.report(node, message, "sum in two steps, or write the products out")


_DOUBLES_HINT = "add what is new alone, names + [name]; compute on whole arrays"


def _nested_length(value: Value) -> int:
    """Return how many elements a list has with those of its lists, as far as that can be seen."""
    return (value.steps or 1) * _nested_length(element(value)) if value.is_list else 1


def _elements(value: Value) -> int:
    if value.items is not None:
        product = 1
        for item in value.items:
            product *= max(_elements(item), 1)
        return product
    return value.low if value != UNKNOWN and value.low is not None else 0
