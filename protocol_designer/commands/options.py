"""Options and arguments that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Task = Annotated[
    str, typer.Option("--task", help="Task to work on; `design-protocol tasks` lists them.", show_default=False)
]
Schema = Annotated[
    Path | None,
    typer.Option(help="With --task module:factory: its task file, where it does not stand beside the module."),
]
Seed = Annotated[int, typer.Option(help="Root seed: the same seed gives the same result.", min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Data = Annotated[Path, typer.Option(help="Folder of the gathered data sets.")]
Runs = Annotated[Path, typer.Option(help="Folder of the training runs.")]
Episodes = Annotated[int, typer.Option(help="Episodes to gather.", min=1)]
Envs = Annotated[int, typer.Option(help="Episodes played in step.", min=1)]
Workers = Annotated[
    int, typer.Option(help="Processes that play the environments, for slow ones or ones that crash; 0 is none.", min=0)
]
WorkerTimeout = Annotated[
    float, typer.Option(help="Seconds in which a worker has to build, reset or step its environments.", min=0.1)
]
Steps = Annotated[int, typer.Option(help="Environment steps to train for.", min=1)]
UpdateRatio = Annotated[
    int | None, typer.Option(help="Environment steps played for each update of 32 episodes.  [default: 200]", min=1)
]
Preset = Annotated[str, typer.Option(help="Named settings: epymarl, fast or lmac-published; options go first.")]
EncoderLoop = Annotated[
    str, typer.Option(help="published (its loop) or fused (faster; residual on the output only).  [default: published]")
]
RewardStandardisation = Annotated[
    str, typer.Option(help="off, scale, or published (mean subtracted as well).  [default: off]")
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run an imported joint protocol: code that nobody checked, in this process.")
]
Protocol = Annotated[Path, typer.Argument(help="Folder of a protocol.", show_default=False)]
Run = Annotated[Path, typer.Argument(help="Folder of a run.", show_default=False)]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda; auto takes CUDA where it is present.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other option of training, as a sweep file has it: learner.sai_coef=0, network.alpha=0.5, "
        "network.detach_latent=false, batch_size=16. Can be repeated.",
    ),
]
