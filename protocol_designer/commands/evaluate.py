"""Play greedy episodes and say how sure the result is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import print_result
from protocol_designer.commands.folders import config_of, validate_run, workers_of
from protocol_designer.commands.options import Json, Seed, Workers, WorkerTimeout


def evaluate(
    run: Annotated[Path | None, typer.Argument(help="Folder of a run.", show_default=False)] = None,
    task: Annotated[str, typer.Option(help="With --policy: the task to play.")] = "",
    policy: Annotated[str, typer.Option(help="A scripted policy of the task, instead of a run.")] = "",
    episodes: Annotated[int, typer.Option(help="Greedy episodes to play.", min=1, max=1_000_000)] = 200,
    seed: Seed = 0,
    checkpoint: Annotated[
        str, typer.Option(help="last, or best: the policy of the run's best evaluation in training.")
    ] = "last",
    message_loss: Annotated[float, typer.Option(help="Share of messages lost on the way.", min=0, max=1)] = 0.0,
    message_noise: Annotated[float, typer.Option(help="Standard deviation of noise added to messages.", min=0)] = 0.0,
    message_delay: Annotated[int, typer.Option(help="Steps that messages arrive late.", min=0)] = 0,
    silent: Annotated[
        list[int] | None,
        typer.Option(help="Number of an agent of whom nothing reaches anybody; can be repeated.", min=0),
    ] = None,
    workers: Workers = 0,
    worker_timeout: WorkerTimeout = 10.0,
    csv: Annotated[Path | None, typer.Option(help="Write one row per episode to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Play greedy episodes with a trained run, or with a scripted policy, and say how sure the result is."""
    from buffers.errors import UsageError
    from marl_runtime.evaluation import EvalConfig, evaluate_scripted
    from marl_runtime.evaluation import evaluate as evaluate_run

    config = config_of(
        EvalConfig,
        episodes=episodes,
        seed=seed,
        checkpoint=checkpoint,
        message_loss=message_loss,
        message_noise=message_noise,
        message_delay=message_delay,
        silent=tuple(silent or ()),
        workers=workers_of(workers, worker_timeout),
    )
    if run is not None and not policy:
        validate_run(run)
        result = evaluate_run(run, config)
    elif policy and task and run is None:
        result = evaluate_scripted(task, policy, config)
    else:
        raise UsageError("name either a run (design-protocol evaluate RUN) or --task and --policy together")
    if csv is not None:
        result.rows.to_csv(csv, index=False)
    lines = [
        f"{result.subject} after {result.steps:,} training steps, {episodes:,} greedy episodes:",
        f"  success {result.success}",
        f"  return  {result.returns}",
    ]
    if (known := result.calibration) is not None:
        sure = "-" if known.auroc is None else f"{known.auroc:.3f}"
        lines.append(
            f"  state   {known.right:.3f} of the estimates right, {known.foretold:.3f} foretold; "
            f"AUROC {sure}, calibration error {known.error:.3f}"
        )
    print_result(result.to_json(), as_json, lambda: typer.echo("\n".join(lines)))
