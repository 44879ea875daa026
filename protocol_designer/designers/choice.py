"""Which designer writes: named, or chosen by what is at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from buffers.errors import UnknownNameError
from protocol_designer.store import Store
from protocol_designer.types import Designer
from sai import Episodes

__all__ = ["DESIGNERS", "Choice", "choose"]

DESIGNERS = ("auto", "search")


@dataclass(frozen=True)
class Choice:
    """A designer that was chosen: `description` says which, with which model, and at most how many calls."""

    name: str
    model: str
    description: str
    make_designer: Callable[[Mapping[str, Episodes], Store], Designer]


def choose(
    name: str,
    *,
    model: str = "",
    base_url: str = "",
    transcript: Path | None = None,
    passes: int = 2,
    repairs: int = 3,
) -> Choice:
    """Return the designer called `name`; an unknown one raises `UnknownNameError`."""
    if name in ("auto", "search"):
        from protocol_designer.designers.search import SearchDesigner

        return Choice(
            "search",
            "ridge",
            "designer: search (no language model, no calls, nothing to pay)",
            lambda episodes, store: SearchDesigner(episodes),
        )
    raise UnknownNameError("designer", name, DESIGNERS)
