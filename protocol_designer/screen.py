"""What a design, a score and a freeze look like on a terminal: rich tables from the same values that JSON gives."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from buffers.errors import CorruptFileError
from generated_protocols.manifest import Manifest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["field_table", "freeze_lines", "pass_table", "show_design", "show_import", "wide_print"]


def wide_print(*renderables: RenderableType) -> None:
    """Print so that a table keeps its lines whole however narrow the terminal is."""
    console = Console(highlight=False)
    group = Group(*renderables)
    widest = max(
        (console.measure(r, options=console.options.update(width=1_000)).maximum for r in renderables), default=0
    )
    console.width = max(console.width, widest)
    console.print(group)


def show_design(folder: Path, manifest: Manifest, task: str, found: bool) -> None:
    """Print what was designed: by agent and field, by pass, its cost, and what to type next."""
    said = "already designed and frozen; nothing was repeated" if found else f"frozen as version {manifest.frozen}"
    name = f"generated protocol for {task} in {folder} ({said})"
    fields: list[RenderableType]
    try:
        title = "share of steps in which an agent knows a state field (skill over the best constant)"
        fields = [Text(""), Text(title, style="bold"), field_table(folder, manifest)]
    except FileNotFoundError:
        fields = [Text("(the tables of the scores were removed)")]
    except CorruptFileError as error:
        fields = [Text(f"({error})")]
    wide_print(
        Text(name, style="bold"),
        *fields,
        Text(""),
        Text("by pass", style="bold"),
        pass_table(manifest.scores),
        Text(""),
        Text(_width_line(manifest)),
        Text(
            "\nnext:\n"
            f"  $EDITOR {folder / 'part0.py'}            # read it, change it by hand\n"
            f"  {_program()} check {folder}\n"
            f"  {_program()} freeze {folder}\n"
            f"  {_program()} train --task {task} --protocol {folder}"
        ),
    )


def show_import(
    folder: Path, manifest: Manifest, reach: Sequence[Mapping[str, Any]], beside: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Print an imported joint protocol: what works, how good it is beside ours, and who tells what to whom."""
    left_out = [f"{m['file']} is left out: {m['reason']}" for m in manifest.joint if m["reason"]]
    sent = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("part", "sender", "receivers", "fields of the sender that change what they get"):
        sent.add_column(column, no_wrap=column != "fields of the sender that change what they get")
    for row in reach:
        others = [r for r in row["receivers"] if r != row["sender"]]
        itself = " and itself" if others and len(others) < len(row["receivers"]) else "itself" if not others else ""
        sent.add_row(str(row["part"]), str(row["sender"]), f"{_agents(others)}{itself}", _fields(row["fields"]))
    wide_print(
        Text(f"imported protocol for {manifest.task} in {folder}", style="bold"),
        Text("it reads the observations of all agents: nothing keeps a sender to what it sees itself"),
        *(Text(line) for line in left_out),
        Text(""),
        Text("part by part, each with those before it" + (", and ours on the same episodes" if beside else "")),
        pass_table([*manifest.scores, *beside]),
        Text(""),
        Text("found by changing one field of one agent at a time, in recorded steps and in random ones", style="bold"),
    )
    Console(highlight=False, width=max(shutil.get_terminal_size().columns, 100)).print(sent)
    typer_line = f"{_program()} train --task {manifest.task} --protocol {folder} --trust"
    wide_print(Text(f"\nnext:\n  {typer_line}"))


def _agents(agents: Sequence[int]) -> str:
    return ", ".join(map(str, agents))


def _fields(names: Sequence[str]) -> str:
    """Return field names, with those of one quantity over numbered things put together."""
    groups: dict[str, list[str]] = {}
    for name in names:
        head, dot, tail = name.partition(".")
        groups.setdefault(head if dot else name, []).append(tail)
    return ", ".join(
        f"{head}.{{{', '.join(tails)}}}" if len(tails) > 1 else f"{head}.{tails[0]}" if tails[0] else head
        for head, tails in groups.items()
    )


def _program() -> str:
    """Return what to type for this program here: its name where that is found, else the path it was called by."""
    called = sys.argv[0]
    known = shutil.which("design-protocol") is not None or not called.endswith("design-protocol")
    return "design-protocol" if known else called


