"""Gathering: the data set that a protocol is designed on, from a short QMIX run and the task's scripted policies.

A protocol that was designed on one policy's episodes can fail on another's, so the stages of the run are mixed with
random actions from 5 % to 100 %, and scripted policies play where the task has them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from buffers.dataset import DataSet, DataSetWriter, gathering_hash
from buffers.episodes import EpisodeBatch, Float32Array, episode_bytes
from buffers.memory import format_bytes, require_disk, require_memory
from buffers.progress import Progress, silent
from buffers.replay import ReplayBuffer
from marl_runtime.assembly import build_learner, find_device, method_inputs
from marl_runtime.configuration import to_json
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import MethodConfig
from marl_runtime.rollout import NetworkActor, Rollout, ScriptedActor
from marl_runtime.run_folder import versions
from marl_runtime.seeding import generator, stream_seed
from marl_runtime.spreading import Round, SpreadEnvironment, play_scripted, retried
from marl_runtime.tasks import Task, find_task

__all__ = ["GatherConfig", "gather", "gather_policy", "gathering_size"]


@dataclass(frozen=True)
class GatherConfig:
    """How many episodes, from which seed, and how the QMIX run learns meanwhile.

    `scripted_share` of the episodes are played by the task's scripted policies, in equal parts. Of the QMIX run's
    episodes half follow an epsilon that falls from 1 to 0.05 over the first half of the run; the others draw theirs
    uniformly from [0.05, 1], so that every stage is seen under every epsilon. `stages` only names parts of the run.
    `message_dim` is the message width that the size in memory is computed for. This learner bootstraps at time-outs:
    what counts here is that its episodes differ, waiting for the limit included.
    """

    episodes: int = 5_000
    seed: int = 0
    envs: int = 32
    scripted_share: float = 0.3
    stages: int = 5
    steps_per_update: int = 50
    batch_size: int = 32
    replay_episodes: int = 1_000
    message_dim: int = 64
    mixer: str = "qmix"
    learner: LearnerConfig = field(default_factory=partial(LearnerConfig, timeout_is_terminal=False))
    network: MethodConfig = field(default_factory=MethodConfig)

    def __post_init__(self) -> None:
        for name in ("episodes", "envs", "stages", "steps_per_update", "batch_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is below 1")
        if not 0 <= self.scripted_share < 1:
            raise ValueError(f"scripted_share {self.scripted_share} is not in [0, 1)")
        if self.seed < 0:
            raise ValueError(f"seed {self.seed} is below 0")
        if max(self.envs, self.batch_size) > self.replay_episodes:
            raise ValueError(
                f"replay_episodes {self.replay_episodes} holds less than a round of {self.envs} or a batch of "
                f"{self.batch_size} episodes"
            )


def gathering_size(task: Task, config: GatherConfig) -> int:
    """Return the bytes that the episodes take in memory, messages of `config.message_dim` numbers included."""
    return episode_bytes(task.schema, config.message_dim) * config.episodes


def gather(
    task_name: str, config: GatherConfig, root: Path = Path("data"), progress: Progress = silent, workers: int = 1
) -> DataSet:
    """Return the data set of `config`: found under `root` (its `found` says so, and `progress` is told), or gathered.

    Above 80 % of free memory, or without disk space, it is refused with `ResourceError` before anything is played.
    `workers` processes play, and what they play is the same whatever their number; see `marl_runtime.spreading`.
    Ctrl-C keeps the episodes so far as a data set of their own and raises KeyboardInterrupt saying where.
    """
    task = find_task(task_name)
    known = _identity(config)
    found = DataSet.find(root, gathering_hash(task.schema, known), task.schema)
    if found is not None:
        progress(config.episodes, config.episodes, f"found {found.path}, gathered before with the same settings")
        return found
    needed = require_memory(episode_bytes(task.schema, config.message_dim), config.episodes, "a data set")
    require_disk(episode_bytes(task.schema) * config.episodes, root, "the data set")
    progress(0, config.episodes, f"{format_bytes(needed)} in memory, messages of {config.message_dim} numbers included")
    torch.set_num_threads(1)
    names = [*(f"qmix-stage-{k + 1}" for k in range(config.stages)), *(f"scripted-{name}" for name in task.scripted)]
    extra = {"versions": versions(), "bytes_in_memory": needed}
    with DataSetWriter(root, task.schema, names, config=known, seed=config.seed, extra=extra) as writer:
        try:
            _gather_scripted(task, config, writer, progress, workers)
            _gather_qmix(task, config, writer, progress, workers)
        except KeyboardInterrupt:
            if not writer.n_episodes:
                raise
            kept = writer.finish(interrupted=True)
            raise KeyboardInterrupt(
                f"stopped after {kept.n_episodes:,} of {config.episodes:,} episodes; they are kept in {kept.path}"
            ) from None
        return writer.finish()


def _identity(config: GatherConfig) -> dict[str, Any]:
    """Return what decides which episodes are gathered; the size check's message width does not."""
    known = to_json(config)
    del known["message_dim"]
    return known


