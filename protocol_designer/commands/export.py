"""Write a policy as one folder per agent, and play such folders a process each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol_designer.commands.console import Progress, print_result
from protocol_designer.commands.folders import validate_frozen, validate_run
from protocol_designer.commands.options import Json, Run, Seed


def export(
    run: Run,
    out: Annotated[
        Path | None, typer.Option(help="Folder to make; exports/<run> unless named.", show_default=False)
    ] = None,
    checkpoint: Annotated[str, typer.Option(help="last, or best: which of the run's policies.")] = "last",
    as_json: Json = False,
) -> None:
    """Write a run's policy as one self-contained folder per agent: weights, frozen protocol, and what numbers mean."""
    from marl_runtime.evaluation import EvalConfig
    from marl_runtime.exporting.export import export_run
    from protocol_designer.commands.folders import config_of

    validate_run(run)
    which = config_of(EvalConfig, checkpoint=checkpoint).checkpoint
    place = export_run(run, out or Path("exports") / run.resolve().name, which)
    agents = sorted((place / "agents").iterdir(), key=lambda path: int(path.name))
    lines = [
        f"{place}: {len(agents)} agents, {sum(f.stat().st_size for f in agents[0].rglob('*')) / 1e3:,.0f} kB each",
        f"next: design-protocol run-agents {place} --against {run}",
    ]
    found = {"export": str(place), "agents": [str(path) for path in agents]}
    print_result(found, as_json, lambda: typer.echo("\n".join(lines)))


def run_agents(
    folder: Annotated[Path, typer.Argument(help="Folder that `design-protocol export` made.", show_default=False)],
    episodes: Annotated[int, typer.Option(help="Greedy episodes to play.", min=1, max=1_000_000)] = 100,
    seed: Seed = 0,
    against: Annotated[
        Path | None, typer.Option(help="The run that they came from: its joint policy is compared at every step.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play exported agents, a process each, with nothing but payloads between them.

    The episodes are those of `design-protocol evaluate` with the same seed.
    """
    from buffers.files import read_json_object
    from marl_runtime.exporting.playing import play_agents

    for protocol in sorted(folder.glob("agents/*/protocol")):
        validate_frozen(protocol, str(read_json_object(protocol.parent / "policy.json")["task"]))
    if against is not None:
        validate_run(against)
    played = play_agents(folder, episodes, seed=seed, run=against, progress=Progress())
    lines = [
        f"{folder}: {played.episodes:,} episodes, {played.steps:,} joint steps, {played.payloads:,} payloads sent",
        f"  success {played.success}",
        f"  return  {played.returns}",
    ]
    if against is not None:
        lines.append(
            f"  joint policy: {played.disagreements:,} other actions, utilities within {played.utility_difference:.1e}"
        )
    print_result(played.to_json(), as_json, lambda: typer.echo("\n".join(lines)))
