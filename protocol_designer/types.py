"""The compiler's nouns. The loop does not know what it compiles: a `Contract` runs a module, a `Score` judges it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from buffers.schema import TaskSchema
from generated_protocols.diagnostics import Diagnostic

__all__ = [
    "Brief",
    "ChoosesFields",
    "Contract",
    "Decision",
    "Designer",
    "Dropped",
    "Feedback",
    "Prompted",
    "Proposal",
    "Rejection",
    "Score",
    "Verdict",
]

Outcome = TypeVar("Outcome")
Judged = TypeVar("Judged", contravariant=True)  # noqa: PLC0105 - a noun reads better than Judged_contra


Feedback = Literal["measured", "none", "fixed", "shuffled"]
"""What a designer that is prompted learns from the score, and three controls that make as many calls.

"measured": recovery first, then balance, as published. "fixed": the same figures and one fixed instruction in every
pass. "shuffled": figures that were dealt out anew among agents and fields. "none": no figures at all, but the best of
as many first parts as there would have been calls.
"""


@dataclass(frozen=True)
class Dropped:
    """A proposal that ran, was measured, and did not earn its place."""

    pass_index: int
    source: str
    reason: str


@dataclass(frozen=True)
class Brief:
    """What a designer is told before it proposes the part of one pass.

    `pass_index` 0 is the minimal part, 1 recovery, 2 balance. `accepted` holds the sources kept so far, by pass;
    `feedback` is what the score says of them (None in pass 0); `dropped` is what was tried before and not kept;
    `rejection` is set when this is a repair, the `attempt`-th of its pass. `candidate` counts first parts where the
    best of several is wanted.
    """

    schema: TaskSchema
    pass_index: int
    accepted: tuple[str, ...]
    feedback: Mapping[str, Any] | None
    max_message_width: int | None
    window: int
    seed: int
    rejection: Rejection | None = None
    attempt: int = 0
    dropped: tuple[Dropped, ...] = ()
    candidate: int = 0

    @property
    def round(self) -> int:
        """The number under which this brief's proposals are remembered: the pass, or the candidate."""
        return self.pass_index + self.candidate

    def repairing(self, rejection: Rejection | None, attempt: int) -> Brief:
        """Return the brief for try number `attempt`, after `rejection`."""
        return replace(self, rejection=rejection, attempt=attempt)


@dataclass(frozen=True)
class Proposal:
    """A designer's answer: Python source, and what it wants to be remembered of how it came about.

    `diagnostics` are what the designer found wrong itself (no module in a reply): the source is not run then. `files`
    maps names to texts that are kept beside the source.
    """

    source: str
    notes: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rejection:
    """Why a proposal was sent back for repair."""

    source: str
    diagnostics: tuple[Diagnostic, ...]


class Designer(Protocol):
    """Writes protocol parts. `name` and `model` go into the manifest."""

    name: str
    model: str

    def propose(self, brief: Brief) -> Proposal | None:
        """Return a part for this brief, or None when nothing is worth adding."""


@runtime_checkable
class ChoosesFields(Protocol):
    """A designer that says which state fields a protocol is to be judged by."""

    def choose_fields(self, brief: Brief) -> tuple[str, ...]:
        """Return names of state fields, at least one."""


@runtime_checkable
class Prompted(Protocol):
    """A designer that is prompted: the manifest records by what, and at what cost."""

    @property
    def prompt_versions(self) -> Mapping[str, str]:
        """Return the version of each prompt file."""

    def spent(self) -> Mapping[str, Any]:
        """Return requests, tokens and cost so far, as plain JSON values."""


@dataclass(frozen=True)
class Verdict(Generic[Outcome]):
    """What running a candidate gave: diagnostics, or an outcome to score."""

    diagnostics: tuple[Diagnostic, ...]
    outcome: Outcome | None


class Contract(Protocol[Outcome]):
    """Which functions a module defines, and how it is validated and run."""

    name: str
    version: int

    def check(self, source: str, part: int) -> Sequence[Diagnostic]:
        """Return what is wrong with the text, without running it."""

    def run(self, sources: Sequence[str]) -> Verdict[Outcome]:
        """Run the accepted parts plus the candidate (the last) in the sandbox."""


@dataclass(frozen=True)
class Decision:
    """Whether a part stays, and why. `figures["gain"]` orders parts where only the best is wanted."""

    keep: bool
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)


class Score(Protocol[Judged]):
    """How good an outcome is, whether a part earned its place, and what the next pass is told."""

    def judge(self, before: Judged | None, after: Judged) -> Decision:
        """Decide on the part that turned `before` (None: no part at all) into `after`, on the select split."""

    def record(self, outcome: Judged, pass_index: int) -> Mapping[str, Any]:
        """Return what the record of `pass_index` keeps of an outcome whose part stays, as plain JSON values."""

    def satisfied(self, outcome: Judged | None, pass_index: int) -> bool:
        """Return whether the criterion of `pass_index` already holds, so that the pass is skipped."""

    def feedback(self, outcome: Judged | None, pass_index: int) -> Mapping[str, Any]:
        """Return the measured figures that the designer sees before `pass_index`."""
