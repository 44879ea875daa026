"""A protocol in words: what each part sends and keeps, from docstrings and the manifest; nothing is run.

Also the difference between two protocols: source, components, widths, scores, bandwidth.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buffers.errors import NotFrozenError
from buffers.schema import TaskSchema
from generated_protocols.manifest import Manifest, edited_parts, part_sources, read_manifest

__all__ = ["Difference", "agent_lines", "compare_protocols", "part_lines"]

_FIGURES = ("success_full", "success_empty", "success_zero", "skill_full", "skill_empty")


def part_lines(sources: Mapping[int, bytes], manifest: Manifest) -> list[str]:
    """Return, part by part, what is sent and what is kept: docstrings, then component names with their widths."""
    lines = []
    for number, source in sources.items():
        told = _docstrings(source)
        lines.append(f"part{number}: {told['']}" if told[""] else f"part{number}:")
        for verb, function, components in (
            ("sends", "send", manifest.payload),
            ("keeps", "receive", manifest.message),
        ):
            mine = [component for component in components if component["part"] == number]
            text = told[function]
            if verb == "keeps" and text is None:
                text = "everything that the others send, by sender"
            lines.append(f"  {verb}: {text}" if text else f"  {verb}:")
            lines.append(f"    {_names(mine)}" if mine else "    (not frozen yet: unknown)")
    return lines


def agent_lines(manifest: Manifest, schema: TaskSchema) -> list[str]:
    """Return, agent by agent, how often it speaks and what that costs, as measured on the recorded episodes."""
    measured = manifest.bandwidth
    if not measured:
        return []
    lines = []
    for agent, role in enumerate(schema.roles):
        speaking, varying, bits = (measured[name][agent] for name in ("speaking", "varying", "bits_per_step"))
        said = (
            f"speaks in {speaking:.0%} of the steps that it lives, {varying} numbers that vary, {bits:.1f} bits a step"
            if varying and speaking
            else "says nothing"
        )
        lines.append(f"agent {agent} {role}: {said}")
    return lines


def _docstrings(source: bytes) -> dict[str, str | None]:
    """Return the docstrings of the module ("") and of `send` and `receive`; None for a function that is not there."""
    told: dict[str, str | None] = {"": "", "send": "", "receive": None}
    try:
        tree = ast.parse(source.decode("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # an edit under way
        return told
    told[""] = _line(ast.get_docstring(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in told:
            told[node.name] = _line(ast.get_docstring(node))
    return told


def _line(docstring: str | None) -> str:
    """Return a docstring as one line that cannot act on a terminal."""
    return "".join(c if c.isprintable() else " " for c in " ".join((docstring or "").split()))


def _names(components: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(c["name"] if c["width"] == 1 else f"{c['name']} ({c['width']})" for c in components)


@dataclass(frozen=True)
class Difference:
    """What differs between two protocols: `source` is a unified diff, `components` one row per component that differs.

    `figures` has (name, before, after) of widths, bandwidth and scores, None where a side was not measured. `notes`
    say why figures may not compare.
    """

    source: str
    components: tuple[dict[str, Any], ...]
    figures: tuple[tuple[str, float | None, float | None], ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the difference as plain JSON values."""
        figures = [{"name": name, "before": before, "after": after} for name, before, after in self.figures]
        return {
            "source": self.source,
            "components": list(self.components),
            "figures": figures,
            "notes": list(self.notes),
        }


def compare_protocols(before: Path, after: Path) -> Difference:
    """Compare the protocols in two folders, frozen or not; a folder without a protocol raises `RejectedError`."""
    sides = [_Side(before), _Side(after)]
    notes = [note for side in sides for note in side.notes]
    tasks = {side.manifest.task for side in sides if side.manifest}
    if len(tasks) > 1:
        notes.append(f"they are for different tasks: {' and '.join(sorted(tasks))}")
    data = {side.manifest.data_set.get("hash") for side in sides if side.manifest and side.card}
    if len(data) > 1:
        notes.append("they were scored on different episodes: the scores do not compare")
    scored = {tuple(side.card["scored"]) for side in sides if side.card}
    if len(scored) > 1 and len(data) == 1:
        notes.append("different state fields were scored: the scores do not compare")
    a, b = sides
    figures = [
        ("numbers sent", a.width("payload"), b.width("payload")),
        ("numbers kept", a.width("message"), b.width("message")),
        ("bits per step and link", a.bits, b.bits),
        *((name.replace("_", ", "), a.figure(name), b.figure(name)) for name in _FIGURES),
        ("gain in success", a.gain, b.gain),
    ]
    return Difference(_source_diff(a, b), tuple(_component_rows(a, b)), tuple(figures), tuple(notes))


class _Side:
    """One of the two: sources, and the manifest where it was frozen."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sources = folder, part_sources(folder)
        self.manifest: Manifest | None = None
        self.notes: list[str] = []
        try:
            self.manifest = read_manifest(folder)
        except NotFrozenError:
            self.notes.append(f"{folder} was never frozen: nothing of it is measured")
        edited = edited_parts(self.manifest, self.sources) if self.manifest else []
        if edited:
            self.notes.append(
                f"{folder} was edited since it was frozen ({', '.join(edited)}): its figures are of the version before"
            )
        elif self.manifest and not self.manifest.scored:
            self.notes.append(f"{folder} was frozen without a score")
        cards = [entry["card"] for entry in (self.manifest.scores if self.manifest else ()) if _of_the_whole(entry)]
        self.card: Mapping[str, Any] | None = cards[-1] if cards else None

    def width(self, kind: str) -> float | None:
        return None if self.manifest is None else sum(c["width"] for c in getattr(self.manifest, kind))

    @property
    def bits(self) -> float | None:
        return None if self.manifest is None else self.manifest.bandwidth.get("total")

    @property
    def gain(self) -> float | None:
        return None if self.card is None else self.card["gain"]["mean"]

    def figure(self, name: str) -> float | None:
        return None if self.card is None else self.card.get(name)

    def components(self) -> dict[tuple[str, int, str], int]:
        if self.manifest is None:
            return {}
        kinds = (("sent", self.manifest.payload), ("kept", self.manifest.message))
        return {(kind, c["part"], c["name"]): c["width"] for kind, listed in kinds for c in listed}


def _of_the_whole(entry: Mapping[str, Any]) -> bool:
    """Whether an entry of a manifest's scores is of the protocol as it was then, on the select split."""
    if not entry.get("card"):
        return False
    return entry.get("pass") in ("edit", "again") or (isinstance(entry.get("pass"), int) and bool(entry.get("part")))


def _component_rows(a: _Side, b: _Side) -> list[dict[str, Any]]:
    before, after = a.components(), b.components()
    return [
        {"what": kind, "part": part, "component": name, "before": before.get(key), "after": after.get(key)}
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
        for kind, part, name in [key]
    ]


def _source_diff(a: _Side, b: _Side) -> str:
    pieces: list[str] = []
    for number in sorted({*a.sources, *b.sources}):
        old, new = (_lines(side.sources.get(number)) for side in (a, b))
        old_name, new_name = (
            str(side.folder / f"part{number}.py") if number in side.sources else "/dev/null" for side in (a, b)
        )
        pieces += difflib.unified_diff(old, new, old_name, new_name)
    return "".join(pieces)


def _lines(source: bytes | None) -> list[str]:
    text = "" if source is None else source.decode("utf-8", "replace")
    # hidden characters must not act on the terminal that shows them
    safe = "".join(
        c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.replace("\r\n", "\n")
    )
    return [line + "\n" for line in safe.split("\n")][: None if not safe.endswith("\n") else -1] if safe else []
