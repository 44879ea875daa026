"""How long work tells its caller how far it is; the command line draws a bar from it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "silent"]

Progress = Callable[[int, int, str], None]
"""Called with (units done, units in total, what is being done now)."""


def silent(done: int, total: int, text: str) -> None:
    """Show nothing."""
