"""Training throughput: environment steps per CPU second, updates, evaluation and logging included.

    python benchmarks/training.py [--only NAME …] [--protocol TASK=DIR …] [--scale 1.0] [--seed 0] [--out docs/results]

Each case is one real run in a process of its own; the first quarter warms up and is left out of its speed. CPU seconds
are the process's own, so that a busy machine changes little. Update ratio: samples that the learner reads (B episodes
times their steps) per environment step. Memory: the process's greatest resident set, a full replay buffer where the
run is long enough. `protocol share`: the part of the CPU seconds that is spent in the frozen protocol.

Cases that need a protocol are left out where none is given; with --out what was measured before and is not now stays.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buffers.errors import UsageError
from generated_protocols.protocol import ProtocolStepper
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import MethodConfig, find_method
from marl_runtime.metrics import read_metrics
from marl_runtime.presets import find_preset
from marl_runtime.run_folder import versions
from marl_runtime.training import train
from marl_runtime.training_config import TrainConfig

FORAGING_50 = "Foraging-1s-8x8-2p-2f-coop,max_episode_steps=50"


@dataclass(frozen=True)
class Case:
    """One line of the table; `aim` in environment steps per CPU second, `share_aim` for the protocol's share."""

    task: str
    method: str
    steps: int
    preset: str = ""
    loop: str = "published"
    aim: int | None = None
    share_aim: float | None = None
    learner: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        kind = f"{self.method} {self.loop}" if self.method == "lmac" else self.method
        return f"{self.task} {kind}{f' {self.preset}' if self.preset else ''}"


CASES = (
    Case(FORAGING_50, "qmix", 40_000, preset="epymarl", aim=640),
    Case(FORAGING_50, "qmix", 120_000, preset="fast", aim=2_400),
    # long enough to fill the replay buffer's 5,000 episodes
    Case("bane_vs_hM", "qmix", 200_000, aim=5_000),
    Case("bane_vs_hM", "direct", 80_000),
    Case("bane_vs_hM", "lmac", 80_000, share_aim=0.05),
    Case("bane_vs_hM", "lmac", 80_000, loop="fused", aim=2_500),
    Case("1o_2r_vs_4r", "qmix", 80_000),
    Case("1o_2r_vs_4r", "lmac", 80_000),
    Case("2o_20b_vs_2r", "qmix", 40_000),
    Case("2o_20b_vs_2r", "lmac", 40_000, share_aim=0.15),
)


