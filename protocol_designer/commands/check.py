"""Say what is wrong with a protocol's sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.folders import layout_of
from protocol_designer.commands.options import Json, Schema


def check(
    protocol: Annotated[Path, typer.Argument(help="Folder of a protocol, or one part's file.", show_default=False)],
    task: Annotated[str, typer.Option(help="Task it is for; read from the folder unless named.")] = "",
    schema: Schema = None,
    as_json: Json = False,
) -> None:
    """Say what is wrong with a protocol's sources, with line, column and remedy; nothing is run."""
    from buffers.errors import RejectedError, UsageError
    from generated_protocols.manifest import part_sources
    from protocol_designer.validation import render, validate

    if not protocol.exists():
        raise UsageError(f"{protocol} does not exist")
    layout = layout_of(protocol if protocol.is_dir() else protocol.parent, task, schema)
    if protocol.is_dir():
        sources = {protocol / f"part{number}.py": source for number, source in part_sources(protocol).items()}
    else:
        sources = {protocol: protocol.read_bytes()}
    found = {path: validate(source, schema=layout, part=0, file=str(path)) for path, source in sources.items()}
    everything = [diagnostic.to_json() for diagnostics in found.values() for diagnostic in diagnostics]
    if as_json:
        typer.echo(json.dumps(everything, indent=2))
    else:
        for path, diagnostics in found.items():
            typer.echo(render(diagnostics, sources[path]) if diagnostics else f"{path}: fine")
    if everything:
        raise RejectedError(f"{len(everything)} finding{'s' if len(everything) > 1 else ''} in {protocol}")
