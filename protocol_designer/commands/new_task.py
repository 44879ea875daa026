"""Draft the task file of one's own environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.options import Seed


def new_task(
    environment: Annotated[
        str, typer.Argument(metavar="MODULE:FACTORY", help="What makes the environment.", show_default=False)
    ],
    out: Annotated[
        Path | None, typer.Option(help="File to write.  [default: FACTORY.yaml beside the module, or here]")
    ] = None,
    episodes: Annotated[int, typer.Option(help="Random episodes to look at.", min=1)] = 100,
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Draft the task file of your own PettingZoo parallel environment; comments say what is left to write."""
    from buffers.errors import UsageError
    from marl_runtime.environments.drafting import draft
    from marl_runtime.environments.exploring import explore
    from marl_runtime.environments.own import find_factory
    from marl_runtime.environments.task_file import TODO

    make, module = find_factory(environment)
    beside = module.resolve().parent
    mine = beside.is_relative_to(Path.cwd())
    path = out or (beside if mine else Path.cwd()) / f"{environment.partition(':')[2]}.yaml"
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; name another with --out, or write over it with --force")
    text = draft(environment, explore(environment, make, episodes, seed))
    path.write_text(text, encoding="utf-8")
    try:
        shown = path.resolve().relative_to(Path.cwd())
    except ValueError:
        shown = path
    found_alone = mine and out is None
    left = sum(TODO in line and not line.lstrip().startswith("#") for line in text.splitlines())
    typer.echo(
        f"{shown}: {left} places say {TODO}; write there what only you know\n"
        f"next: $EDITOR {shown}\n"
        f"      design-protocol --task {environment}{'' if found_alone else f' --schema {shown}'}"
    )
