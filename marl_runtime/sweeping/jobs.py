"""Runs in processes of their own, as many at once as there is room for; one that dies is tried again.

Where a run is trained is behind `Job`: a process on this machine here, a machine of a Ray cluster in `ray_jobs`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from buffers.progress import Progress, silent
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import is_held, last_step

__all__ = ["Job", "Limits", "LocalJob", "Tally", "Ticket", "cores", "train_tickets", "worker_environment"]

POLL_SECONDS = 0.5
REFUSED = (2, 3)  # exit statuses of a run that would be refused again: not worth another try
STOPPED, DIED = 130, 1


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


class Job(Protocol):
    """One run in training somewhere."""

    def poll(self) -> int | None:
        """Return the exit status once it has ended, with all of it on this machine's disk; None before. Never waits."""

    def step(self) -> int:
        """Return the environment step it was last known at."""

    def stop(self) -> None:
        """Ask for the end of the round and a checkpoint; asked again, for the end at once."""

    def reason(self) -> str:
        """Return the last line of what it said."""


def worker_environment() -> dict[str, str]:
    """Return the environment of a worker process: one thread, and this process's import path."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    paths = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
    return {**os.environ, **one_thread, "PYTHONPATH": paths}


class LocalJob:
    """A process of this machine that trains one run."""

    def __init__(self, run: Path) -> None:
        self._run = run
        with (run / "worker.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "marl_runtime.worker", str(run)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=worker_environment(),
                start_new_session=True,  # a Ctrl-C at the terminal reaches this process alone, which passes it on once
            )

    def poll(self) -> int | None:
        """Return the exit status; minus the signal's number for one that was killed."""
        return self._process.poll()

    def step(self) -> int:
        """Return the last logged step."""
        return last_step(self._run)

    def stop(self) -> None:
        """Pass the wish to stop on; by SIGTERM, since what a shell starts in the background ignores SIGINT."""
        self._process.send_signal(signal.SIGTERM)

    def reason(self) -> str:
        """Return the last line of the worker's log, or by which signal it was killed."""
        status = self._process.poll()
        if status is not None and status < 0:
            return f"killed by {signal.Signals(-status).name}"
        lines = (self._run / "worker.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


@dataclass(frozen=True)
class Limits:
    """How many runs at once, how often one that dies is started again, and after how many seconds all are stopped."""

    processes: int
    retries: int = 2
    seconds: float | None = None


@dataclass(frozen=True)
class Ticket:
    """A run that is to be trained for `steps`; `prepare` finds or makes its folder when its turn comes."""

    key: str
    prepare: Callable[[], Path]
    steps: int


@dataclass
class Tally:
    """What became of the tickets, by key: `deaths` counts every end that was none, `failed` says why one was given up.

    `elsewhere` are runs that another process trains.
    """

    done: dict[str, Path] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, Path] = field(default_factory=dict)
    stopped: dict[str, Path] = field(default_factory=dict)
    deaths: dict[str, int] = field(default_factory=dict)
    out_of_time: bool = False


@dataclass
class _Running:
    ticket: Ticket
    run: Path
    job: Job


def train_tickets(
    tickets: Sequence[Ticket],
    start: Callable[[Path], Job],
    limits: Limits,
    progress: Progress = silent,
    died: Callable[[Ticket, str], None] = lambda ticket, reason: None,
) -> Tally:
    """Train the runs of all tickets, in their order; `died` is told of each worker that died, when it did.

    When the seconds are over every run ends its round and writes a checkpoint, and what has not begun does not.
    KeyboardInterrupt does the same and is raised again; a second one does not wait for the rounds.
    """
    tally = Tally()
    waiting, running = list(tickets), list[_Running]()
    total = sum(ticket.steps for ticket in tickets)
    ended_at = None if limits.seconds is None else time.monotonic() + limits.seconds
    try:
        while waiting or running:
            tally.out_of_time = ended_at is not None and time.monotonic() >= ended_at
            if tally.out_of_time:
                break
            while waiting and len(running) < limits.processes:
                _begin(waiting.pop(0), start, running, tally)
            time.sleep(POLL_SECONDS)
            for entry in list(running):
                _collect(entry, running, waiting, tally, limits.retries, died)
            progress(_steps(tickets, tally, running), total, f"{len(running)} runs in training, {len(waiting)} waiting")
    finally:
        try:
            _stop(running, tally)
        except KeyboardInterrupt:
            _stop(running, tally)
            raise
    return tally


def _begin(ticket: Ticket, start: Callable[[Path], Job], running: list[_Running], tally: Tally) -> None:
    run = ticket.prepare()
    if RunFolder(run).finished:  # by somebody else, meanwhile
        tally.done[ticket.key] = run
    elif is_held(run):
        tally.elsewhere[ticket.key] = run
    else:
        running.append(_Running(ticket, run, start(run)))


def _collect(
    entry: _Running,
    running: list[_Running],
    waiting: list[Ticket],
    tally: Tally,
    retries: int,
    died: Callable[[Ticket, str], None],
) -> None:
    """Take in a run that has ended: done, to be tried again after all others, or given up."""
    status = entry.job.poll()
    if status is None:
        return
    running.remove(entry)
    key = entry.ticket.key
    if status == 0:
        tally.done[key] = entry.run
        return
    tally.deaths[key] = tally.deaths.get(key, 0) + 1
    reason = entry.job.reason()
    died(entry.ticket, reason)
    if status in REFUSED or tally.deaths[key] > retries:
        tally.failed[key] = f"{entry.run}: {reason}"
    else:
        waiting.append(entry.ticket)


def _stop(running: list[_Running], tally: Tally) -> None:
    """Let every run end its round and write a checkpoint, and wait for it."""
    for entry in running:
        entry.job.stop()
    while running:
        for entry in list(running):
            status = entry.job.poll()
            if status is not None:
                running.remove(entry)
                (tally.stopped if status else tally.done)[entry.ticket.key] = entry.run
        if running:
            time.sleep(POLL_SECONDS / 5)


def _steps(tickets: Sequence[Ticket], tally: Tally, running: list[_Running]) -> int:
    at = {entry.ticket.key: entry.job.step() for entry in running}
    # the last step is counted with the evaluation behind it
    return sum(t.steps if t.key in tally.done else min(t.steps - 1, at.get(t.key, 0)) for t in tickets)
