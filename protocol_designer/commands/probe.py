"""Read off what trained agents know of the state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import print_result, print_rows, say
from protocol_designer.commands.folders import config_of
from protocol_designer.commands.options import Json, Seed


def probe(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", show_default=False)],
    episodes: Annotated[int, typer.Option(help="Episodes that each policy plays.", min=6)] = 384,
    updates: Annotated[int, typer.Option(help="Updates of each decoder.", min=1)] = 400,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure how well agents know the positions of what is not an agent, by one decoder for all methods.

    The decoder reads what a method's utility network gets; beside it stand the same decoder on the agent's own
    observation, and a constant guess. Each result is written to probe.json in its run's folder.
    """
    from marl_runtime.probe import ProbeConfig, probe_run

    config = config_of(ProbeConfig, episodes=episodes, updates=updates, seed=seed)
    results = []
    for run in runs:
        say(f"probing {run}")
        results.append({"run": str(run), **probe_run(run, config).to_json()})
    rows = [
        {
            "run": Path(str(result["run"])).name,
            "method": result["method"],
            **{
                key: value
                for name in ("error", "own", "constant")
                for key, value in zip((name, f"{name}_low", f"{name}_high"), result[name].values(), strict=True)
            },
            "spread over agents": result["spread"],
            "unit": result["unit"],
        }
        for result in results
    ]
    print_result({"probes": results}, as_json, lambda: print_rows(rows))
