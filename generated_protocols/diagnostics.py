"""One finding about a protocol's source, as a value that people, editors and the repair prompt all read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Diagnostic"]


@dataclass(frozen=True, order=True)
class Diagnostic:
    """What is wrong, where, and how to mend it.

    Codes: PD1xx text, PD2xx syntax, PD3xx names and calls, PD4xx contract (PD40x read from the source, the others found
    by running), PD5xx limits (time, memory, a worker that died). `line` and `column` count from 1 and are 0 where the
    finding has no place in the text.
    """

    line: int
    column: int
    code: str
    message: str
    hint: str = ""
    file: str = ""

    def __str__(self) -> str:
        where = f" line {self.line}, column {self.column}" if self.line else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.code}{where}: {self.message}{hint}"

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain JSON values, for editors."""
        return asdict(self)
