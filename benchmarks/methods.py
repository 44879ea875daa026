"""Every method and control side by side: trained, evaluated, probed. Resumable; what is there is not repeated.

    python benchmarks/methods.py train  --protocol 1o_2r_vs_4r=generated_protocols/1o_2r_vs_4r/search-s0
    python benchmarks/methods.py report --protocol …    # docs/results/methods.json and .md from what is there

A task takes part when `--protocol TASK=DIR` names a frozen protocol for it. `--steps`, `--seeds` and `--methods` make
it shorter; `--out` puts the results elsewhere. Runs go to runs/ of the working directory.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buffers.errors import UsageError
from buffers.files import read_json_object
from generated_protocols.manifest import read_manifest
from marl_runtime.assembly import load_protocol, method_inputs
from marl_runtime.comparison import find_run, report, train_all
from marl_runtime.methods import build_method, find_method, method_names
from marl_runtime.probe import ProbeConfig, probe_run
from marl_runtime.run_folder import RunFolder, versions
from marl_runtime.tasks import find_task
from marl_runtime.training import TrainConfig, prepare

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
BYTE, FLOAT = 8, 32


SHOWN: set[str] = set()


def show(done: int, total: int, text: str) -> None:
    """Say what is going on when it is something else than before."""
    if text not in SHOWN:
        SHOWN.add(text)
        sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {text}: {done:,} of {total:,}\n")


def configs(task: str, protocol: Path, chosen: argparse.Namespace) -> dict[tuple[str, int], TrainConfig]:
    base = TrainConfig(
        task=task,
        steps=chosen.steps,
        steps_per_update=chosen.steps_per_update,
        eval_every=min(chosen.eval_every, chosen.steps),
        eval_episodes=chosen.eval_episodes,
        checkpoint_every=chosen.steps,
        device="cpu",
    )
    found = {}
    for seed in range(chosen.seeds):  # seed by seed, so that a comparison that is stopped early has every method
        for method in chosen.methods:
            kind = find_method(method)
            needs = kind.needs_protocol or kind.needs_messages
            found[method, seed] = replace(base, method=method, seed=seed, protocol=str(protocol) if needs else None)
    return found


def runs_of(task: str, protocol: Path, chosen: argparse.Namespace, make: bool) -> dict[tuple[str, int], Path]:
    found = {}
    for key, config in configs(task, protocol, chosen).items():
        run = find_run(config, Path("runs")) or (prepare(config, Path("runs")) if make else None)
        if run is not None:
            found[key] = run
    return found


def costs(task: str, protocol: Path, method: str) -> dict[str, Any]:
    """What a method costs to execute: parameters per agent, and the bits of a message as sent and in bytes."""
    schema, kind = find_task(task).schema, find_method(method)
    needs = kind.needs_protocol or kind.needs_messages
    built = build_method(method, method_inputs(schema, load_protocol(method, protocol if needs else None, schema)))
    values = built.sent_values
    if values is not None:
        return {"parameters": built.executed_parameters, "bits": FLOAT * values, "bits_rounded": BYTE * values}
    bits, rounded = protocol_bits(read_manifest(protocol).bandwidth)
    return {"parameters": built.executed_parameters, "bits": bits, "bits_rounded": rounded}


def protocol_bits(bandwidth: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Bits per step and link, mean over senders, as sent and with numbers in bytes; None where nothing was measured.

    A sender that speaks in a share s of its steps, k values of which n are numbers and the others bits, has measured
    s (32 n + k - n) = s (k + 31 n) bits, of which s (k + 7 n) are left.
    """
    if not bandwidth:
        return None, None
    rounded = []
    for bits, share, values in zip(
        bandwidth["bits_per_step"], bandwidth["speaking"], bandwidth["varying"], strict=True
    ):
        numbers = (bits / share - values) / (FLOAT - 1) if share else 0.0
        rounded.append(share * (values + (BYTE - 1) * numbers))
    return bandwidth["total"] / len(rounded), sum(rounded) / len(rounded)


def probed(run: Path, config: ProbeConfig) -> dict[str, Any]:
    """The probe of a complete run, read from its folder where it was measured in the same way before."""
    file = run / "probe.json"
    if file.exists():
        known = read_json_object(file)
        if known.get("config") == vars(config):
            return known
    return json.loads(json.dumps(probe_run(run, config).to_json()))


