"""One worker as its parent sees it: started, asked, waited for, named, and ended with all that it started."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from marl_runtime.workers.memory import SharedArrays

__all__ = ["Loss", "WorkerProcess", "wait_for_all"]

START_SECONDS = 600.0  # a fresh clone compiles the simulator, on a machine that may be busy
_POLL_SECONDS = 0.05
_END_SECONDS = 2.0


@dataclass(frozen=True)
class Loss:
    """Why a worker is of no more use: `what` it did. With `final`, another one would do the same."""

    worker: WorkerProcess
    what: str
    final: bool = False


class WorkerProcess:
    """A process that plays environments `first` to `last` of a task."""

    def __init__(self, number: int, first: int, last: int, shared: SharedArrays, task: str) -> None:
        self.number, self.first, self.last = number, first, last
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`  # noqa: SIM115 - closed by `end`
        ours, theirs = socket.socketpair()
        self.socket, self._received = ours, b""
        paths = os.pathsep.join(path for path in sys.path if path)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "marl_runtime.workers.child", str(theirs.fileno()), str(shared.file), task],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=(theirs.fileno(), shared.file),
                env={**os.environ, "PYTHONPATH": paths},
                start_new_session=True,  # Ctrl-C reaches the parent alone, and a kill all that a worker started
            )

    def __str__(self) -> str:
        return f"worker {self.number} (process {self.process.pid}, environments {self.first} to {self.last})"

    def ask(self, order: dict[str, Any]) -> None:
        """Send one order; that the process is gone is found when its answer is waited for."""
        with contextlib.suppress(OSError):
            self.socket.sendall(json.dumps(order).encode() + b"\n")

    def answer(self) -> dict[str, Any] | None:
        """Return the answer if all of it is there, without waiting; a process that is gone raises EOFError."""
        try:
            received = self.socket.recv(65536, socket.MSG_DONTWAIT)
            if not received:
                raise EOFError
            self._received += received
        except BlockingIOError:
            if self.process.poll() is not None:  # a game that it started may hold the socket open
                raise EOFError from None
        except ConnectionError:
            raise EOFError from None
        line, end, self._received = self._received.partition(b"\n")
        if not end:
            self._received = line
            return None
        return dict(json.loads(line))

    def ending(self) -> str:
        """Return how the process ended, and the last line that it wrote."""
        try:
            status = self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its socket"
        how = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return f"{how} after writing {lines[-1]!r}" if lines else how

    def end(self, *, kindly: bool = False) -> None:
        """End the process and all that it started; `kindly` lets it close its environments first."""
        self.socket.close()
        if kindly:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_END_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._log.close()


def wait_for_all(workers: list[WorkerProcess], seconds: float) -> list[Loss]:
    """Wait until every one of `workers` has answered its order; return those that did not, raised, or are gone."""
    deadline = time.monotonic() + seconds
    waiting, losses = list(workers), []
    while waiting:
        for worker in list(waiting):
            try:
                answer = worker.answer()
            except EOFError:
                losses.append(Loss(worker, worker.ending()))
                waiting.remove(worker)
                continue
            if answer is None:
                continue
            waiting.remove(worker)
            if "error" in answer:
                losses.append(Loss(worker, f"raised: {answer['error']}", final=not answer["crash"]))
        if waiting and time.monotonic() > deadline:
            return losses + [Loss(worker, f"did not answer within {seconds:g} s") for worker in waiting]
        if waiting:
            _sleep_until_readable(waiting)
    return losses


def _sleep_until_readable(workers: list[WorkerProcess]) -> None:
    poll = select.poll()
    for worker in workers:
        poll.register(worker.socket, select.POLLIN)
    poll.poll(_POLL_SECONDS * 1_000)
