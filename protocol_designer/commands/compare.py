"""Train methods side by side and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_result, print_rows
from protocol_designer.commands.folders import config_of, full_name, named, ratio_of, validate_frozen
from protocol_designer.commands.options import (
    Device,
    EncoderLoop,
    Envs,
    Json,
    Preset,
    Runs,
    Schema,
    Steps,
    Task,
    Trust,
    UpdateRatio,
)


def compare(
    task: Task,
    schema: Schema = None,
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = "qmix,direct,enc_zero,lmac,qmix_state",
    protocol: Annotated[
        Path | None, typer.Option(help="Folder of a frozen protocol, for the methods that use one.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds 0, 1, … of each method.", min=1)] = 3,
    steps: Steps = 1_000_000,
    envs: Envs = 32,
    preset: Preset = "",
    steps_per_update: UpdateRatio = None,
    encoder_loop: EncoderLoop = "",
    eval_every: Annotated[int, typer.Option(help="Environment steps between evaluations.", min=1)] = 20_000,
    workers: Annotated[int, typer.Option(help="Runs trained at once; 0 is one per core.", min=0)] = 0,
    runs: Runs = Path("runs"),
    csv: Annotated[Path | None, typer.Option(help="Write the tables as CSV files into this folder.")] = None,
    device: Device = "auto",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Train several methods under the same learner and compare win rates with intervals over seeds.

    Runs that are complete are not repeated; runs that were stopped go on.
    """
    from marl_runtime.comparison import compare as compare_methods
    from marl_runtime.learner import LearnerConfig
    from marl_runtime.methods import MethodConfig
    from marl_runtime.presets import find_preset
    from marl_runtime.training import TrainConfig

    task = full_name(task, schema)
    validate_frozen(protocol, task)
    given = find_preset(preset)
    base = config_of(
        TrainConfig,
        **{**given.train, **ratio_of(steps_per_update)},
        task=task,
        protocol=None if protocol is None else str(protocol),
        trust=trust,
        steps=steps,
        envs=envs,
        eval_every=eval_every,
        device=device,
        network=config_of(MethodConfig, **{**given.network, **named(encoder_loop=encoder_loop)}),
        learner=config_of(LearnerConfig, **given.learner),
    )
    names = [name.strip() for name in methods.split(",") if name.strip()]
    result = compare_methods(base, names, range(seeds), root=runs, workers=workers or None, progress=Progress())
    if csv is not None:
        result.save(csv)
    print_result(result.to_json(), as_json, lambda: print_rows(result.to_json()["table"]))
