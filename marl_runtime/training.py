"""Training: rounds of whole episodes, updates between them, evaluations and checkpoints where they fall due.

Read `_continue` first.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType

from buffers.episodes import EpisodeBatch, episode_bytes
from buffers.errors import UsageError
from buffers.memory import require_memory
from buffers.progress import Progress, silent
from marl_runtime.assembly import find_device, load_protocol
from marl_runtime.boards import require_wandb
from marl_runtime.checkpoints import Start
from marl_runtime.configuration import from_json, to_json
from marl_runtime.metrics import MetricsLog
from marl_runtime.run_folder import RunFolder, write_json
from marl_runtime.run_log import following, greedy_test, log_window, progress_line
from marl_runtime.run_state import Clock, Run
from marl_runtime.seeding import stream_seed
from marl_runtime.tasks import find_task
from marl_runtime.training_config import TrainConfig

__all__ = ["TrainConfig", "prepare", "resume", "train"]


def train(config: TrainConfig, root: Path = Path("runs"), progress: Progress = silent) -> Path:
    """Train a new run under `root` and return its folder."""
    return resume(prepare(config, root), progress)


def prepare(config: TrainConfig, root: Path = Path("runs"), start: Start | None = None) -> Path:
    """Make the folder of a new run, its protocol checked and copied, and return it without training.

    It begins with fresh networks, or with those of `start`.
    """
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
    return RunFolder.create(root, config.run_name, to_json(config), task.schema, source, task.origin, start).path


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


def _continue(folder: RunFolder, config: TrainConfig, progress: Progress) -> None:
    run = Run(folder, config)
    counters = run.counters
    clock = Clock(counters)
    log_file = MetricsLog(folder.path, counters.rows, wandb=config.wandb, config=to_json(config))
    with log_file as log, _stop_between_rounds() as stop:
        try:
            while counters.steps < config.steps:
                if counters.steps >= counters.next_evaluation:
                    greedy_test(run, log)
                batch = _play(run)
                _update(run)
                progress(counters.steps, config.steps, progress_line(batch, run))
                clock.read()
                due = counters.steps >= counters.next_checkpoint
                if due or stop.requested or counters.steps >= counters.next_log:
                    log_window(run, log)
                if due or stop.requested:
                    counters.next_checkpoint = following(counters.steps, config.checkpoint_every)
                    log.sync()
                    counters.rows = log.rows
                    run.save()
                if stop.requested:
                    raise KeyboardInterrupt(
                        f"stopped at step {counters.steps:,} of {config.steps:,}, all of it kept; "
                        f"go on with: design-protocol resume {folder.path}"
                    )
            if not counters.complete:
                greedy_test(run, log)
                clock.read()
                log_window(run, log)
                counters.complete = True
                log.sync()
                counters.rows = log.rows
                run.save()
        finally:
            run.close()
    write_json(folder.path / "result.json", asdict(counters))
    run.checkpoints.drop_replay()


def _play(run: Run) -> EpisodeBatch:
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


def _update(run: Run) -> None:
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
