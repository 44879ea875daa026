"""Rules on rows: each row is another agent, step or episode, sees only itself, and its input is not changed."""

from __future__ import annotations

import libcst as cst

from protocol_designer.rules.rule import Rule

__all__ = ["InputUnchanged", "RowsApart", "TruthOfRows"]

_REDUCING_BUILTINS = frozenset({"min", "max", "sorted", "any", "all", "float", "int", "bool", "sum", "list", "tuple"})


class InputUnchanged(Rule):
    """What `own` and `inbox` give, and the constants of the module, are read only.

    A protocol has no memory. `x = own["name"]` may be a view of the input, so `x *= 2` and
    `x[mask] = 0` would change it. Arrays that the function made itself may be written.
    Remedy: write x = x * 2; x = np.where(mask, 0, x); or x = own["name"].copy() first.
    """

    code = "PD320"
    title = "the input or a module constant is changed in place"

    def finish(self) -> None:
        for write in self.reading.trace.writes.values():
            if write.target.own or write.target.inbox:
                what, hint = "own and inbox are read only", "return what matters as a component"
            elif write.target.input:
                what = f"{write.how}, but it may be a part of the input"
                hint = "use np.where(...), or make a copy first: x = x.copy()"
            else:
                what = f"{write.how}, but it is a constant of the module"
                hint = "a protocol keeps nothing between calls; make the list inside the function"
            self.report(write.node, what, hint)


class TruthOfRows(Rule):
    """`if`, `and`, `or`, `not`, `a < b < c`, and the builtins min, max, float, ... ask for one value; an array has R.

    Remedy: use np.where(condition, a, b); & | ~ with parentheses; np.maximum and np.minimum; x.astype(np.float32).
    """

    code = "PD322"
    title = "one decision for all rows"

    def _rows(self, node: cst.CSTNode) -> bool:
        return self.reading.trace.value(node).rows

    def _test(self, node: cst.BaseExpression, what: str) -> None:
        inner = isinstance(node, cst.BooleanOperation) or (
            isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
        )
        if self._rows(node) and not inner:
            hint = "use np.where(condition, a, b), or multiply by the condition"
            self.report(node, f"{what} on an array decides once for all rows", hint)

    def visit_If(self, node: cst.If) -> None:
        self._test(node.test, "'if'")

    def visit_IfExp(self, node: cst.IfExp) -> None:
        self._test(node.test, "'if'")

    def visit_CompIf(self, node: cst.CompIf) -> None:
        self._test(node.test, "'if'")

    def visit_Assert(self, node: cst.Assert) -> None:
        self._test(node.test, "'assert'")

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> None:
        word, sign = ("and", "&") if isinstance(node.operator, cst.And) else ("or", "|")
        if self._rows(node.left) or (self._rows(node.right) and not isinstance(node.right, cst.BooleanOperation)):
            self.report(node, f"'{word}' between arrays", f"write (a) {sign} (b), with the parentheses")

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        if isinstance(node.operator, cst.Not) and self._rows(node.expression):
            self.report(node, "'not' of an array", "write ~(condition), or 1 - x")

    def visit_Comparison(self, node: cst.Comparison) -> None:
        operands = [node.left, *(part.comparator for part in node.comparisons)]
        if len(node.comparisons) > 1 and any(self._rows(operand) for operand in operands):
            self.report(node, "a chained comparison of arrays", "write (a < b) & (b < c)")
        elif isinstance(node.comparisons[0].operator, cst.In | cst.NotIn) and self._rows(node.left):
            self.report(node, "'in' with an array", "use np.isin(x, values)")

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Name) and node.func.value in _REDUCING_BUILTINS - {"list", "tuple"}:
            given = [arg.value for arg in node.args if arg.keyword is None]
            if node.func.value == "sum":
                given = given[:1]  # what it starts from may be an array
            if any(self._rows(value) for value in given) or (
                len(given) == 1 and self._elements_are_rows(node, given[0])
            ):
                self.report(node, f"{node.func.value}() of an array", _INSTEAD[node.func.value])
        elif _is_math(node.func) and any(self._rows(arg.value) for arg in node.args):
            name = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
            self.report(node, f"math.{name} of an array", f"math takes single numbers; use np.{name}")

    def _elements_are_rows(self, node: cst.Call, given: cst.BaseExpression) -> bool:
        value = self.reading.trace.value(given)
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if not value.is_list or name == "sum":
            return False
        items = value.items or ((value.each,) if value.each is not None else ())
        return any(item.rows for item in items)


