"""Training: rounds of whole episodes, updates between them, evaluations and checkpoints where they fall due.

Read `_continue` first.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from buffers.episodes import EpisodeBatch, episode_bytes
from buffers.errors import UsageError
from buffers.memory import require_memory
from buffers.progress import Progress, silent
from buffers.replay import ReplayBuffer
from marl_runtime.assembly import build_learner, find_device, load_protocol, method_inputs, spoken_by
from marl_runtime.boards import require_wandb
from marl_runtime.calibration import calibrate
from marl_runtime.checkpoints import Checkpoints, set_torch_generators, torch_generators
from marl_runtime.configuration import from_json, to_json
from marl_runtime.metrics import MetricsLog, Window
from marl_runtime.rollout import NetworkActor, Rollout
from marl_runtime.run_folder import RunFolder, write_json
from marl_runtime.seeding import generator, stream_seed
from marl_runtime.statistics import wilson
from marl_runtime.tasks import find_task
from marl_runtime.training_config import TrainConfig
from marl_runtime.workers import make_environment

__all__ = ["TrainConfig", "prepare", "resume", "train"]


def train(config: TrainConfig, root: Path = Path("runs"), progress: Progress = silent) -> Path:
    """Train a new run under `root` and return its folder."""
    return resume(prepare(config, root), progress)


def prepare(config: TrainConfig, root: Path = Path("runs")) -> Path:
    """Make the folder of a new run, its protocol checked and copied, and return it without training."""
    task = find_task(config.task)
    find_device(config.device)
    if config.wandb:
        require_wandb()
    protocol = load_protocol(
        config.method, None if config.protocol is None else Path(config.protocol), task.schema, trust=config.trust
    )
    message_dim = 0 if protocol is None else protocol.message_dim
    require_memory(episode_bytes(task.schema, message_dim), config.replay_episodes, "the replay buffer")
    source = None if protocol is None else Path(str(config.protocol))
    return RunFolder.create(root, config.run_name, to_json(config), task.schema, source, task.origin).path


def resume(run: Path, progress: Progress = silent) -> Path:
    """Train the run in folder `run` to its end, from its newest whole checkpoint or from the start, and return it.

    A folder that is no run raises `UsageError`. Ctrl-C ends the round, writes a checkpoint and raises
    KeyboardInterrupt with the command that goes on; a second Ctrl-C does not wait.
    """
    folder = RunFolder.open(run)
    config = from_json(TrainConfig, folder.read_json("config.json"), folder.path / "config.json")
    if folder.finished:
        raise UsageError(f"{run} is complete: it trained all of its {config.steps:,} steps")
    with folder.locked():
        _continue(folder, config, progress)
    return run


@dataclass
class _Counters:
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
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0


class _Run:
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
        self.counters = _Counters(next_log=config.log_every, next_checkpoint=config.checkpoint_every)
        self.checkpoints = Checkpoints(folder.path)
        self.window = Window()
        # for the progress line: the newest update's metrics, the newest evaluation's success
        self.newest: dict[str, float] = {}
        self.tested: float | None = None
        checkpoint = self.checkpoints.latest()
        if checkpoint is None:
            self.replay = ReplayBuffer(schema, config.replay_episodes, self.rollout.message_dim)
            return
        tree = checkpoint.tree
        self.learner.load_state_dict(tree["learner"])
        self.counters = _Counters(**tree["counters"])
        self.sampling.bit_generator.state = tree["sampling"]
        set_torch_generators(tree["torch"], self.device)
        self.replay = self.checkpoints.replay(checkpoint, schema, config.replay_episodes, self.rollout.message_dim)

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


def _continue(folder: RunFolder, config: TrainConfig, progress: Progress) -> None:
    run = _Run(folder, config)
    counters = run.counters
    clock = _Clock(counters)
    log_file = MetricsLog(folder.path, counters.rows, wandb=config.wandb, config=to_json(config))
    with log_file as log, _stop_between_rounds() as stop:
        try:
            while counters.steps < config.steps:
                if counters.steps >= counters.next_evaluation:
                    _evaluate(run, log)
                batch = _play(run)
                _update(run)
                progress(counters.steps, config.steps, _status(batch, run))
                clock.read()
                due = counters.steps >= counters.next_checkpoint
                if due or stop.requested or counters.steps >= counters.next_log:
                    _log(run, log)
                if due or stop.requested:
                    counters.next_checkpoint = _after(counters.steps, config.checkpoint_every)
                    log.sync()
                    counters.rows = log.rows
                    run.save()
                if stop.requested:
                    raise KeyboardInterrupt(
                        f"stopped at step {counters.steps:,} of {config.steps:,}, all of it kept; "
                        f"go on with: design-protocol resume {folder.path}"
                    )
            if not counters.complete:
                _evaluate(run, log)
                clock.read()
                _log(run, log)
                counters.complete = True
                log.sync()
                counters.rows = log.rows
                run.save()
        finally:
            run.close()
    write_json(folder.path / "result.json", asdict(counters))
    run.checkpoints.drop_replay()


def _play(run: _Run) -> EpisodeBatch:
    """Play one round into the replay buffer."""
    config, counters = run.config, run.counters
    epsilon = config.epsilon.at(counters.steps)
    batch = run.rollout.play(run.actor, stream_seed(config.seed, "episodes"), counters.episodes, config.envs, epsilon)
    run.replay.add(batch)
    steps = int(batch.lengths.sum())
    counters.steps += steps
    counters.episodes += batch.n_episodes
    counters.credit += config.updates_per_episode * batch.n_episodes if config.updates_per_episode else steps
    run.window.add(
        {
            "train/success": float(batch.success.mean()),
            "train/return": float(batch.returns.mean()),
            "train/length": float(batch.lengths.mean()),
            "train/epsilon": epsilon,
        },
        weight=batch.n_episodes,
    )
    return batch


def _update(run: _Run) -> None:
    """Make the updates that fall due; before the first full batch none does, and none is owed later."""
    config, counters = run.config, run.counters
    if len(run.replay) < config.batch_size:
        counters.credit = 0
    price = 1 if config.updates_per_episode else config.steps_per_update
    while counters.credit >= price:
        counters.credit -= price
        batch = run.replay.sample(run.sampling, config.batch_size)
        metrics = run.newest = run.learner.update(batch)
        counters.updates += 1
        run.window.add({f"learner/{name}": value for name, value in metrics.items()})
        run.window.add({"update/mean_length": float(batch.lengths.mean()), "update/longest": float(batch.n_steps)})


def _evaluate(run: _Run, log: MetricsLog) -> None:
    """Play greedy episodes that nothing learns from, and log them."""
    config, counters = run.config, run.counters
    batch = run.testing.play(
        run.actor,
        stream_seed(config.seed, "test episodes"),
        counters.evaluations * config.eval_episodes,
        config.eval_episodes,
    )
    calibration = calibrate(run.learner.method, batch, run.device)
    if calibration is not None:
        write_json(run.folder / "calibration.json", {"step": counters.steps, **calibration.to_json()})
    counters.evaluations += 1
    counters.next_evaluation = _after(counters.steps, config.eval_every)
    successes = int(batch.success.sum())
    run.tested = successes / batch.n_episodes
    interval = wilson(successes, batch.n_episodes)
    log.write(
        counters.steps,
        {
            "test/success": interval.value,
            "test/success_low": interval.low,
            "test/success_high": interval.high,
            "test/return": float(batch.returns.mean()),
            "test/length": float(batch.lengths.mean()),
            "test/episodes": float(batch.n_episodes),
            **({} if calibration is None else calibration.metrics()),
        },
    )


def _log(run: _Run, log: MetricsLog) -> None:
    """Log the window since the last row, and begin a new one."""
    counters = run.counters
    counters.next_log = _after(counters.steps, run.config.log_every)
    log.write(
        counters.steps,
        {
            **run.window.take(),
            "count/episodes": counters.episodes,
            "count/updates": counters.updates,
            "count/updates_per_step": counters.updates / max(1, counters.steps),
            "time/wall_seconds": counters.wall_seconds,
            "time/cpu_seconds": counters.cpu_seconds,
            "time/steps_per_cpu_second": counters.steps / max(1e-9, counters.cpu_seconds),
        },
    )


def _after(steps: int, every: int) -> int:
    """Return the first multiple of `every` that lies after `steps`."""
    return (steps // every + 1) * every


def _status(batch: EpisodeBatch, run: _Run) -> str:
    """Return what a reader of the progress line wants to know: wins, losses, and how much is learnt from a step."""
    counters = run.counters
    tested = "" if run.tested is None else f", {run.tested:.0%} tested"
    losses = ", ".join(
        f"{name.removesuffix('_loss')} loss {value:.3g}" for name, value in run.newest.items() if name.endswith("_loss")
    )
    ratio = f"an update per {counters.steps / counters.updates:,.0f} steps" if counters.updates else "no update yet"
    return f"success {batch.success.mean():.0%} this round{tested}, {losses + ', ' if losses else ''}{ratio}"


class _Clock:
    """Adds the time since it was last read to the counters, so that a resumed run counts on."""

    def __init__(self, counters: _Counters) -> None:
        self._counters = counters
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self._counters.wall_seconds += wall - self._wall
        self._counters.cpu_seconds += cpu - self._cpu
        self._wall, self._cpu = wall, cpu


class _Stop:
    """Whether Ctrl-C (or a polite kill) asked for the end."""

    requested = False

    def request(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt("stopped at once; the last checkpoint is intact")
        self.requested = True


@contextmanager
def _stop_between_rounds() -> Iterator[_Stop]:
    """Let a signal to stop end the round first; signals reach the main thread alone, elsewhere nothing changes."""
    stop = _Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    numbers = [n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop.request) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
