"""Runs on the machines of a Ray cluster; the unit is one whole run.

An actor holds one core and trains one run in a process of its own, as on this machine. Where the actor sees the run's
folder (a shared disk, or this machine) it trains it in place, and a machine that dies costs what is after the last
checkpoint. Elsewhere the folder is sent to it and comes back when the run ends or is stopped; what such a machine has
played is lost with it. Ray's own retries are off: the sweep counts the deaths itself.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from buffers.errors import MissingDependencyError, ResourceError
from marl_runtime.run_index import last_step
from marl_runtime.sweeping.jobs import DIED, STOPPED, LocalJob

__all__ = ["RayCluster"]

LOCAL_WORKERS = 2
TOKEN = ".sweep-token"


class RemoteRun:
    """What an actor does: one run, in place or in a folder of its own."""

    def __init__(self, run: str, token: str) -> None:
        self._run, self._own = Path(run), False
        file = self._run / TOKEN
        if not file.exists() or file.read_text() != token:  # another machine's disk
            self._run, self._own = Path(tempfile.mkdtemp(prefix="sweep-")) / self._run.name, True
        self._job: LocalJob | None = None

    def needs_files(self) -> bool:
        """Return whether the run's folder has to be sent here."""
        return self._own

    def start(self, files: dict[str, bytes]) -> None:
        """Write `files` where the folder is this machine's own, and train."""
        if self._own:
            write_files(self._run, files)
        self._job = LocalJob(self._run)

    def poll(self) -> tuple[int | None, int, str]:
        """Return the exit status or None, the last step, and why it ended."""
        assert self._job is not None
        status = self._job.poll()
        return status, self._job.step(), "" if status is None else self._job.reason()

    def stop(self) -> None:
        """Let it end its round and write a checkpoint."""
        assert self._job is not None
        self._job.stop()

    def files(self) -> dict[str, bytes]:
        """Return the run's files and forget them here; nothing where it was trained in place."""
        if not self._own:
            return {}
        files = read_files(self._run)
        shutil.rmtree(self._run.parent)
        return files


def read_files(folder: Path) -> dict[str, bytes]:
    """Return relative path → content of every file below `folder` but locks and tokens."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in (".lock", TOKEN)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Make what is below `folder` the given files; `result.json`, which says that a run is complete, comes last.

    Checkpoints that are not among the files are removed: the run has newer ones.
    """
    for name in sorted(files, key=lambda name: name == "result.json"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.partial")
        partial.write_bytes(files[name])
        partial.rename(path)
    for checkpoint in (folder / "checkpoints").glob("step-*"):
        if not any(name.startswith(f"checkpoints/{checkpoint.name}/") for name in files):
            shutil.rmtree(checkpoint)


class RayJob:
    """A run in training on the cluster: no call here waits for the cluster."""

    def __init__(self, ray: Any, actor_class: Any, run: Path) -> None:
        token = secrets.token_hex(16)
        (run / TOKEN).write_text(token)
        self._ray, self._run, self._step = ray, run, last_step(run)
        self._stops, self._status = 0, 0
        self._reason = "it said nothing"
        self._actor = actor_class.remote(str(run.resolve()), token)
        self._phase, self._pending = "placed", self._actor.needs_files.remote()

    def poll(self) -> int | None:
        """Take in what the actor has answered and ask it the next thing."""
        ready, _ = self._ray.wait([self._pending], timeout=0)
        if not ready:
            return self._unplaced()
        try:
            answer = self._ray.get(self._pending)
        except self._ray.exceptions.RayError as error:
            self._reason = f"its Ray actor died: {str(error).strip().splitlines()[0]}"
            return self._ended(DIED)
        if self._phase == "placed":
            self._next("starting", self._actor.start.remote(read_files(self._run) if answer else {}))
        elif self._phase == "starting":
            for _ in range(self._stops):
                self._actor.stop.remote()
            self._next("training", self._actor.poll.remote())
        elif self._phase == "training":
            status, self._step, reason = answer
            if status is None:
                self._next("training", self._actor.poll.remote())
            else:
                self._status, self._reason = status, reason
                self._next("returning", self._actor.files.remote())
        else:
            if answer:
                write_files(self._run, answer)
            return self._ended(self._status)
        return None

    def _unplaced(self) -> int | None:
        """Give up a run that was stopped before the cluster had a core for it; nothing was played."""
        if self._stops and self._phase == "placed":
            self._reason = "stopped before it began"
            return self._ended(STOPPED)
        return None

    def _next(self, phase: str, pending: Any) -> None:
        self._phase, self._pending = phase, pending

    def _ended(self, status: int) -> int:
        self._ray.kill(self._actor)
        (self._run / TOKEN).unlink(missing_ok=True)
        return status

    def step(self) -> int:
        """Return the step that the actor last told."""
        return self._step

    def stop(self) -> None:
        """Pass Ctrl-C on, as soon as the run has begun."""
        self._stops += 1
        if self._phase == "training":
            self._actor.stop.remote()

    def reason(self) -> str:
        """Return why it ended."""
        return self._reason


class RayCluster:
    """A connection to a Ray cluster; `cores` is what it has, `start` trains a run there.

    "local" starts one of two workers on this machine and ends it at the end. Without the package it raises
    `MissingDependencyError`, without a cluster at the address `ResourceError`.
    """

    def __init__(self, address: str) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingDependencyError(
                "--ray needs Ray: install it with `pip install 'protocol-designer[ray]'`"
            ) from error
        self._ray: Any = ray
        self._address = address

    def __enter__(self) -> Self:
        ray = self._ray
        where: dict[str, Any] = {"num_cpus": LOCAL_WORKERS} if self._address == "local" else {"address": self._address}
        environment = {"env_vars": {"PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path if p)}}
        try:
            ray.init(
                **where,
                runtime_env=environment if self._address == "local" else None,
                include_dashboard=False if self._address == "local" else None,
                log_to_driver=False,
                logging_level="error",
            )
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            reason = str(error).strip().splitlines()[0]
            raise ResourceError(f"no Ray cluster at {self._address!r}: {reason}; 'local' starts one here") from error
        self._actor_class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(RemoteRun)
        return self

    @property
    def cores(self) -> int:
        """The cluster's cores."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def start(self, run: Path) -> RayJob:
        """Train a run on the cluster."""
        return RayJob(self._ray, self._actor_class, run)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ray.shutdown()
