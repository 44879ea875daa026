"""How commands speak: results on stdout, progress and errors on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

import typer

from generated_protocols.manifest import write_atomically


def fail(message: str, status: int) -> NoReturn:
    """Say what went wrong in one line and end with `status`."""
    sys.stderr.write(f"\nerror: {message}\n" if Progress.drawn else f"error: {message}\n")
    sys.exit(status)


class Progress:
    """Draws one refreshing line on a terminal, and a plain line every ten seconds elsewhere, on stderr."""

    drawn = False

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._total, self._done, self._first = -1, 0, 0
        self._began = self._last = time.monotonic()

    def __call__(self, done: int, total: int, text: str) -> None:
        """Show that `done` of `total` pieces of what `text` names are done."""
        now = time.monotonic()
        if total != self._total or done < self._done:  # another piece of work
            self._finish_line()
            self._total, self._first, self._began, self._last = total, done, now, 0.0
        self._done = done
        if done < total and now - self._last < (0.1 if self._terminal else 10.0):
            return
        self._last, elapsed = now, now - self._began
        rate = (done - self._first) / elapsed if elapsed > 0 else 0.0
        left = f"{(total - done) / rate:,.0f} s left" if rate and done < total else f"{elapsed:,.0f} s"
        line = f"{text}: {done:,} of {total:,}" + (f", {rate:,.3g}/s, {left}" if rate else "")
        if self._terminal:
            filled = round(20 * done / max(total, 1))
            sys.stderr.write(f"\r\x1b[K{'█' * filled}{'░' * (20 - filled)} {line}")
            Progress.drawn = True
            if done >= total:
                self._finish_line()
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    @staticmethod
    def _finish_line() -> None:
        if Progress.drawn:
            sys.stderr.write("\n")
            Progress.drawn = False


def say(line: str) -> None:
    """Print one line about what is going on, below a bar that is being drawn."""
    sys.stderr.write(f"\n{line}\n" if Progress.drawn else f"{line}\n")
    Progress.drawn = False


def print_result(result: Mapping[str, Any], as_json: bool, render: Callable[[], None]) -> None:
    """Print a command's result: `as_json`, or as `render` shows it."""
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2, allow_nan=False) + "\n")
    else:
        render()


def print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows of like keys as a table, on one line each however narrow the terminal is.

    `x`, `x_low` and `x_high` share a column, as in `0.53 [0.41, 0.64]`.
    """
    from rich.console import Console
    from rich.table import Table

    columns = list(dict.fromkeys(key for row in rows for key in row))
    bounded = [column for column in columns if {f"{column}_low", f"{column}_high"} <= set(columns)]
    bounds = {f"{column}_{side}" for column in bounded for side in ("low", "high")}
    columns = [column for column in columns if column not in bounds]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        numeric = all(isinstance(row.get(column), int | float | None) for row in rows)
        table.add_column(column.replace("_", " "), justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        cells = [cell(row.get(column)) for column in columns]
        for place, column in enumerate(columns):
            if column in bounded and row.get(f"{column}_low") is not None:
                cells[place] += f" [{cell(row[f'{column}_low'])}, {cell(row[f'{column}_high'])}]"
        table.add_row(*cells)
    console = Console()
    console.width = max(console.width, console.measure(table, options=console.options.update(width=1_000)).maximum)
    console.print(table)


def cell(value: Any) -> str:
    """Return a table cell's text: numbers with as many digits as they need."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}" if value != int(value) or abs(value) < 10 else f"{value:,.0f}"
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def print_run(run: Path, as_json: bool) -> None:
    """Print what a finished run came to and what to type next."""
    from marl_runtime.metrics import read_metrics
    from marl_runtime.run_folder import RunFolder

    result = {"run": str(run), **RunFolder.open(run).read_json("result.json")}
    told = ("run", "steps", "episodes", "updates", "wall_seconds", "cpu_seconds")
    lines = [f"{name.replace('_', ' ')}: {cell(result[name])}" for name in told]
    tested = [row for row in read_metrics(run) if "test/return" in row]
    if tested:
        row = tested[-1]
        lines.append(
            f"last test, at step {cell(row['step'])}: "
            f"success {cell(row.get('test/success'))}, return {cell(row['test/return'])}"
        )
    lines.append(f"\nnext: design-protocol evaluate {run}\n      tensorboard --logdir {run.parent}")
    print_result(result, as_json, lambda: typer.echo("\n".join(lines)))


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one line, without the place in this program's source: a `warnings.showwarning`."""
    sys.stderr.write(f"warning: {message}\n")


def wait_for_reply(prompt: Path, reply: Path) -> bool:
    """Show a prompt to whoever sits at the terminal, and take the reply from there or from its file.

    False where nobody does, and when Ctrl-D says that the reply will come another day.
    """
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(
        f"\n{prompt.read_text(encoding='utf-8')}\n"
        f"-- the prompt above is in {prompt}\n"
        f"-- save the reply as {reply} and press Enter; or paste it here, and end it with a line that says END\n"
        "-- Ctrl-D stops; the same command goes on another day\n"
    )
    lines: list[str] = []
    for line in sys.stdin:
        if not lines and not line.strip():
            return True
        if line.strip() == "END":
            write_atomically(reply, "".join(lines))
            return True
        lines.append(line)
    return False
