"""How a design came about: prompts, replies, rejections and decisions in their order, and what they cost."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from typing import Any

from buffers.errors import ProtocolDesignerError
from generated_protocols.manifest import edited_parts
from protocol_designer.reporting.reading import Attempt, Design
from protocol_designer.transcript import Exchange
from protocol_designer.wording import compare_protocols
from reporting import Block, Chart, Column, Fold, Note, Section, Source, Table, Text
from reporting.charts import bars, nominal, quantitative

__all__ = ["changes_section", "history_section", "outcome"]

MOST_TEXT = 1_500_000
"""Characters of prompts and replies that a page takes in; a page is to stay small."""


def outcome(attempt: Attempt) -> str:
    """Return what became of an attempt in a few words."""
    if attempt.diagnostics:
        count = len(attempt.diagnostics)
        return f"rejected: {count} finding{'s' if count > 1 else ''}"
    if attempt.decision is None:
        return "not measured"
    return "kept" if attempt.decision["keep"] else "dropped"


def history_section(design: Design) -> Section | None:
    """Return the time line of calls and attempts; None where none is recorded."""
    if not (design.attempts or design.exchanges):
        return None
    blocks: list[Block] = []
    if design.exchanges:
        blocks += _calls(design.exchanges)
    by_place = {(attempt.index, attempt.number): attempt for attempt in design.attempts}
    blocks.append(
        Table(
            "Attempts, in order",
            (
                Column("pass", "pass"),
                Column("try", "try"),
                Column("outcome", "outcome"),
                Column("gain", "gain in success [95 %]", 4, bounds=True),
                Column("shuffled", "best of shuffled", 4),
                Column("reason", "reason"),
            ),
            [_attempt_row(attempt) for attempt in design.attempts],
            "A part is kept only where the lower bound of its gain beats copies of itself with shuffled messages.",
        )
    )
    folds: list[Block] = []
    left = MOST_TEXT
    shown: set[str] = set()
    for number, exchange in enumerate(design.exchanges, 1):
        texts: list[Block] = []
        for title, text in _texts(exchange):
            if title == "system prompt" and text in shown:
                texts.append(Text("The system prompt is that of the call before."))
                continue
            shown.add(text)
            texts.append(
                Source(
                    title,
                    text[: max(left, 0)] + ("" if len(text) <= left else "\n[… left out: the page would be too large]"),
                )
            )
            left -= len(text)
        folds.append(Fold(f"Call {number}: {exchange.call}{_cost(exchange)}", texts))
    for place, attempt in by_place.items():
        folds.append(Fold(f"Attempt: pass {place[0]}, try {place[1]}: {outcome(attempt)}", _attempt(attempt, by_place)))
    return Section("How it was made", [*blocks, *folds])


def _calls(exchanges: Sequence[Exchange]) -> list[Block]:
    known = all(e.completion is None or e.completion.usage.input_tokens is not None for e in exchanges)
    unit = "tokens" if known else "characters"
    rows: list[dict[str, Any]] = []
    listed = []
    for number, exchange in enumerate(exchanges, 1):
        reply = exchange.completion
        usage = reply.usage if reply else None
        asked = (usage.input_tokens if usage else 0) if known else sum(len(text) for _, text in _texts(exchange)[:-1])
        said = (usage.output_tokens if usage else 0) if known else len(reply.text if reply else "")
        name = f"{number:02d} pass {exchange.call.pass_index}, {exchange.call.role.replace('_', ' ')}"
        name += f" (try {exchange.call.attempt})" if exchange.call.attempt else ""
        for what, size in (("prompt", asked), ("reply", said)):
            rows.append({"call": name, "what": what, "size": size, "at": exchange.at, "cost": _dollars(exchange)})
        listed.append(
            {
                "call": name,
                "at": exchange.at.replace("T", " ").replace("+00:00", " UTC"),
                "input": usage.input_tokens if usage else None,
                "output": usage.output_tokens if usage else None,
                "cost": exchange.cost,
                "seconds": exchange.seconds,
                "ended": exchange.error or (reply.stop_reason if reply else "no reply"),
            }
        )
    tips = [
        nominal("call", "call"),
        nominal("what", "text"),
        quantitative("size", unit, format=",.0f"),
        nominal("at", "at"),
        nominal("cost", "cost"),
    ]
    chart = bars(
        f"{unit.capitalize()} of each call's prompt and reply, in the order in which they were made",
        rows,
        x=("size", unit),
        y=("call", None),
        color=("what", None),
        tooltip=tips,
    )
    about = "From top to bottom in the order in which they were made." + (
        "" if known else " Tokens were not reported: lengths are in characters."
    )
    columns = (
        Column("call", "call"),
        Column("at", "at"),
        Column("input", "tokens in", 0),
        Column("output", "tokens out", 0),
        Column("cost", "US dollars", 4),
        Column("seconds", "seconds", 1),
        Column("ended", "ended"),
    )
    return [Chart("Calls of the language model", about, chart), Table("Calls, in order", columns, listed)]


def _dollars(exchange: Exchange) -> str:
    return "unknown" if exchange.cost is None else f"${exchange.cost:.4f}"


def _cost(exchange: Exchange) -> str:
    cost = "" if exchange.cost is None else f", ${exchange.cost:.4f}"
    return f"{cost}, failed" if exchange.error else cost


def _texts(exchange: Exchange) -> list[tuple[str, str]]:
    """Return what was asked and what came back, in order, the reply last."""
    asked = [("system prompt", exchange.system)]
    asked += [
        ("prompt" if message["role"] == "user" else "earlier reply", message["content"])
        for message in exchange.messages
    ]
    return [*asked, ("reply", exchange.completion.text if exchange.completion else exchange.error or "no reply")]


def _attempt_row(attempt: Attempt) -> dict[str, Any]:
    decision = attempt.decision or {}
    figures = decision.get("figures") or {}
    findings = "; ".join(f"{found.get('code', '')} {found.get('message', '')}".strip() for found in attempt.diagnostics)
    return {
        "pass": attempt.index,
        "try": attempt.number,
        "outcome": outcome(attempt),
        "gain": figures.get("gain"),
        "gain_low": figures.get("gain_low"),
        "gain_high": figures.get("gain_high"),
        "shuffled": figures.get("best_shuffled"),
        "reason": findings or decision.get("reason", ""),
    }


def _attempt(attempt: Attempt, others: dict[tuple[int, int], Attempt]) -> list[Block]:
    blocks: list[Block] = []
    prose = attempt.notes.get("prose")
    if prose:
        blocks.append(Text(str(prose)))
    if attempt.diagnostics:
        columns = (
            Column("code", "code"),
            Column("line", "line"),
            Column("column", "column"),
            Column("message", "what is wrong"),
            Column("hint", "remedy"),
        )
        blocks.append(Table("Findings", columns, list(attempt.diagnostics)))
    if attempt.decision:
        blocks.append(Text(f"Decision: {attempt.decision['reason']}"))
    before = others.get((attempt.index, attempt.number - 1))
    if before and before.source != attempt.source:
        blocks.append(Source("changed since the try before", _diff(before.source, attempt.source), "diff"))
    blocks.append(Source("source", attempt.source, "python"))
    return blocks


def _diff(before: str, after: str) -> str:
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm=""))


def changes_section(design: Design) -> Section | None:
    """Return what every pass added and what was edited by hand since; None where nothing is frozen."""
    if design.manifest is None:
        return None
    rows = [_pass_row(entry) for entry in design.manifest.scores]
    columns = (
        Column("pass", "pass"),
        Column("decision", "decision"),
        Column("success", "success with messages", 3),
        Column("empty", "success, empty inbox", 3),
        Column("gain", "gain from messages [95 %]", 3, bounds=True),
        Column("imbalance", "imbalance over agents", 5),
        Column("width", "numbers kept", 0),
        Column("bits", "bits per step and link", 0),
    )
    about = (
        "Success is the mean over agents and scored fields of the share of steps in which the field is known; "
        "imbalance the variance over agents, mean over fields. Pass 1 goes for what is unknown, pass 2 for agents "
        "left behind."
    )
    blocks: list[Block] = [Table("Pass by pass", columns, rows, about)]
    for number, source in design.sources.items():
        by = next((e.get("pass") for e in design.manifest.scores if e.get("part") == f"part{number}.py"), None)
        said = f"part{number}.py" + (
            "" if by is None else f", kept in pass {by}: everything in it is new, parts are never replaced"
        )
        blocks.append(Fold(said, [Source(f"part{number}.py", source.decode("utf-8-sig", "replace"), "python")]))
    return Section("What each pass changed", blocks if design.joint else [*blocks, *_edits(design)])


def _pass_row(entry: Any) -> dict[str, Any]:
    card = entry.get("card") or {}
    gain = card.get("gain") or {}
    place = entry.get("pass")
    return {
        "pass": {None: "no protocol", "held_out": "held out"}.get(
            place, f"pass {place}" if isinstance(place, int) else place
        ),
        "decision": "" if "keep" not in entry else "kept" if entry["keep"] else "dropped",
        "success": card.get("success_full"),
        "empty": card.get("success_empty"),
        "gain": gain.get("mean") if place is not None else None,
        "gain_low": gain.get("low"),
        "gain_high": gain.get("high"),
        "imbalance": card.get("imbalance_full"),
        "width": entry.get("message_dim"),
        "bits": entry.get("bits_per_step"),
    }


def _edits(design: Design) -> list[Block]:
    """Return the differences between frozen versions, and of the working copy from the last one."""
    assert design.manifest is not None
    versions = sorted(
        (p for p in (design.folder / "frozen").glob("*") if p.name.isdigit()), key=lambda path: int(path.name)
    )
    edited = edited_parts(design.manifest, design.sources)
    sides = [(f"version {path.name}", path) for path in versions]
    if edited:
        sides.append(("as it is now, not frozen", design.folder))
    blocks: list[Block] = []
    if edited:
        blocks.append(
            Note(f"{', '.join(edited)} changed since the last freeze: scores and bits are of the version before.")
        )
    for (name, before), (later, after) in itertools.pairwise(sides):
        try:
            found = compare_protocols(before, after)
        except ProtocolDesignerError as error:
            blocks.append(Note(f"What changed from {name} to {later} cannot be said: {error}"))
            continue
        if not found.source:
            blocks.append(
                Text(f"From {name} to {later} no source changed (frozen again, for instance after a review).")
            )
            continue
        changes = [{"name": n, "before": a, "after": b} for n, a, b in found.figures if a != b]
        columns = (Column("name", "figure"), Column("before", name), Column("after", later))
        pieces: list[Block] = [Source(f"from {name} to {later}", _short_paths(found.source, before, after), "diff")]
        blocks.append(
            Fold(
                f"Edited by hand: from {name} to {later}",
                [*pieces, *([Table("What changed in figures", columns, changes)] if changes else [])],
            )
        )
    return blocks


def _short_paths(diff: str, before: Any, after: Any) -> str:
    """Return a diff without the folders' own paths: the page may be passed on."""
    return diff.replace(f"{before}/", f"{before.name}/").replace(f"{after}/", f"{after.name}/")
