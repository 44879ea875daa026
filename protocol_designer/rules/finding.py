"""What a rule reports, before it becomes a `Diagnostic`: plain values that cross the process border as JSON."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Finding"]


class Finding(NamedTuple):
    """One thing that is wrong; `line` and `column` count from 1, and are 0 where the finding has no place."""

    line: int
    column: int
    code: str
    message: str
    hint: str = ""
