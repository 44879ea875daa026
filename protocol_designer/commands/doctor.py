"""Say what holds on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from protocol_designer.commands.console import print_result
from protocol_designer.commands.options import Json

if TYPE_CHECKING:
    from protocol_designer.doctor import Examined


def doctor(as_json: Json = False) -> None:
    """Say which layers of the sandbox hold on this machine, which are missing and why, and what the rest needs."""
    from buffers.errors import ResourceError
    from protocol_designer.doctor import examine

    found: list[Examined] = []
    for one in (*examine(), *_starcraft()):
        if not as_json:
            if not found or found[-1].group != one.group:
                typer.echo(("\n" if found else "") + one.group)
            remedy = f"\n{'':38}needs: {one.remedy}" if one.remedy else ""
            typer.echo(f"  {one.name:<28}{one.state:<8}{one.detail}{remedy}")
        found.append(one)
    if as_json:
        print_result({"examined": [one.to_json() for one in found]}, as_json, lambda: None)
    failed = [one.name for one in found if one.state == "FAILED"]
    if failed:
        raise ResourceError(f"this does not hold here: {', '.join(failed)}; do not run unreviewed protocols")


def _starcraft() -> Iterator[Examined]:
    """What the tasks of the real game need, up to the first thing that is missing; nobody has to have any of it."""
    from marl_runtime.environments.starcraft.preflight import look
    from protocol_designer.doctor import Examined

    for package in ("smac", "smacv2"):
        for found in look(package):
            yield Examined(
                "StarCraft II (optional)",
                f"{package}: {found.name}",
                "fine" if found.fine else "note",
                found.detail,
                found.remedy,
            )
