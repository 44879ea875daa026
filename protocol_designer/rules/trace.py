"""What the abstract run saw: the values of expressions, writes, loops, returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from protocol_designer.rules.values import UNKNOWN, Value

__all__ = ["LoopSteps", "Mixing", "Trace", "Write"]


class Write(NamedTuple):
    """A store into memory that is not the function's own."""

    node: cst.CSTNode
    target: Value
    how: str


class LoopSteps(NamedTuple):
    """The steps of a loop, and those of all loops around it together; None where there is no bound."""

    steps: int | None
    total: int | None


class Mixing(NamedTuple):
    """A computation over the axis of rows."""

    name: str
    why: str


@dataclass
class Trace:
    """Everything seen, by node. A node that was visited several times keeps the join, or the worst."""

    values: dict[cst.CSTNode, Value] = field(default_factory=dict)
    writes: dict[cst.CSTNode, Write] = field(default_factory=dict)
    loops: dict[cst.CSTNode, LoopSteps] = field(default_factory=dict)
    mixing: dict[cst.CSTNode, Mixing] = field(default_factory=dict)
    returns: dict[str, dict[cst.Return, Value]] = field(default_factory=dict)
    may_end_without_return: set[str] = field(default_factory=set)
    outputs: set[cst.CSTNode] = field(default_factory=set)
    """Calls with something by the position of an output that is not known to be an array."""
    large: set[cst.CSTNode] = field(default_factory=set)
    """Calls whose result is too large, as far as their text shows."""
    endless: set[cst.CSTNode] = field(default_factory=set)
    """Calls by which a list doubles at each step of a loop."""
    gave_up: bool = False

    def see(self, node: cst.CSTNode, value: Value) -> None:
        """Remember the value of an expression."""
        known = self.values.get(node)
        self.values[node] = value if known is None else known.join(value)

    def see_write(self, node: cst.CSTNode, target: Value, how: str) -> None:
        """Remember a store, if it may reach memory of the input or of the module."""
        if target.input or target.shared or target.own or target.inbox:
            self.writes.setdefault(node, Write(node, target, how))

    def see_loop(self, node: cst.CSTNode, steps: int | None, total: int | None) -> None:
        """Remember the steps of a loop; no bound is the worst."""
        known = self.loops.get(node)
        if known is not None:
            steps = None if known.steps is None or steps is None else max(known.steps, steps)
            total = None if known.total is None or total is None else max(known.total, total)
        self.loops[node] = LoopSteps(steps, total)

    def see_mixing(self, node: cst.CSTNode, name: str, why: str) -> None:
        """Remember a computation over the axis of rows."""
        self.mixing.setdefault(node, Mixing(name, why))

    def value(self, node: cst.CSTNode) -> Value:
        """Return what is known of an expression; nothing where it was never reached."""
        return self.values.get(node, UNKNOWN)
