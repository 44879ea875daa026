"""Methods side by side under the same learner: one process per run, and a table that says how sure it is.

A comparison is resumable: a run that is complete is not repeated, one that was killed goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buffers.errors import RejectedError, ResourceError, UnknownNameError, UsageError
from buffers.progress import Progress, silent
from marl_runtime.evaluation import EvalConfig, evaluate_scripted
from marl_runtime.methods import find_method
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import find_run
from marl_runtime.statistics import Estimate, difference_over_seeds, over_seeds
from marl_runtime.sweeping.jobs import Limits, LocalJob, Ticket, cores, train_tickets
from marl_runtime.tasks import find_task
from marl_runtime.training import prepare
from marl_runtime.training_config import TrainConfig

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "compare", "difference", "find_run", "report", "train_all"]


@dataclass(frozen=True)
class Comparison:
    """What came out.

    `table` has one row per method (and scripted policy): interquartile mean over seeds of success and return, each a
    mean over the last evaluations, with bootstrap intervals over seeds. `seeds` has one row per run, `curves` one per
    evaluation.
    """

    task: str
    table: pd.DataFrame
    seeds: pd.DataFrame
    curves: pd.DataFrame
    runs: Mapping[tuple[str, int], Path]

    def save(self, folder: Path) -> None:
        """Write the three tables as CSV."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("table", "seeds", "curves"):
            getattr(self, name).to_csv(folder / f"{name}.csv", index=False)

    def to_json(self) -> dict[str, Any]:
        """Return the tables as plain JSON values."""
        tables = {name: json.loads(getattr(self, name).to_json(orient="records")) for name in ("table", "seeds")}
        return {"task": self.task, **tables, "runs": [str(path) for path in self.runs.values()]}


def compare(
    base: TrainConfig,
    methods: Sequence[str],
    seeds: Sequence[int],
    *,
    root: Path = Path("runs"),
    workers: int | None = None,
    last_evaluations: int = 5,
    scripted_episodes: int = 1_000,
    progress: Progress = silent,
) -> Comparison:
    """Train every method with every seed as `base` says, `workers` at once, and compare them.

    A run that fails does not stop the others; it is named in the `ResourceError` at the end. Ctrl-C stops all of them
    at a checkpoint.
    """
    if not methods or not seeds:
        raise UsageError("a comparison needs at least one method and one seed")
    runs: dict[tuple[str, int], Path] = {}
    # seed by seed, so that a comparison that is stopped early has every method
    for seed in seeds:
        for method in methods:
            config = _config(base, method, seed)
            runs[method, seed] = find_run(config, root) or prepare(config, root)
    train_all(runs, base.steps, workers or cores(), progress)
    return report(base.task, runs, last_evaluations, scripted_episodes)


def _config(base: TrainConfig, method: str, seed: int) -> TrainConfig:
    kind = find_method(method)
    needs = kind.needs_protocol or kind.needs_messages
    return replace(base, method=method, seed=seed, protocol=base.protocol if needs else None)


def train_all(runs: Mapping[tuple[str, int], Path], steps: int, workers: int, progress: Progress = silent) -> None:
    """Train all `runs` to their end, `workers` at once, each in a process of its own; see `compare`."""
    unfinished = {f"{method} {seed}": run for (method, seed), run in runs.items() if not RunFolder(run).finished}
    tickets = [Ticket(key, partial(Path, run), steps) for key, run in unfinished.items()]
    complete = steps * (len(runs) - len(tickets))

    def shown(done: int, total: int, text: str) -> None:
        progress(complete + done, complete + total, text)

    try:
        tally = train_tickets(tickets, LocalJob, Limits(workers), shown)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "stopped, every run at a checkpoint of its own; the same command goes on from there"
        ) from None
    failed = list(tally.failed.values())
    failed += [f"{run}: it is being trained by another process" for run in tally.elsewhere.values()]
    if failed:
        raise ResourceError(f"{len(failed)} of {len(runs)} runs failed, the others are complete: {'; '.join(failed)}")


def report(
    task_name: str,
    runs: Mapping[tuple[str, int], Path],
    last_evaluations: int = 5,
    scripted_episodes: int = 1_000,
    up_to: int | None = None,
) -> Comparison:
    """Return the tables of runs that were trained, complete or not: each is taken at its last evaluations.

    With `up_to`, evaluations after that many environment steps are left out, so that longer runs count as shorter ones.
    """
    import pandas as pd

    rows_of = (row for key, path in runs.items() for row in _curve(*key, path))
    curves = pd.DataFrame([row for row in rows_of if up_to is None or row["step"] <= up_to])
    if curves.empty:
        raise RejectedError("none of the runs has an evaluation yet")
    seeds = pd.DataFrame([_final(*key, path, curves, last_evaluations) for key, path in runs.items()])
    rows = [_summary(method, seeds[seeds.method == method]) for method in dict.fromkeys(m for m, _ in runs)]
    for policy in find_task(task_name).scripted:
        played = evaluate_scripted(task_name, policy, EvalConfig(episodes=scripted_episodes))
        rows.append(
            {
                "method": f"scripted: {policy}",
                "seeds": 0,
                "steps": 0,
                **_columns("success", played.success),
                **_columns("return", played.returns),
            }
        )
    return Comparison(task_name, pd.DataFrame(rows), seeds, curves, dict(runs))


def _curve(method: str, seed: int, run: Path) -> list[dict[str, Any]]:
    return [
        {
            "method": method,
            "seed": seed,
            "step": row["step"],
            "success": row["test/success"],
            "return": row["test/return"],
            "episodes": row["test/episodes"],
        }
        for row in read_metrics(run)
        if "test/success" in row
    ]


def _final(method: str, seed: int, run: Path, curves: pd.DataFrame, last: int) -> dict[str, Any]:
    mine = curves[(curves.method == method) & (curves.seed == seed)].tail(last)
    counts = [row for row in read_metrics(run) if "count/updates" in row]
    end = counts[-1] if counts else {}
    return {
        "method": method,
        "seed": seed,
        "steps": int(mine.step.max()) if len(mine) else 0,
        "success": float(mine.success.mean()),
        "return": float(mine["return"].mean()),
        "episodes": int(mine.episodes.sum()),
        "updates_per_step": end.get("count/updates_per_step"),
        "steps_per_cpu_second": end.get("time/steps_per_cpu_second"),
        "cpu_seconds": end.get("time/cpu_seconds"),
        "complete": RunFolder(run).finished,
        "run": run.name,
    }


def _summary(method: str, seeds: pd.DataFrame) -> dict[str, Any]:
    known = seeds.dropna(subset=["success"])
    return {
        "method": method,
        "seeds": len(known),
        "steps": int(known.steps.min()) if len(known) else 0,
        **_columns("success", over_seeds(known.success.tolist())),
        **_columns("return", over_seeds(known["return"].tolist())),
        "updates_per_step": known.updates_per_step.mean(),
        "steps_per_cpu_second": known.steps_per_cpu_second.mean(),
    }


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def difference(comparison: Comparison, method: str, other: str, measure: str = "success") -> Estimate:
    """Return how much better `method` is than `other`: the difference of interquartile means, seeds resampled."""
    seeds = comparison.seeds
    for name in (method, other):
        if name not in set(seeds.method):
            raise UnknownNameError("compared method", name, set(seeds.method))
    values = {name: seeds[seeds.method == name][measure].tolist() for name in (method, other)}
    return difference_over_seeds(values[method], values[other])
