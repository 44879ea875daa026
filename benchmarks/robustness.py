"""What lost, noisy and late messages cost policies that never met any: the runs of a sweep, evaluated again.

    python benchmarks/robustness.py measure SWEEP.yaml [--lines lmac,direct] [--episodes 400] [--runs runs]
    python benchmarks/robustness.py report     # docs/results/robustness.md from robustness.json

Every complete run of the named lines plays the same episodes under each condition, so conditions are compared within a
run. Resumable: what robustness.json holds of a run and a condition is not measured again.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buffers.files import read_json_object
from marl_runtime.evaluation import EvalConfig, evaluate
from marl_runtime.run_folder import RunFolder, versions
from marl_runtime.statistics import over_seeds
from marl_runtime.sweeping.reading import read_sweep
from marl_runtime.sweeping.sweep import find_runs

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
CONDITIONS: dict[str, dict[str, float | int]] = {
    "as designed": {},
    **{f"loss {percent} %": {"message_loss": percent / 100} for percent in range(10, 100, 10)},
    **{f"noise {deviation}": {"message_noise": deviation} for deviation in (0.05, 0.1, 0.2, 0.5)},
    **{f"delay {steps}": {"message_delay": steps} for steps in (1, 2, 3)},
}


def measure(chosen: argparse.Namespace) -> None:
    plan = read_sweep(chosen.sweep)
    found = find_runs(plan, chosen.runs)
    file = chosen.out / "robustness.json"
    state = read_json_object(file) if file.exists() else {"rows": []}
    known = {(row["hash"], row["condition"], row["episodes"]) for row in state["rows"]}
    for entry in plan.entries:
        line, run = plan.label(entry), found.get(entry.hash)
        if line not in chosen.lines.split(",") or run is None or not RunFolder(run).finished:
            continue
        for condition, settings in CONDITIONS.items():
            if (entry.hash, condition, chosen.episodes) in known:
                continue
            result = evaluate(run, EvalConfig(chosen.episodes, seed=chosen.seed, **settings))
            row = {
                "task": entry.task,
                "line": line,
                "seed": entry.seed,
                "hash": entry.hash,
                "condition": condition,
                "episodes": chosen.episodes,
                "evaluation_seed": chosen.seed,
                "success": round(result.success.value, 4),
                "return": round(result.returns.value, 4),
                "date": datetime.now(UTC).date().isoformat(),
            }
            state["rows"].append(row)
            sys.stderr.write(f"{entry}, {condition}: {row['success']:.3f}\n")
        state["versions"] = versions()
        file.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")


def report(chosen: argparse.Namespace) -> None:
    state = read_json_object(chosen.out / "robustness.json")
    lines = [
        "# Lost, noisy and late messages",
        "",
        "Written by `python benchmarks/robustness.py report` from `robustness.json`. Policies were trained with",
        "perfect messages; every run plays the same greedy episodes under each condition. *Change*: success less that",
        "as designed, within a run; interquartile mean over seeds (the mean, with fewer than four) with a 95 %",
        "bootstrap interval over seeds. Loss: the probability that a payload does not reach a receiver in a step.",
        "Noise: standard deviation on each number that a receiver keeps. Delay: steps by which what it keeps is late.",
        "The maps are played by the embedded simulator.",
        "",
    ]
    rows: list[dict[str, Any]] = state["rows"]
    for task in dict.fromkeys(row["task"] for row in rows):
        lines += [f"## {task}", ""]
        for line in dict.fromkeys(row["line"] for row in rows if row["task"] == task):
            mine = [row for row in rows if (row["task"], row["line"]) == (task, line)]
            base = {row["seed"]: row["success"] for row in mine if row["condition"] == "as designed"}
            lines += [
                f"`{line}`, {len(base)} seed(s), {mine[0]['episodes']} episodes each, {mine[0]['date']}:",
                "",
                "| condition | success | change [95 %] |",
                "|---|---|---|",
            ]
            for condition in CONDITIONS:
                values = {row["seed"]: row["success"] for row in mine if row["condition"] == condition}
                if not values:
                    continue
                change = over_seeds([values[seed] - base[seed] for seed in values])
                bounds = "" if len(values) == 1 else f" [{change.low:+.3f}, {change.high:+.3f}]"
                lines.append(
                    f"| {condition} | {over_seeds(list(values.values())).value:.3f} | {change.value:+.3f}{bounds} |"
                )
            lines.append("")
    (chosen.out / "robustness.md").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    stages = parser.add_subparsers(dest="stage", required=True)
    first = stages.add_parser("measure")
    first.add_argument("sweep", type=Path)
    first.add_argument("--lines", default="lmac,direct")
    first.add_argument("--episodes", type=int, default=400)
    first.add_argument("--seed", type=int, default=1)
    first.add_argument("--runs", type=Path, default=Path("runs"))
    for stage in (first, stages.add_parser("report")):
        stage.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    (measure if chosen.stage == "measure" else report)(chosen)


if __name__ == "__main__":
    main()
