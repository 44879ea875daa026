"""Environments of one task in several processes, in step, as one `VectorEnvironment`."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from buffers.episodes import BoolArray, IntArray
from buffers.errors import ResourceError
from buffers.schema import TaskSchema
from marl_runtime.environment import EpisodesLostError, StepResult, VectorEnvironment
from marl_runtime.workers import WorkerSettings
from marl_runtime.workers.memory import SharedArrays
from marl_runtime.workers.process import START_SECONDS, Loss, WorkerProcess, wait_for_all

__all__ = ["ProcessEnvironment"]


class ProcessEnvironment(VectorEnvironment):
    """E environments, in equal parts in `settings.count` processes; episodes are those of one process.

    A worker that died, hung or raised is named and replaced, and `EpisodesLostError` says that what was being played
    has to be played again from its reset. What another worker would do again (an environment that cannot be built, a
    task file that does not fit), and more than `settings.restarts` losses in a row, raise `ResourceError`.
    """

    def __init__(
        self, task: str, schema: TaskSchema, num_envs: int, settings: WorkerSettings, *, testing: bool = False
    ) -> None:
        self.schema, self.num_envs = schema, num_envs
        self._task, self._settings, self._testing = task, settings, testing
        self._shared = SharedArrays(schema, num_envs)
        self.obs, self.state = self._shared["obs"], self._shared["state"]
        self.avail_actions, self.alive = self._shared["avail_actions"], self._shared["alive"]
        self.avail_actions[..., 0] = True
        self._running = np.zeros(num_envs, dtype=bool)
        self._seeds = np.zeros(num_envs, dtype=np.int64)
        self._steps, self._losses, self._whole = 0, 0, True
        parts = np.array_split(np.arange(num_envs), min(settings.count, num_envs))
        self._workers: list[WorkerProcess] = []
        self._start([(k, int(part[0]), int(part[-1])) for k, part in enumerate(parts)])

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new episodes where `mask` is true, each from its seed."""
        if self._whole:
            self._losses = 0
        self._whole, self._steps = True, 0
        self._shared["mask"][:], self._shared["seeds"][:] = mask, seeds
        self._seeds[mask] = seeds[mask]
        self._running |= mask
        self._call("reset", mask)

    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]`; an unavailable one raises ValueError."""
        available = np.take_along_axis(self.avail_actions, actions[..., None], axis=-1)[..., 0]
        if not available.all():
            env, agent = np.argwhere(~available)[0]
            name = self.schema.action_names[actions[env, agent]]
            raise ValueError(f"environment {env}, agent {agent}: action {name!r} is not available")
        shared = self._shared
        shared["actions"][:] = actions
        for name in ("rewards", "terminated", "truncated", "success"):
            shared[name][:] = 0
        self._call("step", self._running)
        self._steps += 1
        result = StepResult(
            shared["rewards"].copy(), shared["terminated"].copy(), shared["truncated"].copy(), shared["success"].copy()
        )
        self._running &= ~(result.terminated | result.truncated)
        return result

    def close(self) -> None:
        """End the processes, each with all that it started."""
        for worker in self._workers:
            worker.end(kindly=True)
        self._workers = []
        if self._shared.file >= 0:
            os.close(self._shared.file)
            self._shared.file = -1

    def _call(self, what: str, concerned: BoolArray) -> None:
        """Let the workers that have a row in `concerned` do `what`, and deal with those that do not come back."""
        asked = [worker for worker in self._workers if concerned[worker.first : worker.last + 1].any()]
        for worker in asked:
            worker.ask({"do": what})
        losses = wait_for_all(asked, self._settings.timeout)
        if losses:
            self._replace(losses, what)

    def _replace(self, losses: Sequence[Loss], what: str) -> None:
        doing = "reset" if what == "reset" else f"step {self._steps + 1}"
        named = "; ".join(
            f"{loss.worker} of task {self._task!r} {loss.what}, in {doing} of the episodes with seeds "
            f"{_few(self._seeds[loss.worker.first : loss.worker.last + 1])}"
            for loss in losses
        )
        self._whole = False
        self._losses += 1
        final = any(loss.final for loss in losses)
        if final or self._losses > self._settings.restarts:
            self.close()
            again = "" if final else f" (loss {self._losses} in a row, {self._settings.restarts} replacements allowed)"
            raise ResourceError(
                f"{named}{again}. What was being played is not kept. Mend the environment, or give it more time with "
                "--worker-timeout"
            )
        for loss in losses:
            loss.worker.end()
            self._workers.remove(loss.worker)
        self._running[:] = False
        self._start([(loss.worker.number, loss.worker.first, loss.worker.last) for loss in losses])
        raise EpisodesLostError(f"{named}; replaced, and its episodes are played again")

    def _start(self, parts: Sequence[tuple[int, int, int]]) -> None:
        """Start and build one worker for each (number, first, last environment); what fails here is not repeated."""
        started = [WorkerProcess(*part, self._shared, self._task) for part in parts]
        self._workers = sorted([*self._workers, *started], key=lambda worker: worker.number)
        losses = wait_for_all(started, START_SECONDS)
        if not losses:
            for worker in started:
                rows = {"envs": self.num_envs, "first": worker.first, "last": worker.last}
                worker.ask({"do": "build", "task": self._task, "testing": self._testing, **rows})
            losses = wait_for_all(started, self._settings.timeout)
        if losses:
            named = "; ".join(f"{loss.worker} {loss.what}" for loss in losses)
            self.close()
            self.close()
            raise ResourceError(
                f"the environments of task {self._task!r} cannot be built: {named}. Mend the environment, or give it "
                "more time with --worker-timeout"
            )


def _few(seeds: IntArray) -> str:
    shown = ", ".join(map(str, seeds[:3].tolist()))
    return f"{shown}, …" if len(seeds) > 3 else shown
