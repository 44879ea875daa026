"""A design's chapter: in short, what is sent, who knows what, what passes changed, what it costs, how it was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from buffers.errors import ProtocolDesignerError
from generated_protocols.manifest import Manifest, edited_parts
from protocol_designer.reporting.cost import component_rows, cost_section, gain_rows
from protocol_designer.reporting.history import changes_section, history_section
from protocol_designer.reporting.knowledge import fields_of, knowledge_section, time_section
from protocol_designer.reporting.reading import Design, read_design
from protocol_designer.wording import agent_lines, part_lines
from reporting import Block, Chapter, Column, Facts, Fold, Note, Section, Source, Table, Text

__all__ = ["design_chapter", "is_design"]

_FILES = ("part0.py", "joint0.py", "design.json", "manifest.json")


def is_design(folder: Path) -> bool:
    """Return whether `folder` holds a protocol, or a design under way."""
    return any((folder / name).is_file() for name in _FILES) and not (folder / "config.json").exists()


def design_chapter(folder: Path) -> Chapter:
    """Return everything that is recorded of the design in `folder`; damaged files are named and the rest is shown."""
    design = read_design(folder)
    problems = list(design.problems)
    makers: tuple[Callable[[Design], Section | None], ...] = (
        _summary,
        _words,
        knowledge_section,
        time_section,
        changes_section,
        cost_section,
        history_section,
    )
    sections = []
    for make in makers:
        try:
            section = make(design)
        # a manifest by another hand may lack anything: one chart that cannot be drawn is no reason to show none
        except (ProtocolDesignerError, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            told = str(error) if isinstance(error, ProtocolDesignerError) else repr(error)
            problems.append(f"{folder}: a section could not be made from what is recorded ({told})")
            continue
        if section is not None:
            sections.append(section)
    if problems:
        sections.insert(0, Section("What could not be read", [Note(problem) for problem in problems]))
    return Chapter("design", f"{design.task}: {folder.resolve().name}", str(folder), sections)


def _summary(design: Design) -> Section:
    manifest = design.manifest
    facts: list[tuple[str, str]] = [("task", design.task)]
    if manifest:
        calls = manifest.calls
        data = manifest.data_set
        facts += [
            ("designer", f"{manifest.designer} {manifest.model and f'({manifest.model})'}".strip()),
            ("frozen", f"version {manifest.frozen}, {manifest.frozen_at[:10]}" if manifest.frozen else "not frozen"),
            ("reviewed by", ", ".join(str(review.get("name", "")) for review in manifest.reviewed_by) or "nobody"),
            ("measured on", f"{data['episodes']:,} recorded episodes" if data.get("episodes") else "unknown"),
            ("numbers sent, kept", f"{_width(manifest.payload)}, {_width(manifest.message)}"),
            ("bits per step and link", _figure(manifest.bandwidth.get("total"), ",.0f")),
            ("language model calls", str(calls.get("requests", "none"))),
            ("cost", _price(calls.get("cost_usd"))),
        ]
    blocks: list[Block] = [Facts(facts)]
    blocks += [Text(line) for line in (_who_knows_not(design), _what_passes_did(design), _what_pays(design)) if line]
    return Section("In short", blocks)


def _width(components: Any) -> int:
    return sum(int(component["width"]) for component in components)


def _figure(value: Any, form: str) -> str:
    return "unknown" if not isinstance(value, int | float) else format(value, form)


def _price(value: Any) -> str:
    return f"${value:.2f}" if isinstance(value, int | float) else "unknown" if value else "none"


def _who_knows_not(design: Design) -> str:
    """Return the sentence that says which agent does not know what, before and after."""
    if "none" not in design.tables or not design.passes:
        return ""
    before, after = design.tables["none"], design.tables[design.passes[-1]]
    fields = fields_of(design)
    means = before[before.field.isin(fields) & before.scored].groupby(["agent", "role"]).success_full.mean()
    if means.empty:
        return ""
    by_agent = {place: float(mean) for place, mean in zip(means.index.tolist(), means.tolist(), strict=True)}
    agent, role = min(by_agent, key=lambda place: by_agent[place])
    mine = after[(after.agent == agent) & after.field.isin(fields)].set_index("field")
    old = before[(before.agent == agent) & before.field.isin(fields)].set_index("field").success_full
    unknown = old.nsmallest(3)
    changed = ", ".join(
        f"{field} {value:.0%} → {mine.success_full.get(field, float('nan')):.0%}" for field, value in unknown.items()
    )
    left = mine[mine.scored].success_full.nsmallest(1)
    rest = f" Least known to it in the end: {left.index[0]}, {left.iloc[0]:.0%}." if len(left) else ""
    least = f"Least informed without messages is agent {agent} ({role})."
    return f"{least} What it knew least, and knows with messages: {changed}.{rest}"


def _what_passes_did(design: Design) -> str:
    scores = design.manifest.scores if design.manifest else ()
    # an imported protocol was never decided on
    entries = [entry for entry in scores if isinstance(entry.get("pass"), int) and "keep" in entry]
    told = [
        f"pass {entry['pass']} was {'kept' if entry.get('keep') else 'dropped'}"
        + (f" ({entry['figures']['gain']:+.3f})" if (entry.get("figures") or {}).get("gain") is not None else "")
        for entry in entries
    ]
    return (
        f"Passes, with what each added to the share of steps in which fields are known: {', '.join(told)}."
        if told
        else ""
    )


def _what_pays(design: Design) -> str:
    components = sorted(component_rows(design), key=lambda row: -row["per_number"])
    if components:
        best = components[0]
        return (
            f"What pays most per number sent is the component {best['component']} ({best['per_number']:.2f} in skill)."
        )
    rows = [row for row in gain_rows(design) if row["per_100_bits"] is not None]
    if not rows:
        return ""
    best = max(rows, key=lambda row: row["per_100_bits"])
    worst = min(rows, key=lambda row: row["per_100_bits"])
    said = f"What pays most per bit is {best['part']}: {best['per_100_bits']:+.4f} in success per 100 bits"
    return said + (f"; {worst['part']} brings {worst['per_100_bits']:+.4f}." if worst is not best else ".")


def _words(design: Design) -> Section:
    blocks: list[Block] = []
    manifest = design.manifest
    if manifest and design.sources:
        edited = edited_parts(manifest, design.sources)
        blocks += [Text(line) for line in _said(part_lines(design.sources, manifest))]
        if design.schema:
            blocks += [Text(line) for line in agent_lines(manifest, design.schema)]
        blocks.append(Fold("Components and their widths", [_components(manifest)]))
    else:
        edited = []
    for number, source in design.sources.items():
        name = f"part{number}.py{' (edited since it was frozen)' if f'part{number}.py' in edited else ''}"
        blocks.append(Fold(f"Source of {name}", [Source(name, source.decode("utf-8-sig", "replace"), "python")]))
    for name, source in design.joint.items():
        blocks.append(
            Fold(f"Source of {name}, imported", [Source(name, source.decode("utf-8-sig", "replace"), "python")])
        )
    return Section(
        "What each agent sends and keeps", blocks or [Note("There is no part yet: nothing was kept so far.")]
    )


def _said(lines: list[str]) -> list[str]:
    """Return the lines about what is sent and kept, each with its part's name; components have a table of their own."""
    told, part = [], ""
    for line in lines:
        if not line.startswith(" "):
            part, _, text = line.partition(":")
            told += [line] if text.strip() else []
        elif not line.startswith("    "):
            told.append(f"{part} {line.strip()}")
    return told


def _components(manifest: Manifest) -> Table:
    widths: dict[tuple[int, str], dict[str, Any]] = {}
    for what, listed in (("sent", manifest.payload), ("kept", manifest.message)):
        for one in listed:
            place = (one["part"], one["name"])
            row = widths.setdefault(place, {"component": one["name"], "part": f"part{one['part']}.py"})
            row[what] = one["width"]
    columns = (
        Column("component", "component"),
        Column("part", "part"),
        Column("sent", "numbers sent"),
        Column("kept", "numbers kept"),
    )
    return Table("Components", columns, list(widths.values()))
