"""A sweep trained: every run an ordinary run folder, none twice, all of it kept whenever it stops.

What is the sweep's own lies in `<runs>/sweeps/<name>/`: `state.json` counts the workers that died, `.lock` keeps a
second sweep of the file out. Which runs are done is never written down: the run folders say so.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from buffers.errors import ResourceError
from buffers.files import held, read_json_object, require_form
from buffers.progress import Progress, silent
from marl_runtime.configuration import to_json
from marl_runtime.run_folder import RunFolder, write_json
from marl_runtime.run_index import find_run, last_step
from marl_runtime.sweeping.jobs import Job, Limits, LocalJob, Tally, Ticket, train_tickets
from marl_runtime.sweeping.plan import Entry, SweepPlan
from marl_runtime.training import prepare

__all__ = ["SweepState", "find_runs", "read_state", "require_complete", "train_sweep"]


@dataclass
class SweepState:
    """What a sweep remembers: workers that died, by run hash, what was given up and why, and how many run at once."""

    processes: int = 0
    deaths: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def read_state(folder: Path) -> SweepState:
    """Return the state in a sweep's folder; a fresh one where there is none."""
    path = folder / "state.json"
    try:
        value = read_json_object(path)
    except FileNotFoundError:
        return SweepState()
    require_form(value, SweepState, path)
    return SweepState(**{name: value[name] for name in SweepState.__dataclass_fields__ if name in value})


def find_runs(plan: SweepPlan, root: Path) -> dict[str, Path]:
    """Return run hash → folder of the plan's runs that are there, complete or not."""
    found = {entry.hash: find_run(entry.config, root) for entry in plan.entries}
    return {key: run for key, run in found.items() if run is not None}


@contextmanager
def _sweeping(folder: Path) -> Iterator[None]:
    """Keep other sweeps of the same name out."""
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / ".lock", "swept"):
        yield


def train_sweep(
    plan: SweepPlan,
    root: Path,
    limits: Limits,
    start: Callable[[Path], Job] = LocalJob,
    progress: Progress = silent,
    say: Callable[[str], None] = lambda line: None,
) -> Tally:
    """Train what is left of the plan under `root` and return what became of it.

    A second sweep of the same name under `root` raises `ResourceError`. Ctrl-C keeps everything and raises
    KeyboardInterrupt with the command that goes on. What failed is left for the next call to try again.
    """
    folder = plan.folder(root)
    with _sweeping(folder):
        state = read_state(folder)
        state.processes, state.failed = limits.processes, {}
        tickets = [
            Ticket(entry.hash, partial(_folder_of, entry, root), entry.config.steps) for entry in _in_order(plan, root)
        ]
        names = {entry.hash: str(entry) for entry in plan.entries}

        def died(ticket: Ticket, reason: str) -> None:
            state.deaths[ticket.key] = state.deaths.get(ticket.key, 0) + 1
            _write(folder, state)
            say(f"a worker died ({state.deaths[ticket.key]} so far in this run): {names[ticket.key]}: {reason}")

        _write(folder, state)
        try:
            tally = train_tickets(tickets, start, limits, progress, died)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                "stopped, every run at a checkpoint of its own; the same command goes on from there"
            ) from None
        state.failed = tally.failed
        _write(folder, state)
        return tally


def _write(folder: Path, state: SweepState) -> None:
    write_json(folder / "state.json", to_json(state))


def _in_order(plan: SweepPlan, root: Path) -> list[Entry]:
    """Return the entries that are not complete: those that were begun first, the furthest of them in front."""
    runs = find_runs(plan, root)
    left = [e for e in plan.entries if e.hash not in runs or not RunFolder(runs[e.hash]).finished]
    begun = {e.hash: last_step(runs[e.hash]) for e in left if e.hash in runs}
    return sorted(left, key=lambda entry: -begun.get(entry.hash, 0))


def _folder_of(entry: Entry, root: Path) -> Path:
    """Return the run's folder: found, or made while no other sweep under `root` makes one."""
    with _made_alone(root):
        return find_run(entry.config, root) or prepare(entry.config, root)


@contextmanager
def _made_alone(root: Path) -> Iterator[None]:
    path = root / "sweeps" / ".making"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # for the milliseconds that making a folder takes
        yield


def require_complete(tally: Tally, plan: SweepPlan) -> None:
    """Raise `ResourceError` with what failed, where something did."""
    if tally.failed:
        reasons = "; ".join(tally.failed.values())
        raise ResourceError(
            f"{len(tally.failed)} of {len(plan.entries)} runs failed, the others are kept; the same command tries "
            f"them again: {reasons}"
        )
