"""The base of the rules that read the tree."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import ClassVar

import libcst as cst
from libcst._batched_visitor import VisitorMethod

from protocol_designer.rules.finding import Finding
from protocol_designer.rules.reading import Reading

__all__ = ["Rule", "listed", "nearest_or_all", "normal"]

_FEW = 12
_NEARLY = 0.03


class Rule(cst.BatchableCSTVisitor):
    """One rule: a visitor that reports findings under one code.

    `title` and the docstring, whose last paragraph starts with "Remedy:", make the rule's entry in the guide. All
    rules walk the tree together, so a `visit_` method cannot stop the walk. `finish` runs after it.
    """

    code: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self.reading = reading
        self.findings: list[Finding] = []

    def report(self, node: cst.CSTNode | None, message: str, hint: str = "") -> None:
        """Add a finding at `node`; without one it has no place."""
        line, column = (0, 0) if node is None else self.reading.place(node)
        self.findings.append(Finding(line, column, self.code, message, hint))

    def get_visitors(self) -> Mapping[str, VisitorMethod]:
        """Return the methods that this rule has for kinds of nodes; LibCST would look at all 500 that may exist."""
        own = {name for kind in type(self).__mro__ if issubclass(kind, Rule) for name in vars(kind)}
        return {name: getattr(self, name) for name in sorted(own) if name.startswith(("visit_", "leave_"))}

    def finish(self) -> None:
        """Report what can only be said after the whole tree was seen."""


def normal(name: str) -> str:
    """Return the name as Python sees it: NFKC, so that a full-width `open` is `open`."""
    return unicodedata.normalize("NFKC", name)


def listed(names: Iterable[str], quote: str = "'") -> str:
    """Return names as they stand in a message: quoted, sorted, comma-separated."""
    return ", ".join(f"{quote}{name}{quote}" for name in sorted(names))


def nearest_or_all(name: str, valid: Iterable[str]) -> str:
    """Return a hint that names the valid names most like `name`, or all of them when they are few."""
    folded = {candidate.casefold(): candidate for candidate in sorted(valid)}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if close:
        best = _likeness(name, close[0])
        likely = [folded[match] for match in close if _likeness(name, match) > best - _NEARLY]
        return "did you mean " + " or ".join(f"'{match}'" for match in likely) + "?"
    if not folded:
        return "none exist here"
    if len(folded) <= _FEW:
        return f"allowed: {listed(folded.values())}"
    return f"none of the {len(folded)} allowed ones is like it"


def _likeness(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, name.casefold(), other).ratio()
