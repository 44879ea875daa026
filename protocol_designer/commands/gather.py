"""Gather the data set that a protocol is designed on."""

from __future__ import annotations

from pathlib import Path

import typer

from protocol_designer.commands.console import Progress, print_result, print_rows
from protocol_designer.commands.folders import config_of, full_name, workers_of
from protocol_designer.commands.options import Data, Envs, Episodes, Json, Schema, Seed, Task, Workers, WorkerTimeout


def gather(
    task: Task,
    schema: Schema = None,
    episodes: Episodes = 5_000,
    seed: Seed = 0,
    envs: Envs = 32,
    workers: Workers = 0,
    worker_timeout: WorkerTimeout = 10.0,
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Gather the data set that a protocol is designed on: a short QMIX run and the task's scripted policies."""
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data

    data_set = gather_data(
        full_name(task, schema),
        config_of(GatherConfig, episodes=episodes, seed=seed, envs=envs, workers=workers_of(workers, worker_timeout)),
        data,
        Progress(),
    )
    rows = data_set.manifest["policies"]
    print_result(
        {"path": str(data_set.path), "hash": data_set.hash, "policies": rows}, as_json, lambda: print_rows(rows)
    )
    if not as_json:
        typer.echo(f"\n{data_set.n_episodes:,} episodes in {data_set.path}")
