"""How far a sweep is, and for how long it still has to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import is_held, last_step
from marl_runtime.sweeping.jobs import cores
from marl_runtime.sweeping.plan import Entry, SweepPlan
from marl_runtime.sweeping.sweep import find_runs, read_state

__all__ = ["RunStatus", "SweepStatus", "sweep_status"]


@dataclass(frozen=True)
class RunStatus:
    """One run: "done", "running", "stopped" (begun, nobody trains it now), "failed" or "left"."""

    entry: Entry
    state: str
    step: int
    run: Path | None
    deaths: int = 0
    reason: str = ""


@dataclass(frozen=True)
class SweepStatus:
    """All runs of a sweep, and the seconds that `processes` of them at once still need; None where nothing tells."""

    runs: tuple[RunStatus, ...]
    processes: int
    seconds_left: float | None

    def count(self, *states: str) -> int:
        """Return how many runs are in one of the states."""
        return sum(run.state in states for run in self.runs)

    def to_json(self) -> dict[str, Any]:
        """Return the figures and one row for each run as plain JSON values."""
        return {
            "runs": len(self.runs),
            "done": self.count("done"),
            "running": self.count("running"),
            "left": self.count("left", "stopped"),
            "failed": self.count("failed"),
            "deaths": sum(run.deaths for run in self.runs),
            "processes": self.processes,
            "seconds_left": self.seconds_left,
            "rows": [
                {
                    "task": run.entry.task,
                    "method": run.entry.method,
                    "protocol": run.entry.protocol,
                    "settings": run.entry.settings,
                    "seed": run.entry.seed,
                    "state": run.state,
                    "step": run.step,
                    "steps": run.entry.config.steps,
                    "deaths": run.deaths,
                    "run": None if run.run is None else str(run.run),
                    "reason": run.reason,
                }
                for run in self.runs
            ],
        }


def sweep_status(plan: SweepPlan, root: Path) -> SweepStatus:
    """Return how far the plan's runs under `root` are; nothing is written."""
    folder = plan.folder(root)
    state, runs = read_state(folder), find_runs(plan, root)
    rows = []
    for entry in plan.entries:
        run = runs.get(entry.hash)
        step = 0 if run is None else last_step(run)
        deaths, reason = state.deaths.get(entry.hash, 0), state.failed.get(entry.hash, "")
        rows.append(RunStatus(entry, _state(run, bool(reason)), step, run, deaths, reason))
    processes = state.processes or cores()
    return SweepStatus(tuple(rows), processes, _seconds_left(rows, processes))


def _state(run: Path | None, failed: bool) -> str:
    if run is not None and RunFolder(run).finished:
        return "done"
    if run is not None and is_held(run):
        return "running"
    if failed:
        return "failed"
    return "left" if run is None else "stopped"


def _seconds_left(rows: list[RunStatus], processes: int) -> float | None:
    """Return the wall seconds left: steps to go at the pace of the same method on the same task, else of all.

    The longest single run is the least that it takes, however many run at once.
    """
    todo = [row for row in rows if row.state != "done"]
    if not todo:
        return 0.0
    paces: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for row in rows:
        if row.run is not None and row.step:
            times = [r for r in read_metrics(row.run) if r.get("time/wall_seconds")]
            if times:
                played = (float(times[-1]["time/wall_seconds"]), int(times[-1]["step"]))
                paces.setdefault((row.entry.task, row.entry.method), []).append(played)
    if not paces:
        return None
    overall = _pace([played for group in paces.values() for played in group])
    each = []
    for row in todo:
        known = paces.get((row.entry.task, row.entry.method))
        each.append(max(0, row.entry.config.steps - row.step) * (_pace(known) if known else overall))
    return max(sum(each) / processes, *each)


def _pace(played: list[tuple[float, int]]) -> float:
    """Return seconds per step."""
    return sum(seconds for seconds, _ in played) / max(1, sum(steps for _, steps in played))
