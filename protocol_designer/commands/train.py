"""Train a policy, with a frozen protocol or without one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_run
from protocol_designer.commands.folders import (
    config_of,
    full_name,
    named,
    overridden,
    ratio_of,
    validate_frozen,
    workers_of,
)
from protocol_designer.commands.options import (
    Device,
    EncoderLoop,
    Envs,
    Json,
    Preset,
    RewardStandardisation,
    Runs,
    Schema,
    Seed,
    Settings,
    Steps,
    Task,
    Trust,
    UpdateRatio,
    Workers,
    WorkerTimeout,
)


def train(
    task: Task,
    schema: Schema = None,
    protocol: Annotated[Path | None, typer.Option(help="Folder of a frozen protocol.")] = None,
    method: Annotated[str, typer.Option(help="What learns: lmac, direct, qmix, …; docs/methods.md lists all.")] = "",
    mixer: Annotated[str, typer.Option(help="How utilities become the joint value: qmix, vdn or qplex.")] = "qmix",
    steps: Steps = 1_000_000,
    seed: Seed = 0,
    envs: Envs = 32,
    workers: Workers = 0,
    worker_timeout: WorkerTimeout = 10.0,
    preset: Preset = "",
    steps_per_update: UpdateRatio = None,
    encoder_loop: EncoderLoop = "",
    reward_standardisation: RewardStandardisation = "",
    td_lambda: Annotated[
        float, typer.Option(help="Weight of longer returns in the targets, 0 to 1.", min=0, max=1)
    ] = 0.0,
    target_tau: Annotated[
        float,
        typer.Option(
            help="Share by which the target network moves after each update; 0 copies it every 200.", min=0, max=1
        ),
    ] = 0.0,
    timeout_is_terminal: Annotated[
        bool,
        typer.Option(
            "--timeout-is-terminal/--bootstrap-timeouts",
            help="Whether the time limit is the task's own end, as in stock SMAC, or only ends what was recorded.",
        ),
    ] = True,
    eval_every: Annotated[int, typer.Option(help="Environment steps between evaluations.", min=1)] = 20_000,
    eval_episodes: Annotated[int, typer.Option(help="Greedy episodes of each evaluation.", min=1)] = 96,
    checkpoint_every: Annotated[int, typer.Option(help="Environment steps between checkpoints.", min=1)] = 50_000,
    runs: Runs = Path("runs"),
    device: Device = "auto",
    options: Settings = None,
    wandb: Annotated[
        str, typer.Option(help="Show the run in this project of Weights & Biases too; needs `pip install wandb`.")
    ] = "",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Train with a frozen protocol (method lmac unless named), or without one (method qmix)."""
    from marl_runtime.learner import LearnerConfig
    from marl_runtime.methods import MethodConfig
    from marl_runtime.presets import find_preset
    from marl_runtime.training import TrainConfig
    from marl_runtime.training import train as train_run

    task = full_name(task, schema)
    validate_frozen(protocol, task)
    given = find_preset(preset)
    config = config_of(
        TrainConfig,
        **{**given.train, **ratio_of(steps_per_update)},
        task=task,
        method=method or ("lmac" if protocol else "qmix"),
        mixer=mixer,
        protocol=None if protocol is None else str(protocol),
        trust=trust,
        seed=seed,
        steps=steps,
        envs=envs,
        workers=workers_of(workers, worker_timeout),
        eval_every=eval_every,
        eval_episodes=eval_episodes,
        checkpoint_every=checkpoint_every,
        device=device,
        wandb=wandb,
        network=config_of(MethodConfig, **{**given.network, **named(encoder_loop=encoder_loop)}),
        learner=config_of(
            LearnerConfig,
            **{**given.learner, **named(reward_standardisation=reward_standardisation)},
            timeout_is_terminal=timeout_is_terminal,
            td_lambda=td_lambda,
            target_tau=target_tau or None,
        ),
    )
    config = overridden(config, options or [])
    print_run(train_run(config, runs, Progress()), as_json)