def _gather_scripted(task: Task, config: GatherConfig, writer: DataSetWriter, progress: Progress, workers: int) -> None:
    """Let every scripted policy play its part, each episode with its own epsilon up to 0.5."""
    if not task.scripted:
        return
    total = int(config.episodes * config.scripted_share)
    rng = generator(config.seed, "gathering epsilon, scripted")
    for index, name in enumerate(task.scripted):
        todo = total * (index + 1) // len(task.scripted) - total * index // len(task.scripted)
        seed = stream_seed(config.seed, f"gathering {name}")
        rounds = []
        for first in range(0, todo, config.envs):
            count = min(config.envs, todo - first)
            # one in four plays exactly as it was written
            epsilon = (rng.uniform(0, 0.5, count) * (rng.random(count) >= 0.25)).astype(np.float32)
            rounds.append(Round(seed, first, epsilon))
        for played, batch in zip(rounds, _scripted_rounds(task, name, config.envs, rounds, workers), strict=True):
            writer.add(batch, np.full(batch.n_episodes, config.stages + index), played.epsilon)
            progress(writer.n_episodes, config.episodes, f"scripted policy {name}")


def _scripted_rounds(task: Task, policy: str, envs: int, rounds: list[Round], workers: int) -> Iterator[EpisodeBatch]:
    """Yield the rounds of a scripted policy, in this process or in several."""
    if workers > 1:
        yield from play_scripted(task.name, policy, envs, rounds, workers, _warn_of_death)
        return
    rollout, actor = Rollout(task.make(envs)), ScriptedActor(task.scripted[policy]())
    try:
        for played in rounds:
            yield rollout.play(actor, played.root_seed, played.first_episode, len(played.epsilon), played.epsilon)
    finally:
        rollout.environment.close()


def _warn_of_death(reason: str) -> None:
    warnings.warn(f"{reason}: its round is played again", RuntimeWarning, stacklevel=2)


def _gather_qmix(task: Task, config: GatherConfig, writer: DataSetWriter, progress: Progress, workers: int) -> None:
    """Train QMIX on the episodes that it plays, and write every one."""
    device = find_device("cpu")
    learner = build_learner(
        "qmix",
        config.mixer,
        method_inputs(task.schema, None),
        network=config.network,
        learner=config.learner,
        device=device,
        seed=stream_seed(config.seed, "gathering weights"),
    )
    environment = SpreadEnvironment(task.name, config.envs, workers) if workers > 1 else task.make(config.envs)
    rollout = Rollout(environment)
    replay = ReplayBuffer(task.schema, config.replay_episodes)
    actor = NetworkActor(learner.method, device)
    sampling = generator(config.seed, "gathering sampling")
    exploring = generator(config.seed, "gathering epsilon, qmix")
    seed = stream_seed(config.seed, "gathering qmix")
    todo, credit = config.episodes - writer.n_episodes, 0
    for first in range(0, todo, config.envs):
        count = min(config.envs, todo - first)
        epsilon = _mixed_epsilon(exploring, count, first / todo)
        batch = retried(partial(rollout.play, actor, seed, first, count, epsilon), environment, _warn_of_death)
        stage = (np.arange(first, first + count) * config.stages) // todo
        writer.add(batch, stage, epsilon)
        replay.add(batch)
        credit += int(batch.lengths.sum())
        if len(replay) < config.batch_size:
            credit = 0
        while credit >= config.steps_per_update:
            credit -= config.steps_per_update
            learner.update(replay.sample(sampling, config.batch_size))
        progress(writer.n_episodes, config.episodes, f"QMIX, {learner.updates:,} updates")
    rollout.environment.close()


def _mixed_epsilon(rng: np.random.Generator, count: int, done: float) -> Float32Array:
    """Return epsilon `[count]`: half on the falling schedule at share `done` of the run, half uniform in [0.05, 1]."""
    schedule = max(0.05, 1 - 0.95 * done / 0.5)
    epsilon = rng.uniform(0.05, 1.0, count)
    epsilon[::2] = schedule
    return epsilon.astype(np.float32)


def gather_policy(run: Path, episodes: int, root: Path = Path("data"), progress: Progress = silent) -> DataSet:
    """Return a data set of a trained run's own episodes, greedy and with 5 % random actions in turn."""
    from marl_runtime.evaluation import load_actor

    torch.set_num_threads(1)
    trained, actor, protocol, steps = load_actor(run)
    task = find_task(trained.task)
    known = {"run": run.name, "steps": steps, "episodes": episodes}
    found = DataSet.find(root, gathering_hash(task.schema, known), task.schema)
    if found is not None:
        return found
    rollout = Rollout(task.make(trained.envs), protocol)
    names = [f"{trained.method}-greedy", f"{trained.method}-epsilon-0.05"]
    seed = stream_seed(trained.seed, "scoring episodes")
    with DataSetWriter(root, task.schema, names, config=known, seed=trained.seed) as writer:
        for first in range(0, episodes, trained.envs):
            count = min(trained.envs, episodes - first)
            noisy = np.arange(count) % 2
            epsilon = (0.05 * noisy).astype(np.float32)
            batch = replace(rollout.play(actor, seed, first, count, epsilon), messages=None)
            writer.add(batch, noisy, epsilon)
            progress(writer.n_episodes, episodes, f"playing {run.name}")
        rollout.environment.close()
        return writer.finish()
