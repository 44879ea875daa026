"""What one training run is told."""

from __future__ import annotations

from dataclasses import dataclass, field

from marl_runtime.channel import Channel
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import MethodConfig, find_method
from marl_runtime.networks.mixers import find_mixer
from marl_runtime.tasks import find_task
from marl_runtime.workers import WorkerSettings

__all__ = ["EpsilonSchedule", "TrainConfig"]


@dataclass(frozen=True)
class EpsilonSchedule:
    """The share of random actions, falling in a line from `start` to `end` over the first `steps` environment steps."""

    start: float = 1.0
    end: float = 0.05
    steps: int = 50_000

    def __post_init__(self) -> None:
        if not 0 <= self.end <= self.start <= 1:
            raise ValueError(f"epsilon from {self.start} to {self.end} does not fall within [0, 1]")
        if self.steps < 1:
            raise ValueError(f"epsilon falls over {self.steps} steps, which is below 1")

    def at(self, step: int) -> float:
        """Return epsilon after `step` environment steps."""
        return max(self.end, self.start - (self.start - self.end) * step / self.steps)


@dataclass(frozen=True)
class TrainConfig:
    """One run: a task, a method, a seed, and how long.

    `steps_per_update` environment steps are played for each update of `batch_size` episodes: the update-to-data
    ratio; an `updates_per_episode` above 0 takes its place. `envs` episodes are played per round; updates, evaluations
    and checkpoints fall between rounds. `channel` is what a protocol's messages suffer, in training and in its tests.
    `wandb` is a project of Weights & Biases to show the run in. `started_from` names the networks that a fine-tuned
    run begins with, which lie in its folder. `trust` lets an imported joint protocol, code that
    nobody checked, run in this process.
    """

    task: str
    method: str = "qmix"
    mixer: str = "qmix"
    protocol: str | None = None
    trust: bool = False
    seed: int = 0
    steps: int = 1_000_000
    envs: int = 32
    steps_per_update: int = 200
    updates_per_episode: float = 0.0
    batch_size: int = 32
    replay_episodes: int = 5_000
    epsilon: EpsilonSchedule = field(default_factory=EpsilonSchedule)
    eval_every: int = 20_000
    eval_episodes: int = 96
    log_every: int = 10_000
    checkpoint_every: int = 50_000
    device: str = "cpu"
    network: MethodConfig = field(default_factory=MethodConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    workers: WorkerSettings = field(default_factory=WorkerSettings)
    wandb: str = ""
    channel: Channel = field(default_factory=Channel)
    started_from: str = ""

    def __post_init__(self) -> None:
        find_task(self.task)
        own_mixer = find_method(self.method).mixer
        find_mixer(self.mixer)
        if own_mixer and self.mixer not in ("qmix", own_mixer):
            raise ValueError(
                f"method {self.method!r} has the mixer {own_mixer!r}, not {self.mixer!r}: leave the mixer out, "
                "or take method 'qmix'"
            )
        counts = (
            "steps", "envs", "steps_per_update", "batch_size", "replay_episodes", "eval_every", "eval_episodes",
            "log_every", "checkpoint_every",
        )  # fmt: skip
        for name in counts:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is below 1")
        if self.eval_episodes > 1_000_000:
            raise ValueError(f"eval_episodes {self.eval_episodes} is above 1000000")
        if self.updates_per_episode < 0:
            raise ValueError(f"updates_per_episode {self.updates_per_episode} is below 0")
        if not self.channel.perfect and not find_method(self.method).needs_messages:
            raise ValueError(
                f"method {self.method!r} is given no protocol's messages, so no channel disturbs them in training: "
                "leave channel out, or evaluate the run under message loss"
            )
        if self.seed < 0:
            raise ValueError(f"seed {self.seed} is below 0")
        if self.batch_size > self.replay_episodes:
            raise ValueError(f"batch_size {self.batch_size} is above replay_episodes {self.replay_episodes}")
        if self.envs > self.replay_episodes:
            raise ValueError(f"envs {self.envs} is above replay_episodes {self.replay_episodes}")

    @property
    def run_name(self) -> str:
        """`<task>-<method>-s<seed>`, with the task's own name where it is found by a file's."""
        return f"{find_task(self.task).name}-{self.method}-s{self.seed}"
