"""Make a page of designs, runs and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protocol_designer.commands.console import print_result, say
from protocol_designer.commands.options import Json

if TYPE_CHECKING:
    from reporting import Chapter

LARGE_PAGE = 5_000_000
"""Bytes above which a page is said to be large."""


def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Designs, runs, or folders of runs.", show_default=False)
    ],
    out: Annotated[Path | None, typer.Option(help="The page.  [default: report-<first folder>.html]")] = None,
    as_json: Json = False,
) -> None:
    """Write one page that shows designs, runs and comparisons of runs, and needs no server and no network.

    With --json what is drawn is printed, and a page is written only where --out names one.
    """
    from reporting import Page, require_writable, write_page
    from reporting.library import chart_library

    path = None if as_json and out is None else out or Path(f"report-{folders[0].resolve().name}.html")
    if path is not None:
        require_writable(path)
    chapters = _chapters(folders)
    page = Page(
        chapters[0].title if len(chapters) == 1 else f"{len(chapters)} chapters: {chapters[0].title} …", chapters
    )
    if path is not None:
        size = write_page(path, page, chart_library())
        if size > LARGE_PAGE:
            say(f"warning: {path} has {size / 1e6:.1f} MB; name fewer folders for a page that opens at once")
        say(f"wrote {path} ({size / 1e6:.1f} MB)")
    print_result(page.to_json(), as_json, lambda: typer.echo(f"open {path} in a browser"))


def _chapters(folders: list[Path]) -> list[Chapter]:
    from buffers.errors import UsageError
    from protocol_designer.reporting import design_chapter, is_design

    chapters: list[Chapter] = []
    for folder in folders:
        if is_design(folder):
            chapters.append(design_chapter(folder))
        else:
            raise UsageError(f"{folder} is no design")
    return chapters
