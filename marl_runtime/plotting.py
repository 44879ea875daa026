"""Learning curves with bands, from run folders to PNG or SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from buffers.errors import RejectedError, UsageError
from buffers.memory import naming_full_disk
from marl_runtime.configuration import to_json
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import UNDECIDING, gathering_steps, read_config, run_hash
from marl_runtime.statistics import over_seeds
from marl_runtime.training_config import TrainConfig

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Curve", "Line", "curve_table", "draw", "find_runs_below", "read_lines"]

FORMATS = (".png", ".svg")
MEASURES = ("success", "return")
# Okabe and Ito's colours, which people tell apart whatever they see of red and green; yellow is too pale for a line
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Curve:
    """One run's evaluations: `steps` [K] include what was spent on gathering, `values` [K]."""

    seed: int
    steps: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """The runs of one task and one way of training, one curve for each seed."""

    task: str
    name: str
    curves: tuple[Curve, ...]


def find_runs_below(folders: Sequence[Path]) -> list[Path]:
    """Return the runs that the folders are or hold; a folder with none raises `UsageError`."""
    found: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder: name runs, or a folder of runs")
        mine = [folder] if (folder / "config.json").exists() else [p.parent for p in folder.glob("*/config.json")]
        if not mine:
            raise UsageError(f"{folder} is not a run and holds none: a run has a config.json")
        found += sorted(mine)
    return list(dict.fromkeys(found))


def read_lines(runs: Sequence[Path], measure: str = "success") -> list[Line]:
    """Return the runs' curves, runs that differ by seed or length alone in one line.

    Of two runs with the same seed the one that is further counts. Runs without an evaluation are left out; without any
    that has one it raises `RejectedError`.
    """
    if measure not in MEASURES:
        raise UsageError(f"unknown measure {measure!r}: success or return")
    groups: dict[str, dict[int, Curve]] = {}
    configs: dict[str, TrainConfig] = {}
    for run in runs:
        config, curve = read_config(run), _curve(run, measure)
        if curve is None:
            continue
        key = run_hash(replace(config, seed=0, steps=1), RunFolder(run).protocol)
        configs.setdefault(key, config)
        known = groups.setdefault(key, {}).get(config.seed)
        if known is None or known.steps[-1] < curve.steps[-1]:
            groups[key][config.seed] = curve
    if not groups:
        raise RejectedError(f"none of the {len(runs)} runs has an evaluation yet")
    names = _names(configs)
    return [
        Line(configs[key].task, names[key], tuple(curves[seed] for seed in sorted(curves)))
        for key, curves in groups.items()
    ]


def _curve(run: Path, measure: str) -> Curve | None:
    rows = [row for row in read_metrics(run) if row.get(f"test/{measure}") is not None]
    if not rows:
        return None
    start = gathering_steps(RunFolder(run).protocol) or 0
    steps = np.array([start + row["step"] for row in rows], dtype=np.float64)
    return Curve(read_config(run).seed, steps, np.array([row[f"test/{measure}"] for row in rows], dtype=np.float64))


def _names(configs: Mapping[str, TrainConfig]) -> dict[str, str]:
    """Return key → method, with the options in which it differs from other lines of that method and task."""
    names = {}
    for key, config in configs.items():
        others = [_flat(c) for c in configs.values() if (c.task, c.method) == (config.task, config.method)]
        mine = _flat(config)
        told = [
            f"{Path(str(value)).name if name == 'protocol' else f'{name} {value}'}"
            for name, value in mine.items()
            if any(other.get(name) != value for other in others)
        ]
        names[key] = ", ".join([config.method, *told])
    return names


def _flat(config: TrainConfig) -> dict[str, Any]:
    """Return the options that may tell lines apart, nested ones by their own name."""
    value = to_json(config)
    flat: dict[str, Any] = {}
    for name, entry in value.items():
        if name == "protocol" or name not in ("seed", "steps", "task", "method", *UNDECIDING):
            flat |= {f"{name}.{key}": v for key, v in entry.items()} if isinstance(entry, dict) else {name: entry}
    return flat


def curve_table(lines: Sequence[Line]) -> pd.DataFrame:
    """Return what is drawn: task, line, step, the interquartile mean over seeds, its interval, how many seeds.

    Seeds are evaluated at slightly different steps, so each curve is read between its points, at the steps of the
    shortest one: a line ends where the first of its runs does.
    """
    import pandas as pd

    rows = []
    for line in lines:
        shortest = min(line.curves, key=lambda curve: curve.steps[-1])
        read = np.stack([np.interp(shortest.steps, curve.steps, curve.values) for curve in line.curves])
        for step, values in zip(shortest.steps, read.T, strict=True):
            estimate = over_seeds(values.tolist())
            row = {"task": line.task, "line": line.name, "step": int(step), "value": estimate.value}
            rows.append(row | {"low": estimate.low, "high": estimate.high, "seeds": len(line.curves)})
    return pd.DataFrame(rows)


def draw(lines: Sequence[Line], table: pd.DataFrame, path: Path, measure: str = "success") -> None:
    """Draw one panel for each task into `path`, a .png or .svg; another ending raises `UsageError`."""
    require_format(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    tasks = list(dict.fromkeys(line.task for line in lines))
    names = list(dict.fromkeys(line.name for line in lines))
    looks = {name: (COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]) for k, name in enumerate(names)}
    with rc_context({"font.size": 9, "svg.hashsalt": "design-protocol", "svg.fonttype": "none"}):
        figure = Figure(figsize=(max(5.0, 4.2 * len(tasks)), 3.6), layout="constrained")
        panels = figure.subplots(1, len(tasks), squeeze=False)[0]
        for panel, task in zip(panels, tasks, strict=True):
            mine = table[table.task == task]
            for name in dict.fromkeys(mine.line):
                _draw_line(panel, mine[mine.line == name], name, looks[name])
            panel.set_title(task, loc="left")
            panel.set_xlabel("environment steps, gathering included")
            panel.xaxis.set_major_formatter(EngFormatter(sep=""))
            panel.set_xlim(left=0)
            if measure == "success":
                panel.set_ylim(-0.02, 1.02)
            panel.grid(alpha=0.25, linewidth=0.6)
            panel.spines[["top", "right"]].set_visible(False)
            panel.legend(frameon=False, fontsize=8)
        panels[0].set_ylabel("success, greedy" if measure == "success" else "return, greedy")
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        with naming_full_disk(f"writing {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f".{path.stem}.partial{path.suffix}")
            figure.savefig(partial, dpi=160, metadata=metadata)
            partial.rename(path)


def require_format(path: Path) -> None:
    """Raise `UsageError` unless the file's ending is one that can be drawn."""
    if path.suffix not in FORMATS:
        raise UsageError(f"{path} ends in {path.suffix or 'nothing'}: name a file that ends in {' or '.join(FORMATS)}")


def _draw_line(panel: Any, rows: pd.DataFrame, name: str, look: tuple[str, str]) -> None:
    colour, dash = look
    seeds = int(rows.seeds.iloc[0])
    label = f"{name} ({seeds} seed{'s' if seeds > 1 else ''})"
    panel.plot(rows.step, rows.value, color=colour, linestyle=dash, linewidth=1.6, label=label)
    if rows.low.notna().all():
        panel.fill_between(rows.step, rows.low, rows.high, color=colour, alpha=0.18, linewidth=0)
    # a dot where training begins: what lies before it was spent on gathering
    panel.plot(rows.step.iloc[:1], rows.value.iloc[:1], color=colour, marker="o", markersize=3.5)
