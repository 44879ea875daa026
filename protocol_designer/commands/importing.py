"""Import a published protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_result
from protocol_designer.commands.options import Data, Json, Task


def import_protocol(
    source: Annotated[Path, typer.Argument(help="Folder with comm_init.py and its like.", show_default=False)],
    task: Task,
    trust: Annotated[
        bool, typer.Option("--trust", help="These modules read all observations, and no static rule looks at them.")
    ] = False,
    name: Annotated[str, typer.Option(help="Name of the imported protocol.")] = "imported",
    compare: Annotated[
        bool, typer.Option(help="Score the protocols that were designed on the same episodes, too.")
    ] = True,
    out: Annotated[Path, typer.Option(help="Folder of the protocols.")] = Path("generated_protocols"),
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Import a published protocol of LMAC's form: run in a sandbox, scored beside ours, and who tells what to whom."""
    from buffers.errors import UsageError
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data
    from marl_runtime.tasks import PUBLISHED_LAYOUT, find_task, task_names
    from protocol_designer.importing import beside, import_modules, read_modules
    from protocol_designer.screen import show_import

    if not name.isidentifier() and not name.replace("-", "_").replace(".", "_").isidentifier():
        raise UsageError(f"--name {name!r}: letters, digits, '-', '_' and '.', a letter first")
    found_task = find_task(task).name
    if f"{found_task}{PUBLISHED_LAYOUT}" in task_names():
        found_task += PUBLISHED_LAYOUT
        typer.echo(f"{task} has another layout in the published code: {found_task} is used", err=True)
    read_modules(source)
    if not trust:
        raise UsageError(
            f"the modules in {source} are torch code that reads the observations of all agents at once, and no static "
            "rule looks at it. It is run in a sandbox here; read it, and say --trust"
        )
    data_set = gather_data(found_task, GatherConfig(), data, Progress())
    imported = import_modules(source, data_set, out / found_task / name, progress=Progress())
    shipped = Path(__file__).resolve().parents[2] / "generated_protocols"
    ours = beside(data_set, [out, shipped], Progress()) if compare else []
    print_result(
        {
            "folder": str(imported.folder),
            "manifest": imported.manifest.to_json(),
            "reach": list(imported.reach),
            "beside": ours,
        },
        as_json,
        lambda: show_import(imported.folder, imported.manifest, imported.reach, ours),
    )
