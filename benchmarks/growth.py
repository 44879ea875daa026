"""How the cost of learning and acting grows with agents, episode length, and environments in step.

    python benchmarks/growth.py [--rounds 9] [--seed 0] [--out docs/results]

Updates are of B 32 whole episodes of random numbers, of the widths that a battle of N against N has: 5 numbers of
every other unit and 6 of its own and the moves in an observation, 5 of every unit in the state. Acting is a rollout on
`bane_vs_hM` with a fresh network, simulator included. The sizes take turns, so that a busy machine slows all alike, and
CPU time is counted. Of each size the median over rounds; the exponent b of cost = a · size^b is fitted to their
logarithms by least squares.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch

from buffers.episodes import EpisodeBatch
from buffers.schema import Field, TaskSchema
from marl_runtime.learner import Learner, LearnerConfig
from marl_runtime.methods import MethodConfig, MethodInputs, build_method
from marl_runtime.networks import build_mixer
from marl_runtime.rollout import NetworkActor, Rollout
from marl_runtime.run_folder import versions
from marl_runtime.tasks import find_task

METHODS = ("qmix", "lmac")
AGENTS, LENGTHS, ENVIRONMENTS = (3, 5, 8, 11, 16, 22), (25, 50, 100, 200), (1, 4, 16, 64, 256)
BATCH, MESSAGE_DIM, SOME_AGENTS, SOME_STEPS = 32, 16, 3, 50
AXES = {
    "agents": "agents N",
    "length": "steps T of an episode",
    "environments": "environments E in step",
}
COLOURS = {"qmix": "#0072B2", "lmac": "#D55E00"}


def schema_of(n_agents: int, n_steps: int) -> TaskSchema:
    others = 2 * n_agents - 1
    return TaskSchema(
        name="growth",
        summary="random numbers of the size of a battle",
        roles=("unit",) * n_agents,
        obs_fields=tuple(Field(f"own.o{i}", "a number") for i in range(6 + 5 * others)),
        state_fields=tuple(Field(f"world.s{i}", "a number") for i in range(10 * n_agents)),
        action_names=tuple(f"action_{i}" for i in range(6 + n_agents)),
        episode_limit=n_steps,
    )


def episodes_of(schema: TaskSchema, rng: np.random.Generator) -> EpisodeBatch:
    """Full-length episodes: no padding, so that B times T steps are computed."""
    b, t, n, a = BATCH, schema.episode_limit, schema.n_agents, schema.n_actions
    ended = np.zeros((b, t), dtype=bool)
    ended[:, -1] = True
    return EpisodeBatch(
        obs=rng.random((b, t + 1, n, schema.obs_dim), dtype=np.float32),
        state=rng.random((b, t + 1, schema.state_dim), dtype=np.float32),
        actions=rng.integers(a, size=(b, t, n)),
        avail_actions=np.ones((b, t + 1, n, a), dtype=bool),
        alive=np.ones((b, t + 1, n), dtype=bool),
        rewards=rng.random((b, t), dtype=np.float32),
        terminated=ended,
        truncated=np.zeros_like(ended),
        filled=np.ones_like(ended),
        success=np.zeros(b, dtype=bool),
        messages=rng.random((b, t + 1, n, MESSAGE_DIM), dtype=np.float32),
    )


def an_update(method: str, n_agents: int, n_steps: int, seed: int) -> Callable[[], Any]:
    schema = schema_of(n_agents, n_steps)
    built = build_method(method, MethodInputs.for_schema(schema, MESSAGE_DIM), MethodConfig())
    learner = Learner(built, build_mixer("qmix", schema), LearnerConfig(), seed=seed)
    return functools.partial(learner.update, episodes_of(schema, np.random.default_rng(seed)))


def a_round(n_envs: int, seed: int) -> Callable[[], Any]:
    """A round of E episodes; divide by E for the cost of one."""
    task = find_task("bane_vs_hM")
    torch.manual_seed(seed)
    actor = NetworkActor(build_method("qmix", MethodInputs.for_schema(task.schema), MethodConfig()))
    rollout = Rollout(task.environment(n_envs))
    return lambda: rollout.play(actor, seed, 0, n_envs, 1.0)


def in_turn(works: dict[int, Callable[[], Any]], rounds: int) -> dict[int, float]:
    """Median CPU milliseconds of each, one round that does not count before."""
    times: dict[int, list[float]] = {size: [] for size in works}
    for number in range(rounds + 1):
        for size, work in works.items():
            start = time.process_time()
            work()
            if number:
                times[size].append(1e3 * (time.process_time() - start))
    return {size: statistics.median(own) for size, own in times.items()}


def exponent(costs: dict[int, float]) -> float:
    sizes, values = np.log(list(costs)), np.log(list(costs.values()))
    return float(np.polyfit(sizes, values, 1)[0])


def measure(rounds: int, seed: int) -> dict[str, dict[str, Any]]:
    """By axis and method: CPU milliseconds by size, and the exponent fitted to them."""
    found: dict[str, dict[str, Any]] = {}
    for method in METHODS:
        works = {n: an_update(method, n, SOME_STEPS, seed) for n in AGENTS}
        found.setdefault("agents", {})[method] = in_turn(works, rounds)
        works = {t: an_update(method, SOME_AGENTS, t, seed) for t in LENGTHS}
        found.setdefault("length", {})[method] = in_turn(works, rounds)
    played = in_turn({e: a_round(e, seed) for e in ENVIRONMENTS}, 3 * rounds)
    found["environments"] = {"qmix": played}
    return {
        axis: {method: {"ms": costs, "exponent": round(exponent(costs), 3)} for method, costs in lines.items()}
        for axis, lines in found.items()
    }


def draw(results: dict[str, dict[str, Any]], path: Path) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for ax, (axis, lines) in zip(axes, results.items(), strict=True):
        for method, line in lines.items():
            sizes = [int(size) for size in line["ms"]]
            costs = list(line["ms"].values())
            b = line["exponent"]
            a = np.exp(np.mean(np.log(costs)) - b * np.mean(np.log(sizes)))
            ax.plot(sizes, costs, "o", color=COLOURS[method], label=f"{method}, exponent {b:.2f}")
            ax.plot(sizes, a * np.power(sizes, b), "-", color=COLOURS[method], linewidth=1)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        ax.set_xlabel(AXES[axis])
        what = "a round of E episodes" if axis == "environments" else "an update of 32 episodes"
        ax.set_ylabel(f"CPU ms for {what}")
        ax.legend(frameon=False)
        ax.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    results = measure(options.rounds, options.seed)
    for axis, lines in results.items():
        for method, line in lines.items():
            costs = ", ".join(f"{size}: {ms:.1f}" for size, ms in line["ms"].items())
            print(f"{AXES[axis]:26}{method:6} exponent {line['exponent']:.2f}   CPU ms {costs}")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        record = {
            "benchmark": "growth",
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "seed": options.seed,
            "rounds": options.rounds,
            "versions": versions(),
            "results": results,
        }
        (options.out / "growth.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        draw(results, options.out / "growth.png")


if __name__ == "__main__":
    main()
