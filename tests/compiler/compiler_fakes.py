"""A contract and a score that have nothing to do with communication: the loop does not know what it compiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from buffers.schema import Field, TaskSchema
from generated_protocols.diagnostics import Diagnostic
from protocol_designer.types import Brief, Decision, Proposal, Verdict

__all__ = ["SCHEMA", "Killed", "Listing", "Scripted", "Worth", "brief_for"]

SCHEMA = TaskSchema("words", "a list of words", ("agent",), (Field("a.x", "x"),), (Field("a.x", "x"),), ("stay",), 5)


class Killed(BaseException):
    """Stands for a kill: nothing may catch it."""


class Listing:
    """Modules are words; a word with a blank breaks the contract, "crash" fails when it is run."""

    name, version = "words", 1

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []

    def check(self, source: str, part: int) -> Sequence[Diagnostic]:
        return [Diagnostic(1, source.index(" ") + 1, "PD999", "a blank", "leave it out")] if " " in source else []

    def run(self, sources: Sequence[str]) -> Verdict[int]:
        self.ran.append(tuple(sources))
        if sources[-1] == "crash":
            return Verdict((Diagnostic(0, 0, "PD998", "it crashed"),), None)
        return Verdict((), sum(map(len, sources)))


class Worth:
    """An outcome is a number of letters; a part stays when it adds at least `least`, and `enough` ends it."""

    def __init__(self, least: int = 3, enough: int = 100) -> None:
        self.least, self.enough = least, enough
        self.judged: list[tuple[int | None, int]] = []

    def judge(self, before: int | None, after: int) -> Decision:
        self.judged.append((before, after))
        gain = after - (before or 0)
        return Decision(gain >= self.least, f"it adds {gain}", {"gain": float(gain)})

    def record(self, outcome: int, pass_index: int) -> Mapping[str, Any]:
        return {"letters": outcome}

    def satisfied(self, outcome: int | None, pass_index: int) -> bool:
        return outcome is not None and outcome >= self.enough

    def feedback(self, outcome: int | None, pass_index: int) -> Mapping[str, Any]:
        return {"letters": outcome}


class Scripted:
    """Answers from a list; an entry that is an exception is raised, None is nothing to add."""

    name, model = "scripted", "list"

    def __init__(self, *answers: str | type[BaseException] | None) -> None:
        self.answers = list(answers)
        self.briefs: list[Brief] = []

    def propose(self, brief: Brief) -> Proposal | None:
        self.briefs.append(brief)
        answer = self.answers.pop(0)
        if isinstance(answer, type):
            raise answer
        return None if answer is None else Proposal(answer, {"word": answer}, files={"reply.md": f"I say {answer}"})


def brief_for(index: int, accepted: tuple[str, ...], feedback: Mapping[str, Any]) -> Brief:
    return Brief(SCHEMA, index, accepted, feedback, None, 10, 0)


MakeBrief = Callable[[int, tuple[str, ...], Mapping[str, Any]], Brief]
