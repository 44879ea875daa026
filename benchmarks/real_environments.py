# ruff: noqa: E501 - the lines of the report are longer than those of the code
"""Other people's environments: sizes, speed, random play, and what a searched protocol tells.

    python benchmarks/real_environments.py measure [TASK …]   # minutes; pip install 'protocol-designer[mpe]', make test-grf
    python benchmarks/real_environments.py report             # docs/results/real-environments.md from the .json

Data sets and designs go to data/ and generated_protocols/ of the working directory. Scores are those of the command
line's default decoders on the select split, on the state fields with headroom before there is a protocol.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from buffers.errors import RejectedError
from generated_protocols.manifest import part_sources, read_manifest
from marl_runtime.environment import episode_seeds
from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.run_folder import versions
from marl_runtime.statistics import mean_over_episodes
from marl_runtime.tasks import find_task
from protocol_designer.compiler import CompilerConfig
from protocol_designer.designers.choice import choose
from protocol_designer.designing import DesignConfig, design, read_split
from protocol_designer.protocol_contract import ProtocolContract
from protocol_designer.sandbox import Sandbox
from sai import SaiConfig, paired_difference
from sai import score as sai_score

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
TASKS = (
    "Foraging-1s-8x8-2p-2f-coop",
    "Foraging-1s-11x11-6p-4f-coop",
    "marl_runtime.environments.mpe:simple_reference",
    "marl_runtime.environments.mpe:simple_speaker_listener",
    "academy_3_vs_1_with_keeper",
    "academy_run_pass_and_shoot_with_keeper",
)
EPISODES, PASSES, SEED, RANDOM_EPISODES = 600, 1, 0, 400


def show(done: int, total: int, text: str) -> None:
    if done in (0, total):
        sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {text}: {done:,} of {total:,}\n")


def random_play(name: str) -> dict[str, Any]:
    """Play random available actions: the team's return, and steps per CPU second, sampling included."""
    task = find_task(name)
    envs = 4 if task.backend == "gfootball" else 16  # an engine each
    environment = task.make(envs)
    everyone = np.ones(envs, dtype=bool)
    rng = np.random.default_rng(SEED)
    returns, wins, steps = [], 0, 0
    started = time.process_time()
    for first in range(0, RANDOM_EPISODES, envs):
        environment.reset(everyone, episode_seeds(SEED, first, envs))
        running, total = everyone.copy(), np.zeros(envs)
        while running.any():
            steps += int(running.sum())
            available = environment.avail_actions
            result = environment.step((rng.random(available.shape) * available).argmax(axis=-1))
            total += result.rewards
            wins += int(result.success.sum())
            running &= ~(result.terminated | result.truncated)
        returns.append(total)
    spent = time.process_time() - started
    environment.close()
    found = mean_over_episodes(np.concatenate(returns))
    return {"return": vars(found), "success": wins / RANDOM_EPISODES, "steps_per_cpu_second": round(steps / spent)}


def searched(name: str) -> dict[str, Any]:
    """Design by search on fresh episodes, and score with and without the messages."""
    data_set = gather(name, GatherConfig(episodes=EPISODES, seed=SEED), progress=show)
    config, schema = SaiConfig(seed=SEED), data_set.schema
    recorded = {split: read_split(data_set, split) for split in ("fit", "select")}
    fit, select = recorded["fit"].episodes, recorded["select"].episodes
    none = sai_score(schema, fit, select, None, None, config)
    told = set(none.table[none.table.scored].field)
    fields = tuple(i for i, f in enumerate(schema.state_fields) if f.name in told)
    setup = DesignConfig(seed=SEED, compiler=CompilerConfig(passes=PASSES))
    path = Path("generated_protocols") / schema.name / f"search-{EPISODES}-s{SEED}"
    settings = {"task": schema.name, **choose("search").settings}
    known = {"none": none.summary(), "fields": len(fields), "state": schema.state_dim, "data_set": data_set.hash}
    try:
        folder = design(data_set, choose("search").make_designer, setup, path, settings, show).folder
    except RejectedError as error:
        return {**known, "refused": str(error).partition(";")[0]}
    manifest = read_manifest(folder)
    with Sandbox() as sandbox:
        contract = ProtocolContract(schema, recorded, sandbox, window=manifest.window)
        run = contract.run([source.decode() for source in part_sources(folder).values()]).outcome
    assert run is not None
    card = sai_score(schema, fit, select, run.messages["fit"], run.messages["select"], config, fields)
    gain = vars(paired_difference(card, none))
    return {**known, "search": card.summary(), "over_none": gain, "bits_per_step": run.bandwidth.total}


def installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def here(name: str) -> bool:
    """Whether the task's package is installed; what was measured of one that is not stays as it is."""
    package = find_task(name).requires if ":" not in name else "mpe2"
    if (there := installed(package)) == "not installed":
        sys.stderr.write(f"{name} is left out: {package} is not installed\n")
    return there != "not installed"


def measure(name: str) -> dict[str, Any]:
    schema = find_task(name).schema
    return {
        "task": name,
        "agents": schema.n_agents, "observation": schema.obs_dim, "state": schema.state_dim,
        "actions": schema.n_actions, "limit": schema.episode_limit,
        "random": random_play(name),
        "design": searched(name),
        "episodes": EPISODES, "passes": PASSES, "seed": SEED,
        "date": datetime.now(UTC).date().isoformat(), "versions": {**versions(), "mpe2": installed("mpe2"), "gfootball": installed("gfootball")},
    }  # fmt: skip


def row_of(result: Mapping[str, Any]) -> str:
    random, design_of = result["random"], result["design"]
    returned = random["return"]
    # where every field is known without a message nothing is scored
    none = f"{design_of['none']['success_full']:.3f}" if design_of["fields"] else "-"
    if "search" in design_of:
        gain = design_of["over_none"]
        told = f"{design_of['search']['success_full']:.3f} | {gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}] | {design_of['bits_per_step']:.0f}"
    else:
        told = "nothing was worth sending | - | 0"
    return (
        f"| `{result['task'].rpartition('.')[2]}` | {result['agents']} | {result['observation']} | {result['state']} ({design_of['fields']}) | "
        f"{result['actions']} | {random['steps_per_cpu_second']:,} | {returned['value']:.3f} [{returned['low']:.3f}, {returned['high']:.3f}] | "
        f"{none} | {told} |"
    )


def report(results: Mapping[str, Any]) -> str:
    found = [results[name] for name in TASKS if name in results]
    dates = sorted({result["date"] for result in found})
    return "\n".join(
        [
            "# Real environments",
            "",
            "Written by `benchmarks/real_environments.py` from `real-environments.json`, which has seeds and versions. mpe2's own message",
            "channel is silenced, so a protocol is the only one; mpe2's state is the observations of all agents, so what messages tell of it",
            "says little about how hard the task is. In football every agent sees all players, as published, so there is little to tell.",
            "",
            "| task | agents | observation | state (scored) | actions | steps per CPU second | random return [95 %] | success, no messages | success, search | gain [95 %] | bits a step |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
            *map(row_of, found),
            "",
            f"Success is that of rebuilding the state (docs/scoring.md), not of playing; the gain is paired, over what is scored in both. {EPISODES} gathered episodes and {PASSES} refinement pass",
            "for each task, far fewer than by default (5,000 and 2): an indication. Speeds are of one process, random actions and their sampling",
            f"included, on a machine that was busy with other work. Measured on {', '.join(dates)}.",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("tasks", nargs="*")
    chosen = parser.parse_args()
    path = RESULTS / "real-environments.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if chosen.what == "measure":
        for name in chosen.tasks or [name for name in TASKS if here(name)]:
            results[name] = measure(name)
            path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "real-environments.md").write_text(report(results), encoding="utf-8")


if __name__ == "__main__":
    main()
