"""Environments in processes of their own, for gathering where an environment is slow: each may be a game of its own.

What is played does not depend on how many processes there are. A scripted policy's rounds are whole episodes, so each
is played by one process. In a QMIX run every round waits for the updates before it: there the environments of a round
are spread and step together, while the network's one forward for all of them, and learning, stay in the first process.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

import numpy as np

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array, IntArray
from buffers.errors import ResourceError
from marl_runtime.environment import StepResult, VectorEnvironment
from marl_runtime.rollout import Rollout, ScriptedActor
from marl_runtime.tasks import Task, find_task

__all__ = ["Round", "SpreadEnvironment", "WorkerDiedError", "play_scripted", "retried"]

RETRIES = 2
Result = TypeVar("Result")


class WorkerDiedError(ResourceError):
    """A process that played episodes is gone; what it played of them is lost."""


@dataclass(frozen=True)
class Round:
    """Episodes that are played together: see `Rollout.play`."""

    root_seed: int
    first_episode: int
    epsilon: Float32Array  # [count]


class _Worker:
    """A process that holds environments; it ends when this one does, however that ends."""

    def __init__(self, task: str) -> None:
        spawn = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_serve, args=(theirs, task), daemon=True)
        self.process.start()
        theirs.close()  # so that the end of either process is seen by the other

    def send(self, *message: Any) -> None:
        try:
            self.connection.send(message)
        except OSError as error:
            raise self.died() from error

    def receive(self) -> Any:
        try:
            return self.connection.recv()
        except (EOFError, OSError) as error:
            raise self.died() from error

    def died(self) -> WorkerDiedError:
        self.process.join()
        status = self.process.exitcode or 0
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with exit status {status}, see above"
        return WorkerDiedError(f"a process that plays episodes ended {how}")

    def close(self) -> None:
        self.connection.close()
        self.process.join()


def _serve(connection: Connection, task_name: str) -> None:
    """Answer until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's to handle
    task = find_task(task_name)
    environment: VectorEnvironment | None = None
    rollouts: dict[int, Rollout] = {}
    while True:
        try:
            command, *arguments = connection.recv()
        except EOFError:
            break
        if command == "make":
            environment = task.make(*arguments)
            continue
        if command == "play":
            connection.send(_play(task, rollouts, *arguments))
            continue
        assert environment is not None
        answer = getattr(environment, command)(*arguments)
        view = (environment.obs, environment.state, environment.avail_actions, environment.alive)
        connection.send((answer, view))
    for open_environment in (environment, *(rollout.environment for rollout in rollouts.values())):
        if open_environment is not None:
            open_environment.close()


def _play(task: Task, rollouts: dict[int, Rollout], policy: str, envs: int, played: Round) -> EpisodeBatch:
    if envs not in rollouts:
        rollouts[envs] = Rollout(task.make(envs))
    actor = ScriptedActor(task.scripted[policy]())
    return rollouts[envs].play(actor, played.root_seed, played.first_episode, len(played.epsilon), played.epsilon)


def play_scripted(
    task: str, policy: str, envs: int, rounds: Sequence[Round], workers: int, died: Callable[[str], None]
) -> Iterator[EpisodeBatch]:
    """Yield the episodes of each round, in their order, played by a scripted policy in `workers` processes.

    A round whose process died is played again, by a new one; `died` is told. After `RETRIES` more deaths in one round
    it raises `WorkerDiedError`.
    """
    waiting = deque(enumerate(rounds))
    busy: dict[Any, tuple[_Worker, int]] = {}  # by connection
    idle = [_Worker(task) for _ in range(min(workers, len(rounds)))]
    finished: dict[int, EpisodeBatch] = {}
    deaths: dict[int, int] = {}
    following = 0
    try:
        while following < len(rounds):
            # a round that is far behind must not let the others pile up in memory
            while idle and waiting and waiting[0][0] < following + 2 * workers:
                worker, (number, played) = idle.pop(), waiting.popleft()
                busy[worker.connection] = (worker, number)
                worker.connection.send(("play", policy, envs, played))
            for connection in wait(list(busy)):
                worker, number = busy.pop(connection)
                try:
                    finished[number] = worker.receive()
                    idle.append(worker)
                except WorkerDiedError as error:
                    deaths[number] = deaths.get(number, 0) + 1
                    if deaths[number] > RETRIES:
                        raise
                    died(str(error))
                    waiting.appendleft((number, rounds[number]))
                    idle.append(_Worker(task))
            while following in finished:
                yield finished.pop(following)
                following += 1
    finally:
        for worker in (*idle, *(worker for worker, _ in busy.values())):
            worker.close()


class SpreadEnvironment(VectorEnvironment):
    """E environments of a task in `workers` processes that step at once; see `VectorEnvironment`.

    A process that dies raises `WorkerDiedError`; after `restart` a round can be played again from its reset.
    """

    def __init__(self, task: str, num_envs: int, workers: int) -> None:
        self.schema = find_task(task).schema
        self.num_envs = num_envs
        self._task = task
        bounds = np.linspace(0, num_envs, min(workers, num_envs) + 1).astype(int)
        self._slices = [slice(a, b) for a, b in pairwise(bounds.tolist())]
        n, schema = self.schema.n_agents, self.schema
        self.obs = np.zeros((num_envs, n, schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((num_envs, schema.state_dim), dtype=np.float32)
        self.avail_actions = np.zeros((num_envs, n, schema.n_actions), dtype=bool)
        self.avail_actions[..., 0] = True
        self.alive = np.ones((num_envs, n), dtype=bool)
        self._workers: list[_Worker] = []
        self.restart()

    def restart(self) -> None:
        """Begin with new processes; what was played is forgotten."""
        self.close()
        self._workers = [_Worker(self._task) for _ in self._slices]
        for worker, mine in zip(self._workers, self._slices, strict=True):
            worker.send("make", mine.stop - mine.start)

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new episodes."""
        self._ask("reset", mask, seeds)

    def step(self, actions: IntArray) -> StepResult:
        """Play one joint step in every environment."""
        parts = self._ask("step", actions)
        names = ("rewards", "terminated", "truncated", "success")
        return StepResult(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def _ask(self, command: str, *arrays: Any) -> list[Any]:
        for worker, mine in zip(self._workers, self._slices, strict=True):
            worker.send(command, *(array[mine] for array in arrays))
        answers = []
        for worker, mine in zip(self._workers, self._slices, strict=True):
            answer, view = worker.receive()
            for array, part in zip((self.obs, self.state, self.avail_actions, self.alive), view, strict=True):
                array[mine] = part
            answers.append(answer)
        return answers

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()
        self._workers = []


def retried(
    play: Callable[[], Result], environment: VectorEnvironment, died: Callable[[str], None] = lambda reason: None
) -> Result:
    """Return `play()`, a round; when a process of a spread environment dies in it, play it again with new ones."""
    for _ in range(RETRIES):
        try:
            return play()
        except WorkerDiedError as error:
            if not isinstance(environment, SpreadEnvironment):
                raise
            died(str(error))
            environment.restart()
    return play()
