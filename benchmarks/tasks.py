"""Every task measured: who wins with and without messages, speed, and how much of the others one agent sees.

    python benchmarks/tasks.py measure [--episodes 1000] [--seed 0] [--tasks NAME ...]   # minutes
    python benchmarks/tasks.py report                                        # docs/results/tasks.md

Writes docs/results/tasks.json, and of it the part that `design-protocol tasks` shows, marl_runtime/skirmish/maps/
measured.json. Speeds are environment steps per CPU second on one thread with random available actions, resets included,
the best of three tries. Seen is the share of the other living units within an agent's sight, over agents and steps.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

from marl_runtime.environment import ScriptedPolicy, VectorEnvironment, episode_seeds
from marl_runtime.environments.football_schema import FOOTBALL_TASKS
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.maps import FOLDER, MAPS, map_file
from marl_runtime.skirmish.scripted import references_of
from marl_runtime.tasks import PUBLISHED_LAYOUT, Task, find_task, messages_of, task_names

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
MEASURED = FOLDER / "measured.json"
ENVIRONMENTS = (1, 32, 256)
BATCH = 250
TRIES = 3


class Random(ScriptedPolicy):
    name = "random"
    summary = "random available actions"

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def reset(self, environment: VectorEnvironment, mask: np.ndarray) -> None:
        return

    def act(self, environment: VectorEnvironment) -> np.ndarray:
        avail = environment.avail_actions
        return (avail * (self._rng.random(avail.shape, dtype=np.float32) + 1e-6)).argmax(axis=-1)


def seen_share(environment: SkirmishEnvironment) -> tuple[float, float]:
    """Pairs of a living agent of a running battle and another living unit that it sees, and all such pairs."""
    units, n = environment.units, environment.schema.n_agents
    x, y, living = units["x"], units["y"], units["health"] > 0
    pairs = living[:, :n, None] & living[:, None] & environment.running[:, None, None]
    pairs &= ~np.eye(n, living.shape[1], dtype=bool)
    gap = np.hypot(x[:, :n, None] - x[:, None], y[:, :n, None] - y[:, None])
    return float((pairs & (gap < environment.map.sight)).sum()), float(pairs.sum())


def play(task: Task, policy: ScriptedPolicy, episodes: int, seed: int) -> dict[str, Any]:
    won, returns, seen, pairs = [], [], 0.0, 0.0
    for first in range(0, episodes, BATCH):
        count = min(BATCH, episodes - first)
        environment = task.make(count)
        everyone = np.ones(count, dtype=bool)
        environment.reset(everyone, episode_seeds(seed, first, count))
        policy.reset(environment, everyone)
        over, wins, total = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool), np.zeros(count)
        while not over.all():
            if isinstance(environment, SkirmishEnvironment):
                some, all_pairs = seen_share(environment)
                seen, pairs = seen + some, pairs + all_pairs
            result = environment.step(policy.act(environment))
            wins |= result.success
            total += result.rewards
            over |= result.terminated | result.truncated
        won.append(wins)
        returns.append(total)
    rate = float(np.concatenate(won).mean())
    row = {
        "policy": policy.name,
        "won": round(rate, 4),
        "standard_error": round(math.sqrt(rate * (1 - rate) / episodes), 4),
        "return": round(float(np.concatenate(returns).mean()), 3),
    }
    return {**row, "seen": round(seen / pairs, 3)} if pairs else row


def speed(task: Task, battles: int, seed: int) -> int:
    steps, best = max(30, 600 // battles), 0.0
    for attempt in range(TRIES):
        environment, policy = task.make(battles), Random(seed)
        over, seconds = np.ones(battles, dtype=bool), 0.0
        for step in range(steps):
            actions = policy.act(environment) if step else None
            start = time.process_time()
            if over.any():
                environment.reset(over, episode_seeds(seed + attempt, step * battles, battles))
                if actions is not None:
                    seconds += time.process_time() - start
                actions = policy.act(environment)
                start = time.process_time()
            result = environment.step(actions)
            if step:  # the first step may compile
                seconds += time.process_time() - start
            over = result.terminated | result.truncated
        best = max(best, (steps - 1) * battles / max(seconds, 1e-9))
    return round(best)


def measure(name: str, episodes: int, seed: int) -> dict[str, Any]:
    task, schema = find_task(name), find_task(name).schema
    base = name.removesuffix(PUBLISHED_LAYOUT)
    names = references_of(map_file(base)) if base in MAPS else {key: key for key in task.scripted}
    played = {"random": play(task, Random(seed), episodes, seed)}
    for role, script in names.items():
        played[role] = play(task, task.scripted[script](), episodes, seed)
    return {
        "task": name,
        "agents": schema.n_agents,
        "enemies": task.enemies,
        "limit": schema.episode_limit,
        "observation": schema.obs_dim,
        "state": schema.state_dim,
        "actions": schema.n_actions,
        "policies": played,
        "steps_per_cpu_second": {str(battles): speed(task, battles, seed) for battles in ENVIRONMENTS},
    }


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def report(found: dict[str, Any]) -> str:
    lines = [
        "# Tasks",
        "",
        "Written by `python benchmarks/tasks.py report` from `tasks.json`: "
        f"{found['episodes']:,} episodes of each policy, seed {found['seed']}, {found['date'][:10]}, Python "
        f"{found['versions']['python']}, NumPy {found['versions']['numpy']}, numba {found['versions']['numba']}; load "
        f"average {found['load_average']}. Won in percent, with the standard error. "
        "Messages: *necessary* where `shared` is at least 25 points above `blind`, *helpful* where it is at least 5 "
        "points and three standard errors above it, *unclear* where nobody wins a tenth. On the maps of families "
        "`ring` and `seek` `blind` knows more than an agent can, its own true position. All policies are the best that "
        "we wrote, not the best there is. Win rates do not compare with StarCraft's. Tasks that differ only in layout "
        "(`-smac_plus`) are played as the map.",
        "",
        "| task | random | blind | shared | oracle | messages | seen, random | seen, oracle |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in found["tasks"]:
        cells = []
        for role in ("random", "blind", "shared", "oracle"):
            one = row["policies"].get(role)
            label = f" ({one['policy']})" if one and one["policy"] != role else ""
            cells.append(f"{100 * one['won']:.1f} ± {100 * one['standard_error']:.1f}{label}" if one else "-")
        seen = [row["policies"].get(role, {}).get("seen", "-") for role in ("random", "oracle")]
        lines.append(f"| `{row['task']}` | {' | '.join(cells)} | {messages_of(row['task'])} | {seen[0]} | {seen[1]} |")
    lines += [
        "",
        "Seen: share of the other living units within an agent's sight. Speed in environment steps per CPU second, one "
        "thread, by the number of battles in step:",
        "",
        "| task | agents v enemies | limit | observation | state | actions | 1 | 32 | 256 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in found["tasks"]:
        rates = " | ".join(f"{rate:,}" for rate in row["steps_per_cpu_second"].values())
        sizes = f"{row['limit']} | {row['observation']} | {row['state']} | {row['actions']}"
        lines.append(f"| `{row['task']}` | {row['agents']} v {row['enemies']} | {sizes} | {rates} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "report"))
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", nargs="*", help="only these; the rows of others stay")
    options = parser.parse_args()
    path = RESULTS / "tasks.json"
    if options.what == "measure":
        rows = {row["task"]: row for row in json.loads(path.read_text())["tasks"]} if path.exists() else {}
        names = [name for name in task_names() if not name.endswith(PUBLISHED_LAYOUT) and name not in FOOTBALL_TASKS]
        for name in options.tasks or names:
            begun = time.perf_counter()
            rows[name] = measure(name, options.episodes, options.seed)
            won = {role: one["won"] for role, one in rows[name]["policies"].items()}
            print(name, won, rows[name]["steps_per_cpu_second"], f"{time.perf_counter() - begun:.0f} s", flush=True)
            # after each task, so that a run which is stopped has kept what it measured
            head = {
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "seed": options.seed,
                "episodes": options.episodes,
                "versions": {"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__},
            }
            ordered = [rows[name] for name in names if name in rows]
            machine = {"machine": f"{platform.machine()}, one thread", "load_average": round(os.getloadavg()[0], 2)}
            write(path, {**head, **machine, "tasks": ordered})
            write(MEASURED, {**head, "tasks": {row["task"]: row["policies"] for row in ordered if row["task"] in MAPS}})
    else:
        text = report(json.loads(path.read_text(encoding="utf-8")))
        (RESULTS / "tasks.md").write_text(text, encoding="utf-8")
        print("wrote docs/results/tasks.md")


if __name__ == "__main__":
    main()