def pass_table(scores: Sequence[Mapping[str, Any]]) -> Table:
    """Return one row per entry of a manifest's scores: success and skill under the three conditions, gain, width."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("pass", "part"):
        table.add_column(column)
    for column in (
        "success",
        "empty inbox",
        "no message",
        "skill",
        "empty inbox",
        "gain in success [95 %]",
        "width",
        "bits/step",
    ):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    for entry in scores:
        label = {None: "none", "held_out": "held out"}.get(entry.get("pass"), str(entry.get("pass")))
        card = entry.get("card")
        figures = ["-"] * 6
        if card:
            gain = card["gain"]
            figures = [
                f"{card['success_full']:.3f}",
                f"{card['success_empty']:.3f}",
                f"{card['success_zero']:.3f}",
                f"{card['skill_full']:.3f}",
                f"{card['skill_empty']:.3f}",
                f"{gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]",
            ]
        width, bits = entry.get("message_dim"), entry.get("bits_per_step")
        table.add_row(
            label,
            str(entry.get("part", "-")),
            *figures,
            "-" if width is None else str(width),
            "-" if bits is None else f"{bits:.1f}",
            str(entry.get("reason", "")),
        )
    return table


def field_table(folder: Path, manifest: Manifest) -> Table:
    """Return success by agent and state field: before any part, after each pass, and with an empty inbox.

    A table that is not there raises `FileNotFoundError`, a damaged one `CorruptFileError`.
    """
    names = ["none", *(f"pass{e['pass']}" for e in manifest.scores if isinstance(e.get("pass"), int) and e.get("part"))]
    frames = {name: _read_scores(folder / "scores" / name / "table.csv") for name in names}
    last = frames[names[-1]]
    shown = [(row.agent, row.field) for _, row in last[last.scored].iterrows()]
    for name, frame in frames.items():
        if not set(shown) <= set(zip(frame.agent, frame.field, strict=True)):
            raise CorruptFileError(
                f"{folder / 'scores' / name / 'table.csv'} is damaged: it lacks rows that {names[-1]} has"
            )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("agent", "field"):
        table.add_column(column, no_wrap=True)
    for name in names:
        table.add_column("no protocol" if name == "none" else f"after {name.replace('pass', 'pass ')}", justify="right")
    table.add_column("empty inbox", justify="right")
    for _, row in last[last.scored].iterrows():
        cells = []
        for name in names:
            same = frames[name]
            mine = same[(same.agent == row.agent) & (same.field == row.field)].iloc[0]
            cells.append(f"{mine.success_full:.2f} ({mine.skill_full:+.2f})")
        empty = f"{row.success_empty:.2f} ({row.skill_empty:+.2f})"
        table.add_row(f"{row.agent} {row.role}", str(row.field), *cells, empty)
    return table


def _read_scores(file: Path) -> pd.DataFrame:
    """Return a table of `scores/`; a damaged one raises `CorruptFileError`."""
    import pandas as pd

    figures = ["success_full", "skill_full", "success_empty", "skill_empty"]
    try:
        frame = pd.read_csv(file)
        frame[figures] = frame[figures].astype(float)
        frame = frame.astype({"agent": int, "scored": bool})[["agent", "role", "field", "scored", *figures]]
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError) as error:
        raise CorruptFileError(f"{file} is damaged: {str(error).splitlines()[0]}") from error
    return frame


def _width_line(manifest: Manifest) -> str:
    width = sum(int(component["width"]) for component in manifest.message)
    bits = manifest.bandwidth.get("total")
    sent = ", ".join(f"{component['name']} ({component['width']})" for component in manifest.payload)
    price = "" if bits is None else f", {bits:.1f} bits per step and link over all senders"
    return f"each agent sends: {sent}\neach agent keeps {width} numbers{price}"


def freeze_lines(report: Mapping[str, Any]) -> str:
    """Return what an edit did to the scores and to the bandwidth, beside the diff, from a freeze report's JSON."""
    if report["unchanged"]:
        return f"{report['folder']} is frozen already, nothing was edited"
    lines = [str(report["diff"]).rstrip()] if report["diff"] else []
    before, after = report["before"], report["after"]
    if not report["edited"] and _card(after) is None:
        lines.append("no part was edited; what was measured before still holds")
    elif after is not None:
        lines.append("")
        measured = (
            ("width of what is kept", "message_dim"),
            ("bits per step and link", "bits_per_step"),
            ("CPU µs per row", "microseconds_per_row"),
            ("bytes per row", "bytes_per_row"),
        )
        for label, name in measured:
            lines.append(f"{label:<24} {_change(before, after, name)}")
        for name in ("success_full", "success_empty", "skill_full", "skill_empty"):
            lines.append(f"{name.replace('_', ', '):<24} {_change(_card(before), _card(after), name)}")
    lines.append(f"\nfrozen as version {report['version']} of {report['folder']}")
    return "\n".join(lines)


def _card(version: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return None if version is None else version.get("card")


def _change(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, name: str) -> str:
    new = None if after is None else after.get(name)
    if new is None:
        return "not scored"
    old = None if before is None else before.get(name)
    shown = f"{new:.3f}".rstrip("0").rstrip(".")
    return shown if old is None else f"{old:.3f}".rstrip("0").rstrip(".") + f" → {shown} ({new - old:+.3f})"
