"""Check, run, score and freeze a protocol that was written or edited by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_result
from protocol_designer.commands.folders import data_set_of, schema_of, task_of
from protocol_designer.commands.options import Data, Json, Protocol, Schema


def freeze(
    protocol: Protocol,
    task: Annotated[str, typer.Option(help="Task it is for; read from the folder unless named.")] = "",
    schema: Schema = None,
    score: Annotated[bool, typer.Option(help="Score the edit on the recorded episodes.")] = True,
    review: Annotated[str, typer.Option(help="Name of the person who reviewed it.")] = "",
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Check, run, score and freeze a protocol that was written or edited by hand; show what the edit changed."""
    from buffers.errors import RejectedError
    from protocol_designer.freezing import Recording, freeze_edited
    from protocol_designer.sandbox import Sandbox
    from protocol_designer.screen import freeze_lines
    from protocol_designer.validation import render

    name = task_of(protocol, task, schema)
    layout = schema_of(protocol, name)
    recorded, scorer, described = None, None, None
    if score:
        from protocol_designer.rescoring import recordings

        data_set = data_set_of(protocol, name, data)
        splits, scorer, described = recordings(protocol, data_set, Progress())
        recorded = {key: Recording(value.extended, value.alive, value.episodes.valid) for key, value in splits.items()}
    with Sandbox() as sandbox:
        report = freeze_edited(
            protocol,
            layout,
            sandbox,
            recorded=recorded,
            scorer=scorer,
            data_set=described,
            reviewed_by=review,
            progress=Progress(),
        )
    if not report.accepted:
        text = "\n\n".join(render([d], report.sources.get(d.file, "")) for d in report.diagnostics)
        if as_json:
            typer.echo(json.dumps(report.to_json(), indent=2))
        raise RejectedError(f"{protocol} is not frozen, and as it was:\n{text}")
    print_result(report.to_json(), as_json, lambda: typer.echo(freeze_lines(report.to_json())))
