"""The files of a design, read for people: what is damaged is named, and the rest is there all the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from buffers.errors import CorruptFileError, ProtocolDesignerError
from buffers.files import read_json_object, require_form
from buffers.schema import TaskSchema
from generated_protocols.manifest import Manifest, joint_sources, part_sources, read_manifest, read_schema
from protocol_designer.transcript import Exchange

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Attempt", "Design", "read_design"]

Value = TypeVar("Value")

_PLACE = re.compile(r"(\d+)-(\d+)")
_TEXTS = ["role", "field", "unit"]
_FIGURES = [
    "success_full",
    "success_empty",
    "success_zero",
    "success_full_ci",
    "success_empty_ci",
    "skill_full",
    "rmse_full",
]
_TABLES = {
    "table": (_TEXTS, ["agent", *_FIGURES]),
    "parts": (["field"], ["part", "agent", "success_full", "success_empty"]),
}


class _Note(TypedDict, total=False):
    components: list[Any]
    prose: str


class _Proposal(TypedDict, total=False):
    proposed: bool
    notes: _Note


class _Decision(TypedDict):
    keep: bool
    reason: str


@dataclass(frozen=True)
class Attempt:
    """One try of a pass: the source, what was wrong with it, and what became of it (None: it was never measured)."""

    index: int
    number: int
    source: str
    notes: Mapping[str, Any]
    diagnostics: Sequence[Mapping[str, Any]]
    decision: Mapping[str, Any] | None


@dataclass(frozen=True)
class Design:
    """What could be read. `tables` and `parts` are the scores by their folder's name, in the order they were made.

    `problems` names each file that could not be read, and why.
    """

    folder: Path
    sources: Mapping[int, bytes]
    joint: Mapping[str, bytes]
    manifest: Manifest | None
    schema: TaskSchema | None
    attempts: Sequence[Attempt]
    tables: Mapping[str, pd.DataFrame]
    parts: Mapping[str, pd.DataFrame]
    exchanges: Sequence[Exchange]
    problems: Sequence[str]

    @property
    def task(self) -> str:
        """The manifest's task, or the parent folder's name."""
        return self.manifest.task if self.manifest else self.folder.resolve().parent.name

    @property
    def passes(self) -> list[str]:
        """The names of the scores that were made of kept parts on the select split, in order."""
        return [name for name in self.tables if name not in ("none", "held_out")]


def read_design(folder: Path) -> Design:
    """Read everything that is in `folder`; nothing is run, and nothing is raised for what is damaged."""
    problems: list[str] = []

    def tried(read: Callable[[], Value], otherwise: Value) -> Value:
        try:
            return read()
        except (ProtocolDesignerError, OSError, ValueError) as error:
            problems.append(str(error))
        return otherwise

    no_sources: dict[str, bytes] = {}
    joint = tried(lambda: joint_sources(folder), no_sources)
    return Design(
        folder,
        {} if joint else tried(lambda: part_sources(folder), {}),
        joint,
        tried(lambda: read_manifest(folder), None),
        tried(lambda: read_schema(folder), None) if (folder / "schema.json").exists() else None,
        [one for place in _attempts(folder) if (one := tried(lambda place=place: _attempt(place), None))],  # type: ignore[misc]
        _tables(folder, "table", tried),
        _tables(folder, "parts", tried),
        tried(lambda: _exchanges(folder / "transcript.jsonl", problems), []),
        problems,
    )


def _attempts(folder: Path) -> list[Path]:
    found = [(m, path) for path in (folder / "attempts").glob("*") if (m := _PLACE.fullmatch(path.name))]
    return [path for _, path in sorted(((int(m[1]), int(m[2])), path) for m, path in found)]


def _attempt(place: Path) -> Attempt:
    index, number = (int(piece) for piece in place.name.split("-"))
    proposal = _optional(place / "proposal.json", _Proposal) or {}
    found = place / "diagnostics.json"
    diagnostics: Any = proposal.get("diagnostics", [])
    if found.exists():
        try:
            diagnostics = json.loads(found.read_bytes())
        except ValueError as error:
            raise CorruptFileError(f"{found} is half-written or damaged: {error}") from error
    require_form(diagnostics, list[dict[str, Any]], found)
    source = place / "source.py"
    text = source.read_text(encoding="utf-8", errors="replace") if source.exists() else ""
    return Attempt(
        index, number, text, proposal.get("notes", {}), diagnostics, _optional(place / "decision.json", _Decision)
    )


def _optional(file: Path, form: Any) -> dict[str, Any] | None:
    if not file.exists():
        return None
    value = read_json_object(file)
    require_form(value, form, file)
    return value


def _tables(folder: Path, kind: str, tried: Callable[..., Any]) -> dict[str, pd.DataFrame]:
    def place(name: str) -> tuple[int, int, str]:
        number = re.search(r"\d+", name)
        return (
            {"none": 0, "held_out": 3}.get(name, 1 if name.startswith("pass") else 2),
            int(number[0]) if number else 0,
            name,
        )

    names = sorted((path.parent.name for path in (folder / "scores").glob(f"*/{kind}.csv")), key=place)
    found = {
        name: tried(lambda name=name: _read(folder / "scores" / name / f"{kind}.csv", kind), None) for name in names
    }
    return {name: frame for name, frame in found.items() if frame is not None}


def _read(file: Path, kind: str) -> pd.DataFrame:
    import pandas as pd

    texts, numbers = _TABLES[kind]
    try:
        frame = pd.read_csv(file)
        frame[numbers] = frame[numbers].astype(float)
        frame = frame.astype(dict.fromkeys(texts, str))
        if kind == "table":
            frame["scored"] = frame.scored.astype(bool)
            frame["reason"] = frame.reason.fillna("").astype(str)
        return frame.astype({"agent": int})
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise CorruptFileError(f"{file} is damaged: {str(error).splitlines()[0]}") from error


def _exchanges(file: Path, problems: list[str]) -> list[Exchange]:
    if not file.exists():
        return []
    found = []
    for number, line in enumerate(file.read_bytes().splitlines()[1:], 2):
        try:
            found.append(Exchange.from_json(json.loads(line)))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            problems.append(f"{file}, line {number}, is cut or damaged ({error!r}); what follows it is left out")
            break
    return found
