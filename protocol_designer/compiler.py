"""The compiler's loop: brief → proposal → diagnostics → outcome → decision. It does not know what it compiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from generated_protocols.diagnostics import Diagnostic
from protocol_designer.store import Store
from protocol_designer.types import Brief, Contract, Decision, Designer, Dropped, Proposal, Rejection, Score, Verdict

__all__ = ["Compilation", "CompilerConfig", "PassRecord", "compile_parts"]

Outcome = TypeVar("Outcome")
BriefMaker = Callable[..., Brief]


@dataclass(frozen=True)
class CompilerConfig:
    """How often the designer is asked. `passes` counts refinements after pass 0; the published loop has two.

    `best_of`, where above 0, asks for that many first parts instead, without feedback, and keeps the best.
    """

    passes: int = 2
    max_repairs: int = 3
    best_of: int = 0

    def __post_init__(self) -> None:
        if self.passes < 0:
            raise ValueError(f"passes {self.passes} is below 0")
        if self.max_repairs < 0:
            raise ValueError(f"max_repairs {self.max_repairs} is below 0")
        if self.best_of < 0:
            raise ValueError(f"best_of {self.best_of} is below 0")


@dataclass(frozen=True)
class PassRecord:
    """What one pass came to. `part` is the number of the part that was kept, None where none was; `figures` are what
    the score records of it.
    """

    index: int
    part: int | None
    decision: Decision
    tries: int
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Compilation(Generic[Outcome]):
    """The sources that were kept, what they come to together, what was measured and dropped, and how it went."""

    sources: tuple[str, ...] = ()
    outcome: Outcome | None = None
    passes: tuple[PassRecord, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    def without(self, record: PassRecord, *dropped: Dropped) -> Compilation[Outcome]:
        """Return what there is after a pass that added nothing."""
        return replace(self, passes=(*self.passes, record), dropped=(*self.dropped, *dropped))


@dataclass(frozen=True)
class _Passed(Generic[Outcome]):
    """A proposal that keeps the contract, and what the score decided on it."""

    source: str
    outcome: Outcome
    decision: Decision
    tries: int


def compile_parts(
    designer: Designer,
    contract: Contract[Outcome],
    score: Score[Outcome],
    store: Store,
    make_brief: BriefMaker,
    config: CompilerConfig,
) -> Compilation[Outcome]:
    """Ask the designer for one part a pass, keep what the score says is worth keeping, and remember everything.

    A pass whose criterion already holds is skipped. What was done before a kill is read from the store, not repeated.
    """
    if config.best_of:
        return _best_of(designer, contract, score, store, make_brief, config)
    done: Compilation[Outcome] = Compilation()
    tried: dict[str, str] = {}
    for index in range(config.passes + 1):
        if score.satisfied(done.outcome, index):
            done = done.without(_failed(index, 0, "its criterion already holds"))
        else:
            brief = make_brief(index, done.sources, score.feedback(done.outcome, index))
            brief = replace(brief, dropped=done.dropped)
            found = _proposed(designer, contract, score, store, brief, done, tried, config.max_repairs)
            done = _decided(done, found, score, index)
    return done


def _best_of(
    designer: Designer,
    contract: Contract[Outcome],
    score: Score[Outcome],
    store: Store,
    make_brief: BriefMaker,
    config: CompilerConfig,
) -> Compilation[Outcome]:
    """Ask for first parts, none of which is told of another, and keep the one whose gain is the largest."""
    nothing: Compilation[Outcome] = Compilation()
    tried: dict[str, str] = {}
    candidates: list[_Passed[Outcome] | PassRecord] = []
    for index in range(config.best_of):
        brief = replace(make_brief(0, (), {}), candidate=index)
        candidates.append(_proposed(designer, contract, score, store, brief, nothing, tried, config.max_repairs))
    kept = [one for one in candidates if isinstance(one, _Passed) and one.decision.keep]
    best = max(kept, key=lambda one: one.decision.figures.get("gain", 0.0), default=None)
    done = nothing
    for index, one in enumerate(candidates):
        if isinstance(one, _Passed) and one.decision.keep and one is not best:
            reason = f"another candidate gains more; {one.decision.reason}"
            done = done.without(PassRecord(index, None, Decision(False, reason, one.decision.figures), one.tries))
        else:
            done = _decided(done, one, score, index)
    return done


def _decided(
    done: Compilation[Outcome], found: _Passed[Outcome] | PassRecord, score: Score[Outcome], index: int
) -> Compilation[Outcome]:
    """Return what there is after a pass that came to `found`."""
    if isinstance(found, PassRecord):
        return done.without(found)
    if not found.decision.keep:
        record = PassRecord(index, None, found.decision, found.tries)
        return done.without(record, Dropped(index, found.source, found.decision.reason))
    record = PassRecord(index, len(done.sources), found.decision, found.tries, score.record(found.outcome, index))
    return replace(done, sources=(*done.sources, found.source), outcome=found.outcome, passes=(*done.passes, record))


def _proposed(
    designer: Designer,
    contract: Contract[Outcome],
    score: Score[Outcome],
    store: Store,
    brief: Brief,
    done: Compilation[Outcome],
    tried: dict[str, str],
    max_repairs: int,
) -> _Passed[Outcome] | PassRecord:
    """Propose, and repair while the proposal is rejected and repairs are left; then let the score decide.

    `tried` maps every source so far to what became of it: the same text again is said to be the same, and not run.
    """
    rejection: Rejection | None = None
    index, part = brief.round, len(done.sources)
    for number in range(max_repairs + 1):
        proposal = store.proposal(index, number, partial(designer.propose, brief.repairing(rejection, number)))
        if proposal is None:
            reason = "the designer has nothing to add"
            if rejection is not None:
                reason = f"the designer gave no repair of: {_short(rejection)}"
            return _failed(index, number, reason)
        verdict = _run(contract, done.sources, proposal, part, tried)
        store.save_diagnostics(index, number, verdict.diagnostics)
        if verdict.outcome is not None:
            decision = store.decision(index, number, partial(score.judge, done.outcome, verdict.outcome))
            tried[proposal.source] = f"that was {'kept' if decision.keep else 'dropped'} in pass {index}"
            return _Passed(proposal.source, verdict.outcome, decision, number + 1)
        tried.setdefault(proposal.source, f"that was rejected in pass {index}, try {number}")
        rejection = Rejection(proposal.source, verdict.diagnostics)
    assert rejection is not None
    reason = f"no proposal passed in {max_repairs + 1} tries; the last: {_short(rejection)}"
    return _failed(index, max_repairs + 1, reason)


def _failed(index: int, tries: int, reason: str) -> PassRecord:
    return PassRecord(index, None, Decision(False, reason), tries)


def _short(rejection: Rejection) -> str:
    more = len(rejection.diagnostics) - 1
    return str(rejection.diagnostics[0]) + (f" and {more} more" if more else "")


def _run(
    contract: Contract[Outcome], accepted: tuple[str, ...], proposal: Proposal, part: int, tried: Mapping[str, str]
) -> Verdict[Outcome]:
    """Read the text by the static rules, and run it only when they accept it and it is new."""
    if proposal.diagnostics:
        return Verdict(proposal.diagnostics, None)
    if proposal.source in tried:
        return Verdict((_identical(tried[proposal.source]),), None)
    diagnostics = tuple(contract.check(proposal.source, part))
    return Verdict(diagnostics, None) if diagnostics else contract.run((*accepted, proposal.source))


def _identical(to: str) -> Diagnostic:
    return Diagnostic(
        0, 0, "PD470", f"the proposal is identical to the part {to}; it is not scored again", "write something new"
    )
