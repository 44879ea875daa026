"""Speed of the embedded simulator: random available actions, with observations, states, masks and resets included.

    python benchmarks/simulator.py [--tasks NAME …] [--steps 500] [--battles 20000] [--seed 0] [--out docs/results]

Environment steps per CPU second of this process, on one thread; compiling is left out and printed apart. The aims with
256 battles on one quiet core: 1,000,000 on bane_vs_hM, 100,000 with 22 agents, 30,000 with 27 against 30. A busy
machine gives less, even per CPU second, so the best of five tries counts. Then each policy written by hand plays
`--battles` battles, without and with 5 % random actions; 0 leaves that out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit

from marl_runtime.environment import episode_seeds
from marl_runtime.tasks import find_task, task_names

TASKS = ("bane_vs_hM", "1o_2r_vs_4r", "2o_20b_vs_2r", "27m_vs_30m")
BATTLES = (1, 32, 256)
TRIES = 5
AIM = {("bane_vs_hM", 256): 1_000_000, ("2o_20b_vs_2r", 256): 100_000, ("27m_vs_30m", 256): 30_000}


@njit
def sample(avail: np.ndarray, stream: np.ndarray, actions: np.ndarray) -> None:
    """Fill `actions` `[E, N]` with a random available action each, from the xorshift state `stream` `[1]`."""
    for e in range(avail.shape[0]):
        for i in range(avail.shape[1]):
            bits = stream[0]
            bits ^= bits << np.uint64(13)
            bits ^= bits >> np.uint64(7)
            bits ^= bits << np.uint64(17)
            stream[0] = bits
            left = np.int64((bits >> np.uint64(33)) % np.uint64(avail[e, i].sum()))
            for action in range(avail.shape[2]):
                if avail[e, i, action]:
                    if left == 0:
                        actions[e, i] = action
                        break
                    left -= 1


def measure(task_name: str, battles: int, steps: int, seed: int) -> dict[str, Any]:
    environment = find_task(task_name).make(battles)
    stream = np.array([seed * 2 + 88_172_645_463_325_253], dtype=np.uint64)
    actions = np.zeros(environment.alive.shape, dtype=np.int64)
    over = np.ones(battles, dtype=bool)
    episodes = 0
    begun = time.perf_counter()
    for step in range(steps + 10):
        if step == 10:
            compiled, start = time.perf_counter() - begun, time.process_time()
        if over.any():
            environment.reset(over, episode_seeds(seed, step * battles, battles))
        sample(environment.avail_actions, stream, actions)
        result = environment.step(actions)
        over = result.terminated | result.truncated
        episodes += int(over.sum())
    seconds = time.process_time() - start
    return {
        "task": task_name,
        "battles": battles,
        "steps_per_cpu_second": round(steps * battles / seconds),
        "episodes": episodes,
        "first_steps_seconds": round(compiled, 2),
    }


def win_rate(task_name: str, script: str, battles: int, seed: int, epsilon: float) -> float:
    task = find_task(task_name)
    environment, policy, rng = task.make(battles), task.scripted[script](), np.random.default_rng(seed)
    everyone = np.ones(battles, dtype=bool)
    environment.reset(everyone, episode_seeds(seed, 0, battles))
    policy.reset(environment, everyone)
    won = np.zeros(battles, dtype=bool)
    for _ in range(environment.schema.episode_limit):
        actions = policy.act(environment)
        avail = environment.avail_actions
        explored = (avail * rng.random(avail.shape, dtype=np.float32)).argmax(axis=-1)
        won |= environment.step(np.where(rng.random(actions.shape) < epsilon, explored, actions)).success
    return float(won.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [task for task in TASKS if task in task_names()]
    parser.add_argument("--tasks", nargs="+", default=known, metavar="NAME", help="any maps of the simulator")
    parser.add_argument("--steps", type=int, default=500, help="steps of all battles together, per try")
    parser.add_argument("--battles", type=int, default=20_000, help="battles of each policy written by hand")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder for simulator.json")
    options = parser.parse_args()
    rows = []
    for task in options.tasks:
        for battles in BATTLES:
            tries = [
                measure(task, battles, options.steps * (10 if battles == 1 else 1), options.seed) for _ in range(TRIES)
            ]
            row = max(tries, key=lambda one: one["steps_per_cpu_second"])
            row["first_steps_seconds"] = tries[0]["first_steps_seconds"]
            aim = AIM.get((task, battles))
            print(
                f"{task:12} {battles:4} battles  {row['steps_per_cpu_second']:>10,} environment steps per CPU second"
                + (f"   aim {aim:,}" if aim else "")
            )
            rows.append(row)
    policies = []
    for task in options.tasks if options.battles else ():
        for script in find_task(task).scripted:
            rates = [win_rate(task, script, options.battles, options.seed, epsilon) for epsilon in (0.0, 0.05)]
            print(f"{task:12} {script:8} wins {rates[0]:.1%}, with 5 % random actions {rates[1]:.1%}")
            policies.append({"task": task, "policy": script, "won": rates[0], "won_at_epsilon_0.05": rates[1]})
    if options.out:
        report = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "seed": options.seed,
            "steps": options.steps,
            "versions": {"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__},
            "machine": f"{platform.machine()}, one thread",
            "load_average": round(os.getloadavg()[0], 2),
            "battles": options.battles,
            "rows": rows,
            "policies": policies,
        }
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / "simulator.json"
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
