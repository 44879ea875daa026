"""A page as one HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from buffers.errors import UsageError
from buffers.memory import naming_full_disk
from buffers.packing import write_bytes
from reporting.page import Chart, Frame, Page, plain

__all__ = ["MARK", "embeddable", "render_page", "require_writable", "write_page"]

FOLDER = Path(__file__).resolve().parent
MARK = '<meta name="generator" content="design-protocol report">'
"""Stands in the first kilobyte of every page, and says that the file may be replaced."""
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def render_page(page: Page, library: str) -> str:
    """Return the HTML of `page`, with `library` (see `chart_library`) inside.

    The page's own policy lets these scripts run and nothing else: no text that got past the escaping would be run, and
    nothing is fetched.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    scripts = [library, (FOLDER / "page.js").read_text(encoding="utf-8")]
    for block in _blocks(page.chapters):
        if isinstance(block, Frame):  # what is framed inherits this page's policy
            scripts += _SCRIPT.findall(block.html)
    digests = dict.fromkeys(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        page=page,
        mark=Markup(MARK),
        policy=f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:",
        style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        scripts=[Markup(text) for text in scripts[:2]],
        kind_of=lambda block: type(block).__name__.lower(),
        spec_of=lambda chart: Markup(embeddable(chart.spec)),
        cell=cell,
        sort_key=sort_key,
        numeric_columns=numeric_columns,
    )


def write_page(path: Path, page: Page, library: str) -> int:
    """Write the page to `path`, so that a kill leaves the old file or the new one; return its size in bytes."""
    require_writable(path)
    content = render_page(page, library).encode("utf-8", "replace")
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with naming_full_disk(f"writing {path}"):
            write_bytes(partial, content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return len(content)


def require_writable(path: Path) -> None:
    """Raise `UsageError` unless a page can be written to `path`: nothing is there, or an older page of ours."""
    if path.is_dir():
        raise UsageError(f"--out {path} is a folder: name a file in it, as in {path / 'report.html'}")
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}; make it first, or name another file")
    try:
        if path.exists():
            with path.open("rb") as file:
                if MARK.encode() not in file.read(1024):
                    raise UsageError(
                        f"--out {path} exists and was not written by `report`: name another file, or remove it"
                    )
        probe = path.with_name(f".{path.name}.{os.getpid()}.probe")
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"--out {path} cannot be written ({error.strerror}): name a file elsewhere") from error


def embeddable(value: Any) -> str:
    """Return JSON that cannot end or open an element, whatever names are in it."""
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _blocks(value: Any) -> Iterator[Any]:
    """Yield every block below `value`."""
    if isinstance(value, Frame | Chart):
        yield value
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _blocks(inner)
    else:
        for name in ("sections", "blocks", "charts"):
            yield from _blocks(getattr(value, name, ()))


def cell(row: Any, column: Any) -> str:
    """Return a cell's text: numbers with the column's digits, "-" for what is not known."""
    text = _number(row.get(column.key), column.digits)
    low, high = row.get(f"{column.key}_low"), row.get(f"{column.key}_high")
    if column.bounds and text != "-" and plain(low) is not None and plain(high) is not None:
        text += f" [{_number(low, column.digits)}, {_number(high, column.digits)}]"
    return text


def numeric_columns(table: Any) -> list[int]:
    """Return the places of the columns that hold numbers."""
    return [
        place
        for place, column in enumerate(table.columns)
        if any(isinstance(plain(row.get(column.key)), int | float) for row in table.rows)
    ]


def sort_key(row: Any, column: Any) -> str:
    """Return what the page's script sorts a cell by: the bare number, else the text."""
    value = plain(row.get(column.key))
    return "" if value is None else str(value)


def _number(value: Any, digits: int | None) -> str:
    value = plain(value)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        places = digits if digits is not None else 0 if value == int(value) else 3
        return f"{value:,.{places}f}"
    return str(value)
