"""Environments in processes of their own, behind the one interface: for those that are slow, crash or hang."""

from __future__ import annotations

from dataclasses import dataclass

from marl_runtime.environment import VectorEnvironment
from marl_runtime.tasks import find_task

__all__ = ["WorkerSettings", "make_environment"]


@dataclass(frozen=True)
class WorkerSettings:
    """How many processes, and how long one may take to build its environments, to reset or to step them.

    `count` 0 plays in this process. A worker that is lost is replaced, and its round is played again; after `restarts`
    losses in a row the run ends. The limit is for the environment's own code: a process gets ten minutes to
    start, since the embedded simulator may have to compile.
    """

    count: int = 0
    timeout: float = 10.0
    restarts: int = 3

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError(f"{self.count} workers: 0 plays in this process, more in that many")
        if not self.timeout > 0:
            raise ValueError(f"worker timeout {self.timeout} s is not above 0")
        if self.restarts < 0:
            raise ValueError(f"{self.restarts} restarts: cannot be negative")


def make_environment(task: str, num_envs: int, workers: WorkerSettings, *, testing: bool = False) -> VectorEnvironment:
    """Return `num_envs` environments of the task of that (full) name, here or in `workers.count` processes.

    `testing`: those to test on, where a task has others for that. Close it when done.
    """
    found = find_task(task)
    if not workers.count:
        return found.environment(num_envs, testing=testing)
    from marl_runtime.workers.pool import ProcessEnvironment

    return ProcessEnvironment(task, found.schema, num_envs, workers, testing=testing)
