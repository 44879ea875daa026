"""Time of a learner's update and of an acting step, and what whole-sequence recurrences gain over GRUCell loops.

    python benchmarks/learner.py [--rounds 15] [--seed 0] [--out docs/results]

The variants of one comparison take their updates in turn, from the same weights on the same batch, and CPU time is
counted, so that a busy machine slows all of them alike. A speed-up is the median over rounds of the ratio to the first
variant within a round.
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

import numpy as np
import torch
from torch import Tensor, nn

from buffers.episodes import EpisodeBatch
from buffers.schema import Field, TaskSchema
from marl_runtime.learner import Learner, LearnerConfig
from marl_runtime.methods import MethodConfig, MethodInputs, build_method
from marl_runtime.networks import Recurrence, UtilityNetwork, build_mixer
from marl_runtime.run_folder import versions

N_AGENTS, OBS_DIM, STATE_DIM, N_ACTIONS, MESSAGE_DIM, N_STEPS = 3, 40, 40, 10, 16, 50
SCHEMA = TaskSchema(
    name="benchmark",
    summary="random numbers of the size of a small battle",
    roles=("unit",) * N_AGENTS,
    obs_fields=tuple(Field(f"own.o{i}", "a number") for i in range(OBS_DIM)),
    state_fields=tuple(Field(f"world.s{i}", "a number") for i in range(STATE_DIM)),
    action_names=tuple(f"action_{i}" for i in range(N_ACTIONS)),
    episode_limit=N_STEPS,
)
AIMS = {32: 1.6, 8: 2.5}


def random_episodes(rng: np.random.Generator, n_episodes: int) -> EpisodeBatch:
    """Full-length episodes of random numbers: no padding, so that B times T steps are computed."""
    b, t = n_episodes, N_STEPS
    ended = np.zeros((b, t), dtype=bool)
    ended[:, -1] = True
    return EpisodeBatch(
        obs=rng.random((b, t + 1, N_AGENTS, OBS_DIM), dtype=np.float32),
        state=rng.random((b, t + 1, STATE_DIM), dtype=np.float32),
        actions=rng.integers(N_ACTIONS, size=(b, t, N_AGENTS)),
        avail_actions=np.ones((b, t + 1, N_AGENTS, N_ACTIONS), dtype=bool),
        alive=np.ones((b, t + 1, N_AGENTS), dtype=bool),
        rewards=rng.random((b, t), dtype=np.float32),
        terminated=ended,
        truncated=np.zeros_like(ended),
        filled=np.ones_like(ended),
        success=np.zeros(b, dtype=bool),
        messages=rng.random((b, t + 1, N_AGENTS, MESSAGE_DIM), dtype=np.float32),
    )


def make_learner(name: str, seed: int, encoder_loop: Any = "published") -> Learner:
    config = MethodConfig(encoder_loop=encoder_loop)
    method = build_method(name, MethodInputs.for_schema(SCHEMA, MESSAGE_DIM), config)
    return Learner(method, build_mixer("qmix", SCHEMA), LearnerConfig(), seed=seed)


def with_loops(learner: Learner, *, as_peers: bool = False) -> Learner:
    """Run the networks of `learner` step by step through `nn.GRUCell`, the target networks too.

    `as_peers` adds what PyMARL and its kin do besides: the inputs are put together at each step, and the target
    network's graph is recorded although nothing is derived from it.
    """
    for method in (learner.method, learner._target_method):
        for part in list(method.modules()):
            if isinstance(part, UtilityNetwork):
                part.unroll = functools.partial(unroll_utility, part, gru_cell(part.memory), as_peers)
            elif isinstance(part, Recurrence):
                part.unroll = functools.partial(unroll_recurrence, part, gru_cell(part))
    if as_peers:
        for target in (learner._target_method, learner._target_mixer):
            target.requires_grad_(True)
        recorded = functools.partial(Learner.td_target.__wrapped__, learner)
        learner.td_target = lambda *inputs: recorded(*inputs).detach()
    return learner


def gru_cell(recurrence: Recurrence) -> nn.GRUCell:
    """A `nn.GRUCell` that shares the weights of `recurrence`."""
    cell = nn.GRUCell(recurrence.gru.hidden_size, recurrence.gru.hidden_size)
    cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh = recurrence.gru.all_weights[0]
    return cell


def unroll_utility(utility: UtilityNetwork, cell: nn.GRUCell, split_inputs: bool, known: Tensor) -> Tensor:
    h = known.new_zeros(known.shape[1], utility.hidden_dim)
    outputs = []
    for step in known:
        inputs = torch.cat(step.split([OBS_DIM, N_ACTIONS, N_AGENTS], dim=1), dim=1) if split_inputs else step
        h = cell(torch.relu(utility.embed(inputs)), h)
        outputs.append(utility.head(h))
    return torch.stack(outputs)


def unroll_recurrence(recurrence: Recurrence, cell: nn.GRUCell, x: Tensor) -> Tensor:
    h = torch.zeros_like(x[0])
    outputs = []
    for x_t in x:
        g = cell(x_t, h)
        outputs.append(g if recurrence.residual == "none" else g + x_t)
        h = outputs[-1] if recurrence.residual == "carried" else g
    return torch.stack(outputs)


def time_in_turn(variants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """CPU milliseconds of each variant in each round, after two rounds that do not count."""
    times: dict[str, list[float]] = {name: [] for name in variants}
    for round_index in range(rounds + 2):
        for name, run in variants.items():
            start = time.process_time()
            run()
            if round_index >= 2:
                times[name].append(1e3 * (time.process_time() - start))
    return times


def compare_updates(
    method: str, make: dict[str, Callable[[], Learner]], n_episodes: int, seed: int, rounds: int
) -> list[dict[str, Any]]:
    """One row per variant: CPU time of an update, the first update's loss, the speed-up over the first variant."""
    batch = random_episodes(np.random.default_rng(seed), n_episodes)
    learners = {name: build() for name, build in make.items()}
    losses = {}
    for name, learner in learners.items():
        torch.manual_seed(seed)  # the same dropout for all
        losses[name] = learner.update(batch)["loss"]
    times = time_in_turn({name: functools.partial(one.update, batch) for name, one in learners.items()}, rounds)
    first = times[next(iter(times))]
    return [
        {
            "method": method,
            "batch": n_episodes,
            "variant": name,
            "ms_median": round(statistics.median(own), 2),
            "ms_min": round(min(own), 2),
            "speed_up": round(statistics.median(a / b for a, b in zip(first, own, strict=True)), 2),
            "first_loss": losses[name],
        }
        for name, own in times.items()
    ]


