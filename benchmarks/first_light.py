# ruff: noqa: E501 - the lines of the report are longer than those of the code
"""First light: what designed protocols tell, and what policies make of them, on three tasks.

    python benchmarks/first_light.py offline   # gather, design, score beside the controls (about ten minutes a task)
    python benchmarks/first_light.py train     # the methods side by side; resumable, hours on two cores
    python benchmarks/first_light.py report    # docs/results/first-light.json and .md from what is there

Trained is the protocol of pass 0 alone, designed with `--passes 0`: its part is the first one of the whole design.

Data sets, protocols and runs go to data/, generated_protocols/ and runs/ of the working directory; runs that are there
are not repeated. A run that was trained further than a task's budget counts by its evaluations up to the budget.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buffers.dataset import DataSet
from generated_protocols.manifest import part_sources, read_manifest
from marl_runtime.comparison import find_run, report, train_all
from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.methods import find_method
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder, versions
from marl_runtime.tasks import find_task
from marl_runtime.training import TrainConfig, prepare
from protocol_designer.compiler import CompilerConfig
from protocol_designer.designers.choice import choose
from protocol_designer.designing import DesignConfig, design, read_split
from protocol_designer.protocol_contract import ProtocolContract
from protocol_designer.sandbox import Sandbox
from sai import MessageSet, SaiConfig, control_messages, paired_difference
from sai import score as sai_score

METHODS = ("qmix", "direct", "enc_zero", "lmac", "qmix_state")
CONTROLS = ("zero", "shuffled", "random", "own")
MARKS = ("<!-- results: written by benchmarks/first_light.py report -->", "<!-- end of results -->")
RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"


@dataclass(frozen=True)
class Budget:
    """How far one task is trained: environment steps, steps for each update of 32 episodes, seeds."""

    steps: int
    steps_per_update: int
    seeds: tuple[int, ...]
    measure: str = "success"


BUDGETS = {
    "1o_2r_vs_4r": Budget(500_000, 100, (0, 1, 2)),
    "bane_vs_hM": Budget(500_000, 100, (0, 1, 2)),
    "Foraging-1s-8x8-2p-2f-coop": Budget(150_000, 50, (0,), "return"),
}


def show(done: int, total: int, text: str) -> None:
    sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {text}: {done:,} of {total:,}\n")


def folder_of(task: str, passes: int) -> Path:
    return Path("generated_protocols") / task / ("search-s0" if passes else "search-pass0-s0")


def designed(task: str, passes: int = 2) -> tuple[DataSet, Path]:
    """Gather and design as the command line does with `--passes`; what is there already is read."""
    data_set = gather(task, GatherConfig(), progress=quiet)
    settings = {"task": task, "designer": "search", "model": "ridge"}
    config = DesignConfig(compiler=CompilerConfig(passes=passes))
    make = choose("search").make_designer
    result = design(data_set, make, config, folder_of(task, passes), settings, show)
    return data_set, result.folder


def quiet(done: int, total: int, text: str) -> None:
    if done in (0, total):
        show(done, total, text)


def offline(task: str) -> dict[str, Any]:
    """Score the protocol on the select split pass by pass, and messages that tell nothing new beside it."""
    data_set, folder = designed(task)
    manifest = read_manifest(folder)
    config, schema = SaiConfig(), data_set.schema
    splits = {name: read_split(data_set, name) for name in ("fit", "select")}
    fit, select = splits["fit"].episodes, splits["select"].episodes
    with Sandbox() as sandbox:
        contract = ProtocolContract(schema, splits, sandbox, window=manifest.window)
        verdict = contract.run([source.decode() for source in part_sources(folder).values()])
    assert verdict.outcome is not None, verdict.diagnostics
    messages = verdict.outcome.messages
    none = sai_score(schema, fit, select, None, None, config)
    controls = {}
    for kind in CONTROLS:
        pair: dict[str, MessageSet] = {
            name: control_messages(kind, splits[name].episodes, messages[name]) for name in splits
        }
        card = sai_score(schema, fit, select, pair["fit"], pair["select"], config)
        controls[kind] = {**card.summary(), "over_none": vars(paired_difference(card, none))}
        show(len(controls), len(CONTROLS), f"{task}, control {kind}")
    return {
        "task": task,
        "data_set": dict(manifest.data_set),
        "scores": list(manifest.scores),
        "bandwidth": dict(manifest.bandwidth),
        "message_dim": sum(int(c["width"]) for c in manifest.message),
        "parts": dict(manifest.parts),
        "controls": controls,
        **stamp(),
    }


def stamp() -> dict[str, Any]:
    return {"date": datetime.now(UTC).date().isoformat(), "versions": versions(), "seed": 0}


def base_config(task: str, budget: Budget) -> TrainConfig:
    return TrainConfig(
        task=task,
        protocol=str(folder_of(task, 0)),
        steps=budget.steps,
        steps_per_update=budget.steps_per_update,
        eval_every=50_000,
        device="cpu",
    )


def runs_of(task: str, budget: Budget, make: bool) -> dict[tuple[str, int], Path]:
    """Return the run of each method and seed: one that went as far or further, else a new one where `make` is set."""
    found = {}
    for seed in budget.seeds:
        for method in METHODS:
            kind = find_method(method)
            needs = kind.needs_protocol or kind.needs_messages
            config = replace(
                base_config(task, budget), method=method, seed=seed, protocol=str(folder_of(task, 0)) if needs else None
            )
            run = farther_run(config) or find_run(config, Path("runs"))
            if run is None and make:
                run = prepare(config, Path("runs"))
            if run is not None:
                found[method, seed] = run
    return found


def farther_run(config: TrainConfig) -> Path | None:
    """Return a run of the same configuration but for a larger budget, when it has come as far as this one asks."""
    for steps in (600_000, 1_000_000, 2_000_000):
        run = find_run(replace(config, steps=steps), Path("runs")) if steps > config.steps else None
        if run is not None and last_step(run) >= config.steps:
            return run
    return None


def last_step(run: Path) -> int:
    return max((int(row["step"]) for row in read_metrics(run)), default=0)


def train(task: str, workers: int) -> None:
    budget = BUDGETS[task]
    runs = runs_of(task, budget, make=True)
    short = {
        key: run
        for key, run in runs.items()
        if not RunFolder(run).finished and int(RunFolder(run).read_json("config.json")["steps"]) == budget.steps
    }
    train_all(short, budget.steps, workers, quiet)


def trained(task: str) -> dict[str, Any] | None:
    """Return the comparison of what was trained: means over the last five evaluations up to the budget."""
    budget = BUDGETS[task]
    runs = {key: run for key, run in runs_of(task, budget, make=False).items() if last_step(run) >= budget.steps}
    if not runs:
        return None
    result = report(task, runs, up_to=budget.steps + 2_000)
    return {
        "task": task,
        "steps": budget.steps,
        "steps_per_update": budget.steps_per_update,
        "measure": budget.measure,
        "planned_seeds": len(budget.seeds),
        **{key: value for key, value in result.to_json().items() if key != "runs"},
        "curves": json.loads(result.curves.to_json(orient="records")),
        **stamp(),
    }


def interval(row: dict[str, Any], name: str) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    bounds = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    return f"{row[name]:.3f}{bounds}"


def offline_lines(result: dict[str, Any]) -> list[str]:
    lines = [
        f"### {result['task']}",
        "",
        f"{result['data_set']['episodes']:,} episodes, {result['data_set']['steps']:,} steps; "
        f"{result['message_dim']} numbers kept by each agent, {result['bandwidth']['total']:.0f} bits per step and link.",
        "",
        "| messages | success | with an empty inbox | without message | skill | skill, empty inbox | gain in success [95 %] |",
        "|---|---|---|---|---|---|---|",
    ]
    named = [
        ({None: "none", "held_out": "all parts, held-out split"}.get(e.get("pass"), f"after pass {e.get('pass')}"), e)
        for e in result["scores"]
    ]
    rows = [(label, entry["card"]) for label, entry in named if entry.get("card")]
    rows += [(f"control: {kind}", card) for kind, card in result["controls"].items()]
    for label, card in rows:
        gain = card["gain"]
        lines.append(
            f"| {label} | {card['success_full']:.3f} | {card['success_empty']:.3f} | {card['success_zero']:.3f} | "
            f"{card['skill_full']:.3f} | {card['skill_empty']:.3f} | "
            f"{gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}] |"
        )
    dropped = [f"pass {e['pass']}: {e['reason']}" for e in result["scores"] if e.get("reason") and not e.get("card")]
    return [*lines, "", *(f"Not kept: {text}." for text in dropped), ""]


def trained_lines(result: dict[str, Any]) -> list[str]:
    lines = [
        f"### {result['task']}",
        "",
        f"{result['steps']:,} environment steps, one update of 32 episodes per {result['steps_per_update']} steps.",
        "",
        "| method | seeds | success | return | steps per CPU second |",
        "|---|---|---|---|---|",
    ]
    for row in result["table"]:
        seeds = f"{row['seeds']} of {result['planned_seeds']}" if row["seeds"] else "-"
        speed = row.get("steps_per_cpu_second")
        shown = "-" if speed is None else f"{speed:,.0f}"
        lines.append(
            f"| {row['method']} | {seeds} | {interval(row, 'success')} | {interval(row, 'return')} | {shown} |"
        )
    return [*lines, ""]


def write_report() -> None:
    state = json.loads((RESULTS / "first-light.json").read_text(encoding="utf-8"))
    lines = [
        "# First light",
        "",
        "Written by `python benchmarks/first_light.py report` from `first-light.json`, which holds every figure with its",
        "versions, seed and date. The maps are SMAC-Comm-like, played by the embedded simulator: no figure here can be set",
        "beside one from StarCraft II.",
        "",
        "## What the messages tell",
        "",
        "Designed by `search` with the command line's defaults (seed 0). Success: the share of steps in which an agent's",
        "decoder knows a state field within its tolerance, over agents and fields; skill: one less MSE over that of the best",
        "constant; gain: with messages less with an empty inbox, paired and clustered by episode. Controls must show none.",
        "",
    ]
    for task in BUDGETS:
        if task in state.get("offline", {}):
            lines += offline_lines(state["offline"][task])
    lines += [
        "## What policies make of them",
        "",
        "Success and return: interquartile mean over seeds of the mean over the last five evaluations (96 greedy episodes",
        "each), with bootstrap intervals over seeds; scripted policies over 1,000 episodes. `enc_zero` is the same encoder",
        "without messages, `direct` the messages without the encoder, `qmix_state` the upper reference. The cost of gathering",
        "is not in the steps: 5,000 episodes, as given above. The protocol is that of pass 0 alone (`--passes 0`).",
        "",
    ]
    for task in BUDGETS:
        if task in state.get("trained", {}):
            lines += trained_lines(state["trained"][task])
    (RESULTS / "first-light.md").write_text("\n".join(lines), encoding="utf-8")
    write_readme(state)


def write_readme(state: dict[str, Any]) -> None:
    """Put the table of the README between its two marks."""
    readme = RESULTS.parents[1] / "README.md"
    text = readme.read_text(encoding="utf-8")
    head, rest = text.split(MARKS[0])
    tail = rest.split(MARKS[1])[1]
    readme.write_text(f"{head}{MARKS[0]}\n{readme_table(state)}\n{MARKS[1]}{tail}", encoding="utf-8")


def readme_table(state: dict[str, Any]) -> str:
    """Return the table of what was trained, one row a method, one column a task."""
    found = [state["trained"][task] for task in BUDGETS if task in state.get("trained", {})]
    if not found:
        return "Nothing was trained yet."
    head = [f"`{r['task']}`, {r['measure'] if r['measure'] == 'return' else 'battles won'}" for r in found]
    lines = [f"| method | {' | '.join(head)} |", "|---" * (len(found) + 1) + "|"]
    for method in dict.fromkeys(row["method"] for result in found for row in result["table"]):
        cells = []
        for result in found:
            rows = [row for row in result["table"] if row["method"] == method]
            cells.append(interval(rows[0], result["measure"]) if rows else "-")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    budgets = "; ".join(
        f"`{r['task']}` {r['steps']:,} steps, {min((row['seeds'] for row in r['table'] if row['seeds']), default=0)} of "
        f"{r['planned_seeds']} seed(s)"
        for r in found
    )
    dates = ", ".join(sorted({r["date"] for r in found}))
    return "\n".join(
        [
            *lines,
            "",
            "Interquartile mean over seeds of the last five evaluations, with 95 % bootstrap intervals over seeds where there",
            f"are several; short budgets: {budgets}. Measured on {dates}.",
        ]
    )


def update(kind: str, task: str, value: dict[str, Any]) -> None:
    path = RESULTS / "first-light.json"
    RESULTS.mkdir(parents=True, exist_ok=True)
    state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    state.setdefault(kind, {})[task] = value
    path.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("offline", "train", "report"))
    parser.add_argument("--tasks", nargs="*", default=list(BUDGETS), choices=list(BUDGETS))
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    for task in chosen.tasks:
        find_task(task)
        if chosen.stage == "offline":
            update("offline", task, offline(task))
        elif chosen.stage == "train":
            designed(task, passes=0)
            train(task, chosen.workers)
        else:
            found = trained(task)
            if found is not None:
                update("trained", task, found)
    write_report()


if __name__ == "__main__":
    main()
