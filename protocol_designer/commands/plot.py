"""Draw learning curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import print_result
from protocol_designer.commands.options import Json


def plot(
    folders: Annotated[
        list[Path], typer.Argument(help="Runs, or folders of runs; seeds of one setting become one line.")
    ],
    out: Annotated[
        Path, typer.Option(help="File to draw into: .png or .svg; its numbers go beside it as .csv.")
    ] = Path("curves.png"),
    measure: Annotated[str, typer.Option(help="success or return, of greedy episodes.")] = "success",
    as_json: Json = False,
) -> None:
    """Draw learning curves with bands: interquartile mean over seeds, 95 % bootstrap interval, gathering included."""
    from buffers.memory import naming_full_disk
    from marl_runtime.plotting import curve_table, draw, find_runs_below, read_lines, require_format

    require_format(out)
    runs = find_runs_below(folders)
    lines = read_lines(runs, measure)
    table = curve_table(lines)
    draw(lines, table, out, measure)
    numbers = out.with_suffix(".csv")
    with naming_full_disk(f"writing {numbers}"):
        table.to_csv(numbers, index=False)
    told = {
        "files": [str(out), str(numbers)],
        "lines": [{"task": line.task, "line": line.name, "seeds": [c.seed for c in line.curves]} for line in lines],
    }
    print_result(told, as_json, lambda: typer.echo(f"{len(runs)} runs in {len(lines)} lines: {out}, {numbers}"))
