"""Where a training run is: its parts, and the counters that a checkpoint holds beside them."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from buffers.replay import ReplayBuffer
from marl_runtime.assembly import build_learner, find_device, load_protocol, method_inputs, spoken_by
from marl_runtime.checkpoints import Checkpoints, read_start, set_torch_generators, torch_generators
from marl_runtime.metrics import Window
from marl_runtime.rollout import NetworkActor, Rollout
from marl_runtime.run_folder import RunFolder
from marl_runtime.seeding import generator, stream_seed
from marl_runtime.tasks import find_task
from marl_runtime.training_config import TrainConfig
from marl_runtime.workers import make_environment

__all__ = ["Clock", "Counters", "Run"]


@dataclass
class Counters:
    """Where a run is; all of it is in the checkpoint."""

    steps: int = 0
    episodes: int = 0
    updates: int = 0
    credit: float = 0  # steps, or shares of an update, that were played for and not made yet
    evaluations: int = 0
    next_log: int = 0
    next_evaluation: int = 0
    next_checkpoint: int = 0
    complete: bool = False
    rows: int = 0  # of the log, when the checkpoint was written
    best_step: int = -1  # of the best evaluation so far, by success and then by return; -1 before the first
    best_success: float = 0.0
    best_return: float = 0.0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0


class Run:
    """The parts of a run, at its newest checkpoint."""

    def __init__(self, folder: RunFolder, config: TrainConfig) -> None:
        torch.set_num_threads(1)
        self.folder = folder.path
        self.config = config
        self.task = find_task(config.task)
        schema = self.task.schema
        self.device = find_device(config.device)
        self.protocol = load_protocol(config.method, folder.protocol, schema, trust=config.trust)
        inputs = method_inputs(schema, self.protocol, config.network.state_fields)
        torch.manual_seed(stream_seed(config.seed, "torch"))
        self.learner = build_learner(
            config.method,
            config.mixer,
            inputs,
            network=config.network,
            learner=config.learner,
            device=self.device,
            seed=stream_seed(config.seed, "weights"),
        )
        self.sampling = generator(config.seed, "sampling")
        spoken = spoken_by(self.learner.method, self.protocol)
        self.rollout = Rollout(make_environment(config.task, config.envs, config.workers), spoken, config.channel)
        self.testing = Rollout(
            make_environment(config.task, min(config.envs, config.eval_episodes), config.workers, testing=True),
            spoken,
            config.channel,
        )
        self.actor = NetworkActor(self.learner.method, self.device)
        self.counters = Counters(next_log=config.log_every, next_checkpoint=config.checkpoint_every)
        self.checkpoints = Checkpoints(folder.path)
        self.window = Window()
        # for the progress line: the newest update's metrics, the newest evaluation's success
        self.newest: dict[str, float] = {}
        self.tested: float | None = None
        checkpoint = self.checkpoints.latest()
        if checkpoint is None:
            if (start := read_start(folder.path)) is not None:
                self.learner.start_from(start)
            self.replay = ReplayBuffer(schema, config.replay_episodes, self.rollout.message_dim)
            return
        tree = checkpoint.tree
        self.learner.load_state_dict(tree["learner"])
        self.counters = Counters(**tree["counters"])
        self.sampling.bit_generator.state = tree["sampling"]
        set_torch_generators(tree["torch"], self.device)
        self.replay = self.checkpoints.replay(checkpoint, schema, config.replay_episodes, self.rollout.message_dim)

    def keep_if_best(self, success: float, mean_return: float) -> None:
        """Keep the policy as it is where no evaluation before had more successes, or as many and no less return."""
        counters = self.counters
        if counters.best_step >= 0 and (success, mean_return) <= (counters.best_success, counters.best_return):
            return
        counters.best_step, counters.best_success, counters.best_return = counters.steps, success, mean_return
        self.checkpoints.save_best(
            counters.steps, {"learner": self.learner.state_dict(), "success": success, "return": mean_return}
        )

    def save(self) -> Path:
        """Write a checkpoint of now."""
        tree: dict[str, Any] = {
            "learner": self.learner.state_dict(),
            "counters": asdict(self.counters),
            "sampling": self.sampling.bit_generator.state,
            "torch": torch_generators(self.device),
        }
        return self.checkpoints.save(self.counters.steps, tree, None if self.counters.complete else self.replay)

    def close(self) -> None:
        """Release the environments."""
        self.rollout.environment.close()
        self.testing.environment.close()


class Clock:
    """Adds the time since it was last read to the counters, so that a resumed run counts on."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> None:
        """Add what passed."""
        wall, cpu = time.perf_counter(), time.process_time()
        self._counters.wall_seconds += wall - self._wall
        self._counters.cpu_seconds += cpu - self._cpu
        self._wall, self._cpu = wall, cpu
