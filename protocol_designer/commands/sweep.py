"""Train what a file lists, and say what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protocol_designer.commands.console import Progress, print_result, print_rows, say
from protocol_designer.commands.folders import validate_frozen
from protocol_designer.commands.options import Json, Runs

if TYPE_CHECKING:
    from marl_runtime.sweeping.jobs import Tally
    from marl_runtime.sweeping.plan import SweepPlan


def sweep(
    file: Annotated[Path, typer.Argument(help="Sweep file (YAML); docs/sweeps.md shows one.", show_default=False)],
    status: Annotated[
        bool, typer.Option("--status", help="Train nothing; say what is done, running and left, and the time left.")
    ] = False,
    tables: Annotated[
        Path | None,
        typer.Option(help="Train nothing; write the tables of what is there into this folder.", show_default=False),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="Stop every run between two rounds after so many minutes.", min=0),
    ] = None,
    processes: Annotated[
        int, typer.Option(help="Runs trained at once, one thread each; 0 is one per core (of the cluster).", min=0)
    ] = 0,
    retries: Annotated[int, typer.Option(help="How often a run whose worker died is started again.", min=0)] = 2,
    ray: Annotated[
        str, typer.Option(help="Address of a Ray cluster to train on; 'local' starts one of 2 workers here.")
    ] = "",
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Train all that a file lists: task x method x protocol x settings x seed.

    What is done is not repeated, and what was stopped goes on.
    """
    from marl_runtime.sweeping.reading import read_sweep
    from marl_runtime.sweeping.status import sweep_status

    plan = read_sweep(file, validate_frozen)
    if tables is not None:
        _write_tables(plan, runs, tables, as_json)
        return
    tally = None
    if not status:
        limits = _Wish(processes, retries, minutes, ray)
        tally = _train(plan, runs, limits)
    told = sweep_status(plan, runs).to_json()
    print_result(told, as_json, lambda: _print_status(told, file))
    if tally is not None:
        from marl_runtime.sweeping.sweep import require_complete

        require_complete(tally, plan)


@dataclass(frozen=True)
class _Wish:
    """What the command line asked for."""

    processes: int
    retries: int
    minutes: float | None
    ray: str


def _train(plan: SweepPlan, runs: Path, wish: _Wish) -> Tally:
    from marl_runtime.sweeping.jobs import Limits, LocalJob, cores
    from marl_runtime.sweeping.sweep import train_sweep

    seconds = None if wish.minutes is None else 60 * wish.minutes
    if wish.ray:
        from marl_runtime.sweeping.ray_jobs import RayCluster

        with RayCluster(wish.ray) as cluster:
            limits = Limits(wish.processes or cluster.cores, wish.retries, seconds)
            tally = train_sweep(plan, runs, limits, cluster.start, Progress(), say)
    else:
        limits = Limits(wish.processes or cores(), wish.retries, seconds)
        tally = train_sweep(plan, runs, limits, LocalJob, Progress(), say)
    if tally.out_of_time:
        say(f"the {wish.minutes:g} minutes are over: every run is at a checkpoint, the same command goes on")
    for run in tally.elsewhere.values():
        say(f"{run} is being trained by another process: left to it")
    return tally


def _write_tables(plan: SweepPlan, runs: Path, folder: Path, as_json: bool) -> None:
    from marl_runtime.exports import contrast_rows, save_results, sweep_rows
    from marl_runtime.sweeping.results import sweep_results

    results = sweep_results(plan, runs)
    files = [str(path) for path in save_results(results, folder)]
    rows, contrasts = sweep_rows(results), contrast_rows(results)

    def render() -> None:
        for table in (rows, contrasts):
            if table:
                print_rows(table)
                typer.echo()
        typer.echo(f"{plan.tuning}\nwritten: {', '.join(files)}")

    print_result({"files": files, "table": rows, "contrasts": contrasts}, as_json, render)


def _print_status(told: Mapping[str, Any], file: Path) -> None:
    """Print one row for each task and method, and the totals."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in told["rows"]:
        groups.setdefault(tuple(row[key] for key in ("task", "method", "protocol", "settings")), []).append(row)
    states = ("done", "running", "stopped", "left", "failed")
    print_rows(
        [
            {
                **dict(zip(("task", "method", "protocol", "settings"), (name or "-" for name in key), strict=True)),
                **{state: sum(row["state"] == state for row in rows) for state in states},
                "steps": f"{sum(row['step'] for row in rows):,} of {sum(row['steps'] for row in rows):,}",
                "deaths": sum(row["deaths"] for row in rows),
            }
            for key, rows in groups.items()
        ]
    )
    for row in told["rows"]:
        if row["reason"]:
            typer.echo(f"\nfailed: {row['reason']}")
    left, seconds = told["left"] + told["running"] + told["failed"], told["seconds_left"]
    typer.echo(
        f"\n{told['done']} of {told['runs']} runs done, {told['running']} running, {told['left']} left"
        f"{', ' + str(told['failed']) + ' failed' if told['failed'] else ''}"
        f"; {told['deaths']} workers died; {_time_left(seconds, told['processes']) if left else 'nothing to do'}"
    )
    typer.echo(f"next: design-protocol sweep {file}" + ("" if left else " --tables DIR"))


def _time_left(seconds: float | None, processes: int) -> str:
    if seconds is None:
        return "time left: not known before a run has logged its pace"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"about {hours} h {minutes:02d} min left with {processes} at once"
