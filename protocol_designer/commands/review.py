"""Record that somebody reviewed a protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol_designer.commands.console import print_result
from protocol_designer.commands.options import Json, Protocol


def review(
    protocol: Protocol,
    by: Annotated[str, typer.Option(help="Name of the person who read it.", show_default=False)],
    note: Annotated[str, typer.Option(help="What they want to say about it.")] = "",
    as_json: Json = False,
) -> None:
    """Record a sign-off: somebody read this frozen version of the protocol and stands by it."""
    from protocol_designer.commands.folders import task_of, validate_frozen
    from protocol_designer.reviewing import sign_off

    validate_frozen(protocol, task_of(protocol, ""))
    entry, new = sign_off(protocol, by, note)
    said = "reviewed" if new else "was reviewed already"
    print_result(
        {"protocol": str(protocol), "new": new, **entry},
        as_json,
        lambda: typer.echo(f"version {entry['version']} of {protocol} {said} by {entry['name']} at {entry['at']}"),
    )
