"""The tables of a sweep, from what its run folders hold.

Only complete runs have a final figure: the mean over their last evaluations, whichever was the best. A line with
unfinished runs says n of m.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buffers.errors import RejectedError
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import gathering_steps
from marl_runtime.statistics import (
    Estimate,
    StepsTo,
    difference_over_seeds,
    equivalence,
    improvement_probability,
    median_steps,
    over_seeds,
    over_tasks,
    steps_to,
)
from marl_runtime.sweeping.plan import Contrast, Entry, ReportConfig, SweepPlan
from marl_runtime.sweeping.sweep import find_runs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SweepResults", "sweep_results"]

MIN_SEEDS = 3  # with fewer, a bootstrap interval over seeds is far too narrow to decide anything


@dataclass(frozen=True)
class SweepResults:
    """What came out; `docs/sweeps.md` defines every column.

    `table` has one row for each task and line, `pooled` one for each line that all tasks have, `contrasts` one for each
    announced comparison and task, `runs` one for each run, `curves` one for each evaluation.
    """

    plan: SweepPlan
    table: pd.DataFrame
    pooled: pd.DataFrame
    contrasts: pd.DataFrame
    runs: pd.DataFrame
    curves: pd.DataFrame


def sweep_results(plan: SweepPlan, root: Path) -> SweepResults:
    """Return the tables of what is there; without one evaluation it raises `RejectedError`."""
    import pandas as pd

    found = find_runs(plan, root)
    curves = [row for e in plan.entries if e.hash in found for row in _curve(plan, e, found[e.hash])]
    if not curves:
        raise RejectedError(
            f"none of the {len(plan.entries)} runs of {plan.file} has an evaluation yet: train it first"
        )
    runs = pd.DataFrame([_run(plan, entry, found.get(entry.hash), curves) for entry in plan.entries])
    lines = dict.fromkeys((e.task, plan.label(e)) for e in plan.entries)
    table = pd.DataFrame([_line(plan, task, line, runs) for task, line in lines])
    return SweepResults(plan, table, _pooled(plan, runs), _contrasts(plan, runs), runs, pd.DataFrame(curves))


def _curve(plan: SweepPlan, entry: Entry, run: Path) -> list[dict[str, Any]]:
    """Return a run's evaluations; `step` begins at what was spent on the protocol's data set."""
    gathered = gathering_steps(RunFolder(run).protocol)
    return [
        {
            "task": entry.task,
            "line": plan.label(entry),
            "seed": entry.seed,
            "step": (gathered or 0) + row["step"],
            "trained_steps": row["step"],
            "success": row["test/success"],
            "return": row["test/return"],
            "episodes": row["test/episodes"],
        }
        for row in read_metrics(run)
        if row.get("test/success") is not None
    ]


def _run(plan: SweepPlan, entry: Entry, run: Path | None, curves: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one run's row; figures only of a complete one."""
    report = plan.report
    row: dict[str, Any] = {
        "task": entry.task,
        "line": plan.label(entry),
        "method": entry.method,
        "protocol": entry.protocol,
        "settings": entry.settings,
        "seed": entry.seed,
        "complete": run is not None and RunFolder(run).finished,
        "run": None if run is None else run.name,
        "hash": entry.hash,
        "steps": entry.config.steps,
        "gathering_steps": None if run is None else gathering_steps(RunFolder(run).protocol),
    }
    figures = ("success", "return", "episodes", "evaluations", "steps_to_rate", "reached", "updates_per_step",
               "cpu_seconds")  # fmt: skip
    row |= dict.fromkeys(figures)
    mine = [c for c in curves if (c["task"], c["line"], c["seed"]) == (entry.task, row["line"], entry.seed)]
    if not row["complete"] or not mine:
        return row
    assert run is not None
    last = mine[-report.last_evaluations :]
    first = steps_to([c["step"] for c in mine], [c[report.measure] for c in mine], report.rate, report.rate_window)
    counts = [r for r in read_metrics(run) if "count/updates" in r]
    end: Mapping[str, Any] = counts[-1] if counts else {}
    return row | {
        "success": sum(c["success"] for c in last) / len(last),
        "return": sum(c["return"] for c in last) / len(last),
        "episodes": int(sum(c["episodes"] for c in last)),
        "evaluations": len(last),
        "steps_to_rate": first.steps,
        "reached": first.reached,
        "updates_per_step": end.get("count/updates_per_step"),
        "cpu_seconds": end.get("time/cpu_seconds"),
    }


def _values(runs: pd.DataFrame, task: str, line: str, measure: str) -> list[float]:
    mine = runs[(runs.task == task) & (runs.line == line) & runs.complete]
    return [float(value) for value in mine[measure].dropna()]


