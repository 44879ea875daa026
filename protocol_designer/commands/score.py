"""Score a protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_result
from protocol_designer.commands.folders import data_set_of, task_of
from protocol_designer.commands.options import Data, Json, Protocol, Schema


def score(
    protocol: Protocol,
    task: Annotated[str, typer.Option(help="Task it is for; read from the folder unless named.")] = "",
    schema: Schema = None,
    on: Annotated[Path | None, typer.Option(help="A run: score on episodes of its trained policy instead.")] = None,
    episodes: Annotated[int, typer.Option(help="With --on: episodes to play.", min=10)] = 1_000,
    csv: Annotated[Path | None, typer.Option(help="Write the tables as CSV files into this folder.")] = None,
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Score a protocol: how much better a decoder rebuilds the state with its messages than without."""
    from protocol_designer.rescoring import score_folder
    from protocol_designer.screen import pass_table, wide_print

    name = task_of(protocol, task, schema)
    if on is None:
        data_set = data_set_of(protocol, name, data)
    else:
        from marl_runtime.gathering import gather_policy

        data_set = gather_policy(on, episodes, data, Progress())
    card, entry = score_folder(protocol, data_set, Progress())
    if csv is not None:
        card.save_csv(csv)
    print_result(
        {"protocol": str(protocol), "data_set": str(data_set.path), **entry},
        as_json,
        lambda: wide_print(pass_table([entry])),
    )
