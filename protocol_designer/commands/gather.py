"""Gather the data set that a protocol is designed on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_result, print_rows
from protocol_designer.commands.folders import config_of
from protocol_designer.commands.options import Data, Envs, Episodes, Json, Seed, Task


def gather(
    task: Task,
    episodes: Episodes = 5_000,
    seed: Seed = 0,
    envs: Envs = 32,
    workers: Annotated[
        int, typer.Option(help="Processes that play; the episodes are the same whatever their number.", min=1)
    ] = 1,
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Gather the data set that a protocol is designed on: a short QMIX run and the task's scripted policies."""
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data

    config = config_of(GatherConfig, episodes=episodes, seed=seed, envs=envs)
    data_set = gather_data(task, config, data, Progress(), workers)
    rows = data_set.manifest["policies"]
    print_result(
        {"path": str(data_set.path), "hash": data_set.hash, "policies": rows}, as_json, lambda: print_rows(rows)
    )
    if not as_json:
        typer.echo(f"\n{data_set.n_episodes:,} episodes in {data_set.path}")
