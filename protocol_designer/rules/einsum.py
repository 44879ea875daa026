"""What `np.einsum` does with the axis of rows and with memory, read from its subscripts."""

from __future__ import annotations

from dataclasses import dataclass

from protocol_designer.rules.limits import MAX_ARRAY_SIZE, MAX_AXIS
from protocol_designer.rules.values import Value

__all__ = ["Einsum", "einsum_of"]

_REST = "."
"""Stands for an ellipsis: the axes that have no letter, counted as one."""


@dataclass(frozen=True)
class Einsum:
    """The letters of each operand and of the result, and those that are axes of rows."""

    operands: tuple[str, ...]
    result: str
    rows: frozenset[str]

    @property
    def mixes(self) -> str:
        """Why rows are mixed; empty where they are not."""
        if any(letter not in self.result for letter in self.rows):
            return "the axis of rows left out of the result"
        return "two axes of rows in the result" if len(self.rows) > 1 else ""

    @property
    def elements(self) -> int:
        """Numbers in the result for each row, with the length assumed of an axis behind the rows."""
        return int(MAX_AXIS ** len(set(self.result) - self.rows))

    @property
    def work(self) -> int:
        """Products that are summed for each row."""
        return int(MAX_AXIS ** len(set("".join(self.operands)) - self.rows))

    @property
    def too_large(self) -> bool:
        """Whether the result, or the work for it, is beyond what a shape may ask for."""
        return self.elements > MAX_ARRAY_SIZE or self.work > MAX_ARRAY_SIZE * MAX_AXIS


def einsum_of(arguments: tuple[Value, ...]) -> Einsum | None:
    """Return what a call computes; None where its subscripts are not written out."""
    subscripts = arguments[0].text if arguments else None
    if subscripts is None or len(subscripts) != 1:
        return None
    written = next(iter(subscripts)).replace(" ", "").replace("...", _REST)
    left, arrow, result = written.partition("->")
    operands = tuple(left.split(","))
    if not arrow:
        # NumPy's own order: an ellipsis, then the letters that stand once
        result = _REST * (_REST in left) + "".join(sorted(x for x in set(left) - {",", _REST} if left.count(x) == 1))
    rows = {
        letters[0]
        for letters, value in zip(operands, arguments[1:], strict=False)
        if letters and value.rows and value.front
    }
    return Einsum(operands, result, frozenset(rows))