def result_of(task: str, protocol: Path, chosen: argparse.Namespace) -> dict[str, Any] | None:
    runs = {key: run for key, run in runs_of(task, protocol, chosen, make=False).items() if RunFolder(run).finished}
    if not runs:
        return None
    compared = report(task, runs, scripted_episodes=chosen.scripted_episodes)
    probes = []
    for (method, seed), run in runs.items():
        show(len(probes), len(runs), f"{task}, probe")
        found = probed(run, ProbeConfig(chosen.probe_episodes, updates=chosen.probe_updates))
        probes.append({"seed": seed, **found, "method": method})
    calibrations = {
        f"{method}-s{seed}": read_json_object(run / "calibration.json")
        for (method, seed), run in runs.items()
        if (run / "calibration.json").exists()
    }
    return {
        "task": task,
        "protocol": protocol.name,
        "steps": chosen.steps,
        "steps_per_update": chosen.steps_per_update,
        "planned_seeds": chosen.seeds,
        **{key: value for key, value in compared.to_json().items() if key != "runs"},
        "curves": json.loads(compared.curves.to_json(orient="records")),
        "costs": {method: costs(task, protocol, method) for method in dict.fromkeys(m for m, _ in runs)},
        "probes": probes,
        "calibration": calibrations,
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
    }


def cell(value: float | None, low: float | None = None, high: float | None = None, digits: int = 3) -> str:
    if value is None:
        return "-"
    bounds = "" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return f"{value:,.{digits}f}{bounds}"


def lines_of(result: dict[str, Any]) -> list[str]:
    lines = [
        f"## {result['task']}",
        "",
        f"Protocol `{result['protocol']}`, {result['steps']:,} environment steps, one update of 32 episodes per "
        f"{result['steps_per_update']} steps, measured on {result['date']}.",
        "",
        "| method | seeds | success | return | bits per step and link | in bytes | parameters per agent | CPU s | "
        "position error | own observation | spread over agents |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in result["table"]:
        cost = result["costs"].get(row["method"], {})
        probes = [probe for probe in result["probes"] if probe["method"] == row["method"]]
        seconds = [seed["cpu_seconds"] for seed in result["seeds"] if seed["method"] == row["method"]]

        def mean(values: list[float | None]) -> float | None:
            there = [value for value in values if value is not None]
            return sum(there) / len(there) if there else None

        cells = [
            row["method"],
            f"{row['seeds']} of {result['planned_seeds']}" if cost else "-",
            *(cell(row[key], row.get(f"{key}_low"), row.get(f"{key}_high")) for key in ("success", "return")),
            *(cell(cost.get(key), digits=0) for key in ("bits", "bits_rounded", "parameters")),
            cell(mean(seconds), digits=0),
            cell(mean([probe["error"]["value"] for probe in probes])),
            cell(mean([probe["own"]["value"] for probe in probes])),
            cell(mean([probe["spread"] for probe in probes])),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def write(state: dict[str, Any], out: Path) -> None:
    lines = [
        "# Methods and controls",
        "",
        "Written by `python benchmarks/methods.py report` from `methods.json`, which holds every figure. What each",
        "method is: [../methods.md](../methods.md). Success and return: interquartile mean over seeds of the mean over",
        "the last five evaluations, with bootstrap intervals over seeds. The maps are SMAC-Comm-like, played by the",
        "embedded simulator: no figure here can be set beside one from StarCraft II. Bits of protocols are as `freeze`",
        "measured them; in bytes, a number is 8 bits and a bit stays a bit. Position error: `design-protocol probe`,",
        "mean over seeds.",
        "",
    ]
    for result in state.values():
        lines += lines_of(result)
    out.mkdir(parents=True, exist_ok=True)
    (out / "methods.json").write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    (out / "methods.md").write_text("\n".join(lines), encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("train", "report"))
    parser.add_argument("--protocol", action="append", required=True, metavar="TASK=DIR")
    parser.add_argument("--methods", nargs="*", default=method_names(), choices=method_names())
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--steps-per-update", type=int, default=100)
    parser.add_argument("--eval-every", type=int, default=30_000)
    parser.add_argument("--eval-episodes", type=int, default=96)
    parser.add_argument("--probe-episodes", type=int, default=384)
    parser.add_argument("--probe-updates", type=int, default=400)
    parser.add_argument("--scripted-episodes", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    file = chosen.out / "methods.json"
    state = read_json_object(file) if file.exists() else {}
    for named in chosen.protocol:
        task, _, folder = named.partition("=")
        if not folder:
            raise UsageError(f"--protocol {named!r} is not TASK=DIR")
        protocol = Path(folder)
        if chosen.stage == "train":
            train_all(runs_of(task, protocol, chosen, make=True), chosen.steps, chosen.workers, show)
        elif (found := result_of(task, protocol, chosen)) is not None:
            state[task] = found
            write(state, chosen.out)


if __name__ == "__main__":
    main()