def time_acting(name: str, n_envs: int, seed: int, rounds: int) -> dict[str, Any]:
    """CPU microseconds per environment step of valuing all agents' actions, the environment itself left out."""
    method = make_learner(name, seed).method
    rng = np.random.default_rng(seed)
    rows = n_envs * N_AGENTS
    extended, messages, state = (
        torch.from_numpy(rng.random((rows, width), dtype=np.float32))
        for width in (SCHEMA.extended_dim, MESSAGE_DIM, STATE_DIM)
    )
    carry = method.initial_state(rows)

    def act() -> None:
        for _ in range(10):
            method.step(extended, messages, state, carry)

    times = time_in_turn({name: act}, rounds)[name]
    return {"method": name, "envs": n_envs, "us_per_env_step": round(100 * statistics.median(times) / n_envs, 2)}


def print_tables(updates: list[dict[str, Any]], acting: list[dict[str, Any]]) -> None:
    print(f"update of B episodes x {N_STEPS} steps x {N_AGENTS} agents, CPU ms on one thread")
    print(f"{'method':8}{'B':>4}  {'variant':28}{'median':>8}{'least':>8}{'speed-up':>10}{'first loss':>12}")
    for row in updates:
        print(
            f"{row['method']:8}{row['batch']:4}  {row['variant']:28}{row['ms_median']:8.1f}{row['ms_min']:8.1f}"
            f"{row['speed_up']:10.2f}{row['first_loss']:12.6f}"
        )
    print(f"aims for qmix, whole sequence: {', '.join(f'{aim} at B {b}' for b, aim in AIMS.items())}")
    print("\nacting, CPU µs per environment step")
    for row in acting:
        print(f"{row['method']:8}{row['envs']:4} environments {row['us_per_env_step']:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="updates per variant that are timed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a folder for learner.json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    seed = options.seed

    comparisons: dict[str, dict[str, Callable[[], Learner]]] = {
        "qmix": {
            "GRUCell loop as in PyMARL": lambda: with_loops(make_learner("qmix", seed), as_peers=True),
            "GRUCell loop": lambda: with_loops(make_learner("qmix", seed)),
            "whole sequence": lambda: make_learner("qmix", seed),
        },
        "lmac": {
            "published, GRUCell loop": lambda: with_loops(make_learner("lmac", seed)),
            "published, whole sequence": lambda: make_learner("lmac", seed),
            "fused, whole sequence": lambda: make_learner("lmac", seed, "fused"),
        },
    }
    updates = [
        row
        for method, variants in comparisons.items()
        for n_episodes in AIMS
        for row in compare_updates(method, variants, n_episodes, seed, options.rounds)
    ]
    acting = [
        time_acting(name, n_envs, seed, options.rounds)
        for name in ("qmix", "direct", "lmac")
        for n_envs in (1, 8, 32, 64, 256)
    ]
    print_tables(updates, acting)
    if options.out:
        sizes = {"T": N_STEPS, "N": N_AGENTS, "O": OBS_DIM, "S": STATE_DIM, "A": N_ACTIONS, "M": MESSAGE_DIM}
        record = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": versions(),
            "cpu": torch.backends.cpu.get_cpu_capability(),
            "seed": seed,
            "rounds": options.rounds,
            "sizes": sizes,
            "updates": updates,
            "acting": acting,
        }
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "learner.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