class Spent:
    """Adds up the CPU seconds of a function's calls."""

    seconds = 0.0

    def watch(self, owner: type, name: str) -> None:
        inner: Callable[..., Any] = getattr(owner, name)

        def timed(*inputs: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return inner(*inputs, **named)
            finally:
                self.seconds += time.process_time() - start

        setattr(owner, name, timed)


def config_of(case: Case, protocol: str | None, scale: float, seed: int) -> TrainConfig:
    preset = find_preset(case.preset)
    steps = int(case.steps * scale)
    kind = find_method(case.method)
    return TrainConfig(
        case.task,
        method=case.method,
        protocol=protocol if kind.needs_protocol else None,
        seed=seed,
        steps=steps,
        log_every=max(1, steps // 20),
        eval_every=max(1, steps // 2),
        checkpoint_every=steps,
        network=MethodConfig(**{**preset.network, "encoder_loop": case.loop}),
        learner=LearnerConfig(**preset.learner),
        **preset.train,
    )


def measure(config: TrainConfig) -> dict[str, Any]:
    """Train in this process; the first quarter of the steps is left out of the speed."""
    spent = Spent()
    for name in ("step", "reset"):
        spent.watch(ProtocolStepper, name)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        rows = [row for row in read_metrics(train(config, Path(folder))) if "update/longest" in row]
        whole = time.process_time() - start
    first = next(row for row in rows if row["step"] >= config.steps / 4)
    last = rows[-1]
    later = [row for row in rows if row["step"] > first["step"]]
    steps = last["step"] - first["step"]
    cpu = last["time/cpu_seconds"] - first["time/cpu_seconds"]
    updates = last["count/updates"] - first["count/updates"]
    mean_length = sum(row["update/mean_length"] for row in later) / len(later)
    return {
        "steps": steps,
        "cpu_seconds": round(cpu, 2),
        "steps_per_cpu_second": round(steps / cpu),
        "updates": updates,
        "batch_size": config.batch_size,
        "update_ratio": round(updates * config.batch_size * mean_length / steps, 1),
        "mean_length": round(mean_length, 1),
        "longest_length": round(max(row["update/longest"] for row in later), 1),
        "episodes": last["count/episodes"],
        "peak_memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "protocol_share": round(spent.seconds / whole, 4) if config.protocol else None,
    }


def in_own_process(case: Case, protocol: str | None, scale: float, seed: int) -> dict[str, Any]:
    """Return what a fresh process measures, so that no case pays for or profits from another."""
    told = json.dumps({"case": asdict(case), "protocol": protocol, "scale": scale, "seed": seed})
    done = subprocess.run([sys.executable, __file__, "--case", told], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{case.name}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def verdict(found: dict[str, Any], case: Case) -> str:
    """Say whether an aim was reached."""
    said = []
    if case.aim is not None:
        said.append(f"{case.aim:,}: {'reached' if found['steps_per_cpu_second'] >= case.aim else 'missed'}")
    if case.share_aim is not None:
        reached = found["protocol_share"] <= case.share_aim
        said.append(f"protocol at most {case.share_aim:.0%}: {'reached' if reached else 'missed'}")
    return ", ".join(said)


def table(results: dict[str, dict[str, Any]]) -> list[str]:
    lines = [
        "| case | steps per CPU second | updates | B | update ratio | T mean | T longest | peak memory, MiB | "
        "protocol's share | aim |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for case in CASES:
        found = results.get(case.name)
        if found is None:
            continue
        share = found["protocol_share"]
        cells = (
            case.name, f"{found['steps_per_cpu_second']:,}", f"{found['updates']:,}", found["batch_size"],
            found["update_ratio"], found["mean_length"], found["longest_length"], found["peak_memory_mib"],
            "-" if share is None else f"{share:.1%}", verdict(found, case),
        )  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def write(results: dict[str, dict[str, Any]], out: Path, seed: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    record = {
        "benchmark": "training",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        "versions": versions(),
        "results": results,
    }
    (out / "training.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    page = [
        "# Speed of training",
        "",
        "Written by `python benchmarks/training.py` from `training.json`. One thread; updates, evaluations and logging",
        "are in. Update ratio: samples that the learner reads for each environment step that is played. An episode of",
        "`bane_vs_hM` is up to 30 steps; 200,000 of them fill the replay buffer of 5,000 episodes.",
        "",
        *table(results),
        "",
    ]
    (out / "training.md").write_text("\n".join(page), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="cases whose name holds one of these")
    parser.add_argument("--protocol", action="append", default=[], metavar="TASK=DIR")
    parser.add_argument("--scale", type=float, default=1.0, help="of every case's number of steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        told = json.loads(options.case)
        config = config_of(Case(**told["case"]), told["protocol"], told["scale"], told["seed"])
        print(json.dumps(measure(config)))
        return
    protocols = dict(named.split("=", 1) for named in options.protocol)
    before = options.out / "training.json" if options.out else None
    results: dict[str, Any] = json.loads(before.read_text())["results"] if before and before.exists() else {}
    for case in CASES:
        if options.only and not any(part in case.name for part in options.only):
            continue
        protocol = protocols.get(case.task)
        if find_method(case.method).needs_protocol and protocol is None:
            print(f"{case.name}: left out, give --protocol {case.task}=DIR")
            continue
        found = in_own_process(case, protocol, options.scale, options.seed)
        results[case.name] = {**found, "date": datetime.now(UTC).date().isoformat()}
        print(
            f"{case.name}: {found['steps_per_cpu_second']:,} steps per CPU second  {verdict(found, case)}", flush=True
        )
        if options.out:
            write(results, options.out, options.seed)
    if not results:
        raise UsageError("no case was measured: --only matched none, or their protocols are missing")


if __name__ == "__main__":
    main()
