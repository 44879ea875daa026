"""Training throughput: environment steps per CPU second, updates, evaluation and logging included.

    python benchmarks/training.py [--task bane_vs_hM] [--protocol DIR] [--steps 60000] [--out docs/results]

One update of B 32 per 200 environment steps. The first quarter of the run warms up and is left out. CPU seconds are the
process's own, so that a busy machine changes little. Methods that need a protocol are left out where none is given.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from marl_runtime.methods import MethodConfig, find_method
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import versions
from marl_runtime.training import train
from marl_runtime.training_config import TrainConfig

AIMS = {"qmix": 5_000, "lmac fused": 2_500}


def measure(config: TrainConfig) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for row in read_metrics(train(config, Path(folder))) if "update/longest" in row]
    first = next(row for row in rows if row["step"] >= config.steps / 4)
    last = rows[-1]
    steps = last["step"] - first["step"]
    cpu = last["time/cpu_seconds"] - first["time/cpu_seconds"]
    later = [row for row in rows if row["step"] > first["step"]]
    return {
        "steps": steps,
        "cpu_seconds": round(cpu, 2),
        "steps_per_cpu_second": round(steps / cpu),
        "updates": last["count/updates"] - first["count/updates"],
        "batch_size": config.batch_size,
        "mean_length": round(sum(row["update/mean_length"] for row in later) / len(later), 1),
        "longest_length": round(sum(row["update/longest"] for row in later) / len(later), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="bane_vs_hM")
    parser.add_argument("--protocol")
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    base = TrainConfig(
        options.task,
        steps=options.steps,
        seed=options.seed,
        log_every=options.steps // 12,
        eval_every=options.steps,
        checkpoint_every=options.steps,
    )
    cases = {
        "qmix": replace(base, method="qmix"),
        "direct": replace(base, method="direct"),
        "lmac": replace(base, method="lmac"),
        "lmac fused": replace(base, method="lmac", network=MethodConfig(encoder_loop="fused")),
    }
    results: dict[str, Any] = {}
    for name, config in cases.items():
        if find_method(config.method).needs_protocol and not options.protocol:
            print(f"{name:12} left out: give --protocol DIR")
            continue
        needs = find_method(config.method).needs_protocol
        results[name] = measure(replace(config, protocol=options.protocol if needs else None))
        found = results[name]
        aim = f"   aim {AIMS[name]:,}" if name in AIMS and options.task == "bane_vs_hM" else ""
        print(
            f"{name:12}{found['steps_per_cpu_second']:8,} steps per CPU second, {found['updates']} updates of B "
            f"{found['batch_size']}, T {found['mean_length']} on average, {found['longest_length']} at most{aim}"
        )
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        report = {
            "benchmark": "training",
            "task": options.task,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "seed": options.seed,
            "steps_per_update": base.steps_per_update,
            "versions": versions(),
            "results": results,
        }
        path = options.out / f"training-{options.task}.json"
        path.write_text(json.dumps(report, indent=1) + "\n")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
