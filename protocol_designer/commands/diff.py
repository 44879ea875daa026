"""Compare two protocols."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import cell, print_result, print_rows
from protocol_designer.commands.options import Json


def diff(
    before: Annotated[Path, typer.Argument(help="Folder of a protocol.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="Folder of another one, or of a frozen version.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Say how two protocols differ: source, components, widths, scores and bandwidth; nothing is run."""
    from protocol_designer.wording import compare_protocols

    found = compare_protocols(before, after)

    def render() -> None:
        typer.echo(found.source or "the sources are the same\n")
        if found.components:
            print_rows(found.components)
            typer.echo("")
        rows = []
        for name, old, new in found.figures:
            change = "-" if old is None or new is None else f"{new - old:+.3f}".removesuffix(".000")
            rows.append({"": name, "before": cell(old), "after": cell(new), "change": change})
        print_rows(rows)
        for note in found.notes:
            typer.echo(f"note: {note}")

    print_result({"before": str(before), "after": str(after), **found.to_json()}, as_json, render)
