"""Watch episodes: in the terminal, and as a page that plays them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protocol_designer.commands.console import Progress, print_result
from protocol_designer.commands.folders import task_of, validate_frozen
from protocol_designer.commands.options import Json, Seed

if TYPE_CHECKING:
    from marl_runtime.watching.playing import Player
    from marl_runtime.watching.recording import Recording
    from marl_runtime.watching.terminal import Look


def watch(
    task: Annotated[str, typer.Option(help="Task to play; with --run it is the run's own.", show_default=False)] = "",
    run: Annotated[Path | None, typer.Option(help="Folder of a run: its greedy policy plays.")] = None,
    policy: Annotated[str, typer.Option(help="A scripted policy of the task, or 'random'.", show_default=False)] = "",
    protocol: Annotated[
        Path | None, typer.Option(help="Folder of a frozen protocol: its messages are shown, not acted on.")
    ] = None,
    seed: Seed = 0,
    episodes: Annotated[int, typer.Option(help="Episodes to play.", min=1, max=100)] = 1,
    first: Annotated[int, typer.Option(help="Number of the first, as in the rows of `evaluate`.", min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="The page.  [default: watch-<task>-s<seed>.html]")] = None,
    speed: Annotated[float, typer.Option(help="Steps per second.", min=0.1, max=100)] = 4.0,
    terminal: Annotated[
        bool, typer.Option("--terminal/--no-terminal", help="Draw every step, or the last one alone.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Watch episodes in the terminal, and write a page that plays them, with what each agent says and keeps."""
    from marl_runtime.watching.page import require_writable
    from marl_runtime.watching.playing import play_episodes

    player = _player(task, run, policy, protocol)
    name = player.task.schema.name
    path = out or Path(f"watch-{name.replace('/', '-')}-s{seed}.html")
    require_writable(path)
    recordings: list[Recording] = []
    progress = Progress() if episodes > 1 else lambda done, total, text: None
    try:
        for recording in play_episodes(player, seed, episodes, first):
            recordings.append(recording)
            progress(len(recordings), episodes, "episodes played")
    except KeyboardInterrupt:
        _write(path, recordings, speed)
        kept = f"; they are kept in {path}" if recordings else ""
        raise KeyboardInterrupt(f"stopped after {len(recordings)} of {episodes} episodes{kept}") from None
    _write(path, recordings, speed)
    if not as_json:
        try:
            _show(recordings, speed, every_step=terminal)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped; all {episodes} episodes are in {path}") from None
    print_result(_result(recordings, path), as_json, lambda: typer.echo(f"\nplay it: open {path} in a browser"))


def _player(task: str, run: Path | None, policy: str, protocol: Path | None) -> Player:
    from buffers.errors import UsageError
    from generated_protocols.manifest import joint_sources, read_frozen
    from marl_runtime.tasks import find_task
    from marl_runtime.watching.playing import run_player, scripted_player

    if (run is None) == (not policy):
        raise UsageError("name who plays: either --run DIR, or --task T and --policy NAME (a scripted one, or random)")
    if run is not None:
        for used in (run / "protocol", protocol):
            if used is not None and used.is_dir():
                validate_frozen(used, task_of(used, ""))
        return run_player(run, task, protocol)
    if not task:
        raise UsageError(f"--policy {policy}: name its task with --task; `design-protocol tasks` lists them")
    if protocol is not None:
        # another layout is said as such, before the rules find that its names do not exist; and nothing is run yet
        if not joint_sources(protocol):
            read_frozen(protocol, find_task(task).schema)
        validate_frozen(protocol, task)
    return scripted_player(task, policy, protocol)


def _write(path: Path, recordings: list[Recording], speed: float) -> None:
    from marl_runtime.watching.page import write_page

    if recordings:
        write_page(path, recordings, speed)


def _show(recordings: Iterable[Recording], speed: float, *, every_step: bool) -> None:
    from marl_runtime.watching.terminal import show

    in_place = sys.stdout.isatty() and every_step
    for recording in recordings:
        show(recording, sys.stdout, _look(), speed=speed, in_place=in_place, only_last=not every_step)


def _look() -> Look:
    from marl_runtime.watching.terminal import Look

    size = shutil.get_terminal_size()
    is_terminal = sys.stdout.isatty()
    try:
        "█░▒·…".encode(sys.stdout.encoding or "ascii")
        blocks = True
    except UnicodeEncodeError:
        blocks = False
    return Look(
        columns=size.columns if is_terminal else 80,
        rows=size.lines if is_terminal else 40,
        colour=is_terminal and not os.environ.get("NO_COLOR"),
        blocks=blocks,
    )


def _result(recordings: list[Recording], path: Path) -> dict[str, Any]:
    first = recordings[0]
    return {
        "task": first.task,
        "player": first.player,
        "seed": first.root_seed,
        "file": str(path),
        "episodes": [
            {
                "episode": recording.episode,
                "seed": recording.seed,
                "outcome": recording.outcome,
                "return": recording.total,
                "steps": recording.steps,
            }
            for recording in recordings
        ],
    }
