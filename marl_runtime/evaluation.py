"""Greedy episodes, one row each; they never enter a replay buffer or a step count."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from buffers.episodes import EpisodeBatch
from buffers.errors import UnknownNameError, UsageError
from marl_runtime.assembly import build_learner, find_device, load_protocol, method_inputs, spoken_by
from marl_runtime.calibration import Calibration, calibrate
from marl_runtime.channel import Channel
from marl_runtime.checkpoints import Checkpoint, Checkpoints
from marl_runtime.configuration import from_json
from marl_runtime.environment import VectorEnvironment, episode_seeds
from marl_runtime.rollout import Actor, MessageSource, NetworkActor, Rollout, ScriptedActor
from marl_runtime.run_folder import RunFolder
from marl_runtime.seeding import stream_seed
from marl_runtime.statistics import Estimate, mean_over_episodes, wilson
from marl_runtime.tasks import find_task
from marl_runtime.training_config import TrainConfig
from marl_runtime.workers import WorkerSettings, make_environment

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["EvalConfig", "Evaluation", "Which", "evaluate", "evaluate_scripted", "load_actor", "stored_policy"]

Which = Literal["last", "best"]


@dataclass(frozen=True)
class EvalConfig:
    """How many greedy episodes, from which seed, with which policy of the run, and what happens to messages on the way.

    The "best" policy is that of the best evaluation in training: more successes, then more return. Evaluations there
    and here draw their episodes from streams of their own, so the choice does not flatter what is measured here.
    """

    episodes: int = 200
    seed: int = 0
    envs: int = 32
    message_loss: float = 0.0
    message_noise: float = 0.0
    message_delay: int = 0
    silent: tuple[int, ...] = ()
    workers: WorkerSettings = field(default_factory=WorkerSettings)
    checkpoint: Which = "last"

    def __post_init__(self) -> None:
        if self.checkpoint not in ("last", "best"):
            raise ValueError(f"checkpoint {self.checkpoint!r} is neither 'last' nor 'best'")
        if self.episodes < 1 or self.envs < 1:
            raise ValueError(f"{self.episodes} episodes in {self.envs} environments: both must be at least 1")
        if self.seed < 0:
            raise ValueError(f"seed {self.seed} is below 0")
        self.channel  # noqa: B018 - checks its own values

    @property
    def channel(self) -> Channel:
        """What messages suffer."""
        return Channel(self.message_loss, self.message_noise, self.message_delay, self.silent)


@dataclass(frozen=True)
class Evaluation:
    """Per-episode rows (episode, seed, success, return, length, truncated), and what they come to."""

    subject: str
    steps: int
    rows: pd.DataFrame
    success: Estimate  # Wilson interval
    returns: Estimate
    calibration: Calibration | None = None  # of methods whose agents say how sure they are
    channel: Channel = field(default_factory=Channel)  # what messages suffered

    def to_json(self) -> dict[str, Any]:
        """Return the figures and the rows as plain JSON values."""
        return {
            "subject": self.subject,
            "steps": self.steps,
            "episodes": len(self.rows),
            "channel": asdict(self.channel),
            "success": vars(self.success),
            "return": vars(self.returns),
            **({} if self.calibration is None else {"calibration": self.calibration.to_json()}),
            "rows": self.rows.to_dict(orient="records"),
        }


def load_actor(
    run: Path, device: str | None = None, which: Which = "last"
) -> tuple[TrainConfig, NetworkActor, MessageSource | None, int]:
    """Return a run's configuration, its policy at the newest whole checkpoint or the best one, its protocol, its step.

    A run without a checkpoint raises `UsageError`.
    """
    folder = RunFolder.open(run)
    config = from_json(TrainConfig, folder.read_json("config.json"), folder.path / "config.json")
    schema = find_task(config.task).schema
    checkpoint = stored_policy(run, which)
    protocol = load_protocol(config.method, folder.protocol, schema, trust=config.trust)
    where = find_device(device or config.device)
    learner = build_learner(
        config.method,
        config.mixer,
        method_inputs(schema, protocol, config.network.state_fields),
        network=config.network,
        learner=config.learner,
        device=where,
        seed=config.seed,
    )
    learner.load_state_dict(checkpoint.tree["learner"])
    return config, NetworkActor(learner.method, where), spoken_by(learner.method, protocol), checkpoint.steps


def stored_policy(run: Path, which: Which) -> Checkpoint:
    """Return a run's newest whole checkpoint or its best one; where there is none it raises `UsageError`."""
    checkpoints = Checkpoints(run)
    if which == "best":
        checkpoint = checkpoints.best()
        if checkpoint is None:
            raise UsageError(f"{run} has no best checkpoint: it has not been evaluated yet; leave --checkpoint out")
    else:
        checkpoint = checkpoints.latest(with_replay=False)
        if checkpoint is None:
            raise UsageError(f"{run} has no checkpoint yet: train it first with `design-protocol resume {run}`")
    return checkpoint


def evaluate(run: Path, config: EvalConfig) -> Evaluation:
    """Play greedy episodes with a run's policy, on episodes that neither trained nor chose it."""
    torch.set_num_threads(1)
    trained, actor, protocol, steps = load_actor(run, which=config.checkpoint)
    environment = make_environment(trained.task, min(config.envs, config.episodes), config.workers, testing=True)
    return _evaluate(run.name, steps, environment, actor=actor, protocol=protocol, config=config)


def evaluate_scripted(task_name: str, policy: str, config: EvalConfig) -> Evaluation:
    """Play episodes with a scripted policy of a task; an unknown one raises `UnknownNameError`."""
    task = find_task(task_name)
    if policy not in task.scripted:
        raise UnknownNameError(f"scripted policy of task {task_name!r}", policy, task.scripted)
    actor = ScriptedActor(task.scripted[policy]())
    # a script looks into its environment, so it plays in this process
    environment = task.environment(min(config.envs, config.episodes), testing=True)
    return _evaluate(policy, 0, environment, actor=actor, protocol=None, config=config)


def _evaluate(
    subject: str,
    steps: int,
    environment: VectorEnvironment,
    *,
    actor: Actor,
    protocol: MessageSource | None,
    config: EvalConfig,
) -> Evaluation:
    try:
        rollout = Rollout(environment, protocol, config.channel)
        seed = stream_seed(config.seed, "evaluation")
        batch = rollout.play(actor, seed, 0, config.episodes)
    finally:
        environment.close()
    rows = episode_rows(batch, seed)
    return Evaluation(
        subject,
        steps,
        rows,
        wilson(int(batch.success.sum()), batch.n_episodes),
        mean_over_episodes(batch.returns),
        calibrate(actor.method, batch, actor.device) if isinstance(actor, NetworkActor) else None,
        config.channel,
    )


def episode_rows(batch: EpisodeBatch, root_seed: int, first_episode: int = 0) -> pd.DataFrame:
    """Return one row per episode."""
    import pandas as pd

    return pd.DataFrame(
        {
            "episode": np.arange(first_episode, first_episode + batch.n_episodes),
            "seed": episode_seeds(root_seed, first_episode, batch.n_episodes),
            "success": batch.success,
            "return": batch.returns.astype(float),
            "length": batch.lengths,
            "truncated": batch.truncated.any(axis=1),
        }
    )
