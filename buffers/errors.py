"""The errors that this project raises on purpose.

ProtocolDesignerError            every error below; the command line prints it in one line
├── UsageError                   exit 2: the caller asked for something that does not exist
│   ├── UnknownNameError         names the nearest valid ones
│   └── MissingDependencyError   ends with the command that installs it
├── RejectedError                exit 3: something was read and refused
│   ├── LayoutMismatchError      made for another task layout
│   ├── NotFrozenError           a protocol was edited after it was frozen
│   └── CorruptFileError         a file is half-written or damaged
└── ResourceError                exit 1: no memory, no disk space, no free worker
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "CorruptFileError",
    "LayoutMismatchError",
    "MissingDependencyError",
    "NotFrozenError",
    "ProtocolDesignerError",
    "RejectedError",
    "ResourceError",
    "UnknownNameError",
    "UsageError",
    "nearest",
]


class ProtocolDesignerError(Exception):
    """Base of every error that this project raises on purpose; `exit_code` is the command line's status."""

    exit_code = 1


class UsageError(ProtocolDesignerError):
    """What was asked for does not exist or does not fit together."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name is not among the valid ones; the message lists the nearest."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        valid = sorted(valid)
        close = nearest(name, valid)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"valid: {', '.join(valid) or 'none'}"
        super().__init__(f"unknown {kind} {name!r}: {hint}")
        self.name = name
        self.nearest = close


class MissingDependencyError(UsageError):
    """An optional package is not installed; the message ends with the command that installs it."""


class RejectedError(ProtocolDesignerError):
    """Something was read and refused; the message says what and how to mend it."""

    exit_code = 3


class LayoutMismatchError(RejectedError):
    """A data set, protocol or checkpoint was made for another task layout."""


class NotFrozenError(RejectedError):
    """A protocol's sources do not match the hashes in its manifest."""


class CorruptFileError(RejectedError):
    """A file is half-written or damaged."""


class ResourceError(ProtocolDesignerError):
    """The machine has too little memory or disk space, or a worker died."""


def nearest(name: str, valid: Iterable[str], count: int = 3) -> list[str]:
    """Return up to `count` of the `valid` names that look most like `name`, best first, ignoring case."""
    by_folded = {candidate.casefold(): candidate for candidate in valid}
    folded = name.casefold()
    close = difflib.get_close_matches(folded, by_folded, n=count, cutoff=0.5)
    close += [candidate for candidate in by_folded if folded and folded in candidate and candidate not in close]
    return [by_folded[match] for match in close[:count]]
