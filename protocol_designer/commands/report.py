"""Make a page of designs, runs and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from protocol_designer.commands.console import print_result, say
from protocol_designer.commands.folders import task_of, validate_frozen
from protocol_designer.commands.options import Json, Trust

if TYPE_CHECKING:
    from reporting import Chapter

LARGE_PAGE = 5_000_000
"""Bytes above which a page is said to be large."""


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="Designs, runs, or folders of runs, which are compared.", show_default=False
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="The page.  [default: report-<first folder>.html]")] = None,
    battles: Annotated[int, typer.Option(help="Battles to play of each run; 0 plays none.", min=0, max=50)] = 3,
    scripted_episodes: Annotated[
        int, typer.Option(help="Episodes to play of each scripted policy; 0 leaves their lines out.", min=0)
    ] = 200,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Write one page that shows designs, runs and comparisons, and needs no server and no network.

    Several runs are compared as well. With --json what is drawn is printed, and a page is
    written only where --out names one.
    """
    from reporting import Page, require_writable, write_page
    from reporting.library import chart_library

    path = None if as_json and out is None else out or Path(f"report-{folders[0].resolve().name}.html")
    if path is not None:
        require_writable(path)
    chapters = _chapters(folders, battles, scripted_episodes, trust)
    page = Page(
        chapters[0].title if len(chapters) == 1 else f"{chapters[0].title} and {len(chapters) - 1} more", chapters
    )
    if path is not None:
        size = write_page(path, page, chart_library())
        if size > LARGE_PAGE:
            say(
                f"warning: {path} has {size / 1e6:.1f} MB; name fewer folders, or --battles 1, for a page that opens "
                "at once"
            )
        say(f"wrote {path} ({size / 1e6:.1f} MB)")
    print_result(page.to_json(), as_json, lambda: typer.echo(f"open {path} in a browser"))


def _chapters(folders: list[Path], battles: int, scripted_episodes: int, trust: bool) -> list[Chapter]:
    from buffers.errors import UsageError
    from protocol_designer.reporting import design_chapter, is_design

    unknown = [folder for folder in folders if not (is_design(folder) or _runs_of(folder))]
    if unknown:
        what = "holds none of them" if unknown[0].is_dir() else "is not a folder"
        raise UsageError(
            f"{unknown[0]} {what}: name the folder of a design (part0.py, manifest.json), of a run (config.json, "
            "metrics.jsonl), "
            "or one with runs in it"
        )
    chapters: list[Chapter] = []
    single = [folder for folder in folders if _runs_of(folder) == [folder]]
    if len(single) > 1:
        chapters += _comparison(single, ", ".join(str(folder) for folder in single), scripted_episodes)
    for folder in folders:
        if is_design(folder):
            chapters.append(design_chapter(folder))
        elif folder in single:
            chapters.append(_run(folder, battles, scripted_episodes, trust))
        else:
            chapters += _comparison(_runs_of(folder), str(folder), scripted_episodes)
    return chapters


def _runs_of(folder: Path) -> list[Path]:
    from marl_runtime.reporting import is_run, runs_in

    return [folder] if is_run(folder) else runs_in(folder)


def _comparison(runs: list[Path], where: str, scripted_episodes: int) -> list[Chapter]:
    from marl_runtime.reporting import comparison_chapters

    return comparison_chapters(runs, where, scripted_episodes)


def _run(folder: Path, battles: int, scripted_episodes: int, trust: bool) -> Chapter:
    from buffers.errors import ProtocolDesignerError
    from generated_protocols.manifest import joint_sources
    from marl_runtime.reporting import run_chapter

    protocol = folder / "protocol"
    if battles and protocol.is_dir():
        # playing runs the protocol in this process: what the rules refuse, or cannot read, is not run
        try:
            if joint_sources(protocol) and not trust:
                say(
                    f"{folder}: its imported joint protocol is code that nobody checked; no battle is played without "
                    "--trust"
                )
                battles = 0
            validate_frozen(protocol, task_of(protocol, ""))
        except ProtocolDesignerError as error:
            say(f"{folder}: no battle is played: {error}")
            battles = 0
    return run_chapter(folder, battles, scripted_episodes)