def _line(plan: SweepPlan, task: str, line: str, runs: pd.DataFrame) -> dict[str, Any]:
    """Return one line of one task's table."""
    report = plan.report
    group = runs[(runs.task == task) & (runs.line == line)]
    known = group[group.complete.astype(bool) & group.success.notna()]
    row: dict[str, Any] = {
        "task": task,
        "line": line,
        "seeds": len(known),
        "planned": len(group),
        "steps": int(group.steps.min()),
        "gathering_steps": _largest(group.gathering_steps),
    }
    row |= columns("success", over_seeds(known.success.astype(float).tolist()))
    row |= columns("return", over_seeds(known["return"].astype(float).tolist()))
    row |= {"steps_to_rate": None, "reached": None, "censored": None}
    if len(known):
        reached = [StepsTo(float(s), bool(r)) for s, r in zip(known.steps_to_rate, known.reached, strict=True)]
        median = median_steps(reached)
        row |= {
            "steps_to_rate": median.steps,
            "reached": sum(run.reached for run in reached),
            "censored": not median.reached,
        }
    row |= _against_reference(report, task, line, runs)
    return row | {"tuning_trials": plan.tuning.trials}


def _largest(values: pd.Series[Any]) -> int | None:
    known = values.dropna()
    return int(known.max()) if len(known) else None


def _against_reference(report: ReportConfig, task: str, line: str, runs: pd.DataFrame) -> dict[str, Any]:
    """Return how a line stands to the reference; empty for the reference itself and where there is none."""
    mine = _values(runs, task, line, report.measure)
    others = [] if line == report.reference else _values(runs, task, report.reference, report.measure)
    above, p_value = improvement_probability(mine, others)
    return {**columns("improves_on_reference", above), "mann_whitney_p": number(p_value)}


def columns(name: str, estimate: Estimate) -> dict[str, float | None]:
    """Return an estimate as three columns; what is not known is None."""
    values = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {key: number(value) for key, value in values.items()}


def number(value: float) -> float | None:
    """Return a number that JSON knows."""
    return float(value) if math.isfinite(value) else None


def _pooled(plan: SweepPlan, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the lines that have a complete run on every task, over all tasks, seeds drawn within each."""
    import pandas as pd

    tasks, measure, rows = list(dict.fromkeys(runs.task)), plan.report.measure, []
    for line in dict.fromkeys(runs.line):
        values = [_values(runs, task, line, measure) for task in tasks]
        if len(tasks) > 1 and all(values):
            total = int((runs.line == line).sum())
            seen = {"line": line, "tasks": len(tasks), "runs": sum(map(len, values)), "planned": total}
            rows.append(seen | columns(measure, over_tasks(values)))
    return pd.DataFrame(rows)


def _contrasts(plan: SweepPlan, runs: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for contrast in plan.report.contrasts:
        for task in dict.fromkeys(runs.task):
            lines = set(runs[runs.task == task].line)
            if {contrast.of, contrast.less} <= lines:
                rows.append(_contrast(contrast, task, runs, plan.report.measure))
    return pd.DataFrame(rows)


def _contrast(contrast: Contrast, task: str, runs: pd.DataFrame, measure: str) -> dict[str, Any]:
    """Return one announced comparison on one task."""
    mine, others = (_values(runs, task, line, measure) for line in (contrast.of, contrast.less))
    planned = [int(((runs.task == task) & (runs.line == line)).sum()) for line in (contrast.of, contrast.less)]
    if contrast.within is None:
        assert contrast.above is not None
        estimate = difference_over_seeds(mine, others)
        hypothesis, verdict = f"at least {contrast.above:g}", _verdict(estimate, contrast.above)
    else:
        tested = equivalence(mine, others, contrast.within)
        estimate, hypothesis = tested.difference, f"within {contrast.within:g}"
        verdict = {"equivalent": "holds", "different": "does not hold", "not shown": "not shown"}[tested.verdict]
    above, p_value = improvement_probability(mine, others)
    return {
        "task": task,
        "contrast": contrast.name or f"{contrast.of} - {contrast.less}",
        "hypothesis": hypothesis,
        **columns("difference", estimate),
        "confidence": 0.95 if contrast.within is None else 0.90,
        **columns("improvement", above),
        "mann_whitney_p": number(p_value),
        "seeds": f"{len(mine)} of {planned[0]}, {len(others)} of {planned[1]}",
        "verdict": _when_complete(verdict, [len(mine), len(others)], planned),
    }


def _when_complete(verdict: str, seeds: list[int], planned: list[int]) -> str:
    """Return the verdict once all that was planned is there: who looks again and again finds something in the end."""
    if not all(seeds):
        return "not run yet"
    if seeds != planned:
        return "not complete"
    return verdict if min(seeds) >= MIN_SEEDS else "too few seeds"


def _verdict(difference: Estimate, above: float) -> str:
    """Return whether a difference is at least `above`: by both bounds of its interval."""
    if difference.low >= above:
        return "holds"
    return "does not hold" if difference.high < above else "not shown"
