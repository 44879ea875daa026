"""The compiler's loop: brief → proposal → diagnostics → outcome → decision. It does not know what it compiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from protocol_designer.store import Store
from protocol_designer.types import Brief, Contract, Decision, Designer, Proposal, Rejection, Score, Verdict

__all__ = ["Compilation", "CompilerConfig", "PassRecord", "compile_parts"]

Outcome = TypeVar("Outcome")
BriefMaker = Callable[..., Brief]


@dataclass(frozen=True)
class CompilerConfig:
    """How often the designer is asked. `passes` counts refinements after pass 0; the published loop has two."""

    passes: int = 2
    max_repairs: int = 3

    def __post_init__(self) -> None:
        if self.passes < 0:
            raise ValueError(f"passes {self.passes} is below 0")
        if self.max_repairs < 0:
            raise ValueError(f"max_repairs {self.max_repairs} is below 0")


@dataclass(frozen=True)
class PassRecord(Generic[Outcome]):
    """What one pass came to. `part` is the number of the part that was kept, None where none was."""

    index: int
    part: int | None
    decision: Decision
    tries: int
    before: Outcome | None
    after: Outcome | None


@dataclass(frozen=True)
class Compilation(Generic[Outcome]):
    """The sources that were kept, what they come to together, and how it went."""

    sources: tuple[str, ...] = ()
    outcome: Outcome | None = None
    passes: tuple[PassRecord[Outcome], ...] = field(default=())


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
    done: Compilation[Outcome] = Compilation()
    for index in range(config.passes + 1):
        if score.satisfied(done.outcome, index):
            record = PassRecord(index, None, Decision(False, "its criterion already holds"), 0, done.outcome, None)
        else:
            brief = make_brief(index, done.sources, score.feedback(done.outcome, index))
            record = _play_pass(designer, contract, score, store, brief, done, config.max_repairs)
        kept = record.decision.keep and record.after is not None
        done = Compilation(
            (*done.sources, store.source(index, record.tries - 1)) if kept else done.sources,
            record.after if kept else done.outcome,
            (*done.passes, record),
        )
    return done


def _play_pass(
    designer: Designer,
    contract: Contract[Outcome],
    score: Score[Outcome],
    store: Store,
    brief: Brief,
    done: Compilation[Outcome],
    max_repairs: int,
) -> PassRecord[Outcome]:
    """Propose, and repair while the proposal is rejected and repairs are left; then let the score decide."""
    rejection: Rejection | None = None
    index = brief.pass_index
    for number in range(max_repairs + 1):
        proposal = store.proposal(index, number, partial(designer.propose, brief.repairing(rejection)))
        if proposal is None:
            reason = "the designer has nothing to add" if rejection is None else "the designer gave no repair"
            return _dropped(index, number, reason, done)
        if proposal.source in done.sources:
            return _dropped(index, number, "the proposal is identical to a part that is kept", done)
        verdict = _run(contract, done.sources, proposal, part=len(done.sources))
        store.save_diagnostics(index, number, verdict.diagnostics)
        if verdict.outcome is not None:
            decision = store.decision(index, number, partial(score.judge, done.outcome, verdict.outcome))
            part = len(done.sources) if decision.keep else None
            return PassRecord(index, part, decision, number + 1, done.outcome, verdict.outcome)
        rejection = Rejection(proposal.source, verdict.diagnostics)
    return _dropped(index, max_repairs + 1, f"no proposal passed in {max_repairs + 1} tries", done)


def _dropped(index: int, tries: int, reason: str, done: Compilation[Outcome]) -> PassRecord[Outcome]:
    return PassRecord(index, None, Decision(False, reason), tries, done.outcome, None)


def _run(contract: Contract[Outcome], accepted: tuple[str, ...], proposal: Proposal, part: int) -> Verdict[Outcome]:
    """Read the text by the static rules, and run it only when they accept it."""
    diagnostics = tuple(contract.check(proposal.source, part))
    return Verdict(diagnostics, None) if diagnostics else contract.run((*accepted, proposal.source))