def _is_math(func: cst.BaseExpression) -> bool:
    return isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.value.value == "math"


_INSTEAD = {
    "min": "np.minimum(a, b), or x.min(axis=1)",
    "max": "np.maximum(a, b), or x.max(axis=1)",
    "sum": "x.sum(axis=1), or sum([a, b, c]) of arrays",
    "sorted": "np.sort(x, axis=1)",
    "any": "x.any(axis=1)",
    "all": "x.all(axis=1)",
    "float": "x.astype(np.float32)",
    "int": "x.astype(np.int64)",
    "bool": "x > 0",
}


class RowsApart(Rule):
    """Nothing is computed over the axis of rows: the rows beside are other agents, steps and episodes.

    `x.mean()` without an axis, `x.sum(axis=0)`, `x[0]` and np.cumsum(x) mix rows. A row hears of others through
    `inbox`, and of its past through `own.past`. How many rows there are is no agent's to know either: `len(x)` may say
    how long an array is to be, and nothing else.
    Remedy: use axis=1 for what stands behind the rows; own.past(name) for time; inbox[name] for other agents.
    """

    code = "PD323"
    title = "rows are mixed"

    def finish(self) -> None:
        for node, mixing in self.reading.trace.mixing.items():
            message = f"'{mixing.name}' with {mixing.why} mixes rows, which are other agents, steps and episodes"
            self.report(node, message, "use axis=1; time is in own.past(name), other agents in inbox[name]")

    def visit_Subscript(self, node: cst.Subscript) -> None:
        base = self.reading.trace.value(node.value)
        first = node.slice[0].slice
        if not (base.rows and base.front) or base.is_list or base.is_dict or not isinstance(first, cst.Index):
            return
        index = self.reading.trace.value(first.value)
        if index.number and not index.array:
            hint = "write x[:, k] for column k; x[:, -1] for the last step of own.past(name)"
            self.report(node, "a single row is picked out: it is another agent, step or episode", hint)

    def visit_Comparison(self, node: cst.Comparison) -> None:
        sides = [node.left, *(target.comparator for target in node.comparisons)]
        counts = [self._counts_rows(side) for side in sides]
        if any(counts) and not all(counts):  # two counts of rows are always equal
            self._count_used(node, "compared")

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        if any(self.reading.trace.value(side).number and self._counts_rows(side) for side in (node.left, node.right)):
            self._count_used(node, "computed with")

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        if self._counts_rows(node.expression):
            self._count_used(node, "computed with")

    def visit_Match(self, node: cst.Match) -> None:
        if self._counts_rows(node.subject):
            self._count_used(node.subject, "compared")

    def visit_Call(self, node: cst.Call) -> None:
        named = isinstance(node.func, cst.Name) and node.func.value in _REDUCING_BUILTINS | {"abs", "divmod", "str"}
        if named and any(self._counts_rows(given.value) for given in node.args):
            self._count_used(node, "computed with")

    def _counts_rows(self, node: cst.BaseExpression) -> bool:
        return self.reading.trace.value(node).row_count

    def _count_used(self, node: cst.CSTNode, how: str) -> None:
        self.report(
            node,
            f"the number of rows is {how}: it is how many agents and steps are worked on at once",
            "let nothing depend on it; np.zeros(len(x)) and x.reshape(len(x), 4) may say how long an array is",
        )
