"""Train on, from the networks of another run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_run
from protocol_designer.commands.folders import config_of, overridden, validate_frozen, validate_run
from protocol_designer.commands.options import Json, Run, Runs, Settings


def finetune(
    run: Run,
    steps: Annotated[int, typer.Option(help="Environment steps to train for.", min=1)] = 200_000,
    task: Annotated[str, typer.Option(help="Another task of the same layout; the run's unless named.")] = "",
    protocol: Annotated[
        Path | None, typer.Option(help="Another frozen protocol that keeps as many numbers; the run's unless named.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Root seed; the run's unless named.", min=0)] = None,
    checkpoint: Annotated[str, typer.Option(help="last, or best: which of the run's policies to start from.")] = "last",
    options: Settings = None,
    runs: Runs = Path("runs"),
    as_json: Json = False,
) -> None:
    """Train a new run from the networks of another one, exploring as little as that one did at its end.

    The run that is named stays as it is; to go on with it where it was stopped is `design-protocol resume`.
    """
    from marl_runtime.finetuning import FineTuning, fine_tune, fine_tuning_config

    validate_run(run)
    told = config_of(FineTuning, steps=steps, task=task, protocol=str(protocol or ""), seed=seed, checkpoint=checkpoint)
    config = overridden(fine_tuning_config(run, told), options or [])
    if protocol is not None:
        validate_frozen(protocol, config.task)
    print_run(fine_tune(run, config, told.checkpoint, runs, Progress()), as_json)
