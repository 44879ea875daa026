"""Runs side by side: curves, final figures with intervals, who is better and how surely, bits, sample efficiency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buffers.errors import ProtocolDesignerError
from marl_runtime.comparison import Comparison, report
from marl_runtime.configuration import to_json
from marl_runtime.methods import find_method
from marl_runtime.reporting.figures import (
    LAST,
    curves_section,
    efficiency_section,
    finals_section,
    improvement_rows,
    runs_section,
)
from marl_runtime.reporting.reading import Run, read_run
from reporting import Block, Chapter, Facts, Note, Section, Text

__all__ = ["comparison_chapters", "labels_of"]

Key = tuple[str, int]


def comparison_chapters(folders: Sequence[Path], where: str, scripted_episodes: int = 200) -> list[Chapter]:
    """Return one chapter for each task that the runs in `folders` are of; runs that cannot be read are named."""
    runs = [read_run(folder) for folder in folders]
    tasks = dict.fromkeys(run.config.task for run in runs if run.config)
    lost = [problem for run in runs if run.config is None for problem in run.problems]
    chapters = [
        _chapter(task, [run for run in runs if run.config and run.config.task == task], where, scripted_episodes)
        for task in tasks
    ]
    if lost:
        section = Section("What could not be read", [Note(problem) for problem in lost])
        if chapters:
            first = chapters[0]
            chapters[0] = Chapter(first.kind, first.title, first.where, [section, *first.sections])
        else:
            chapters = [Chapter("comparison", Path(where).name, where, [section])]
    return chapters


def labels_of(runs: Sequence[Run]) -> dict[Path, str]:
    """Return what each run is compared as: its method, with what runs of the method differ in."""
    found: dict[Path, str] = {}
    by_method: dict[str, list[Run]] = {}
    for run in runs:
        if run.config:
            by_method.setdefault(run.config.method, []).append(run)
    for method, mine in by_method.items():
        settings = [{**_dotted(to_json(run.config)), "protocol": _protocol(run)} for run in mine]
        differ = [
            name
            for name in settings[0]
            if name not in ("seed", "steps") and len({str(one.get(name)) for one in settings}) > 1
        ]
        for run, one in zip(mine, settings, strict=True):
            told = [
                str(one[name]) if name == "protocol" else f"{name.rpartition('.')[2]}={one[name]}" for name in differ
            ]
            found[run.folder] = f"{method} ({', '.join(told)})" if told else method
    return found


def _protocol(run: Run) -> str:
    return "" if run.config is None or run.config.protocol is None else Path(run.config.protocol).name


def _dotted(value: Any, name: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {name: value}
    return {
        key: leaf for part, below in value.items() for key, leaf in _dotted(below, f"{name}.{part}".lstrip(".")).items()
    }


def _chapter(task: str, runs: list[Run], where: str, scripted_episodes: int) -> Chapter:
    problems = [problem for run in runs for problem in run.problems]
    labels = labels_of(runs)
    chosen: dict[Key, Run] = {}
    # of runs with the same settings and seed the last complete one counts
    for run in sorted(runs, key=lambda run: (run.result is not None, run.folder.name)):
        assert run.config is not None
        key = (labels[run.folder], run.config.seed)
        if key in chosen:
            problems.append(f"{chosen[key].folder} is left out: {run.folder.name} has the same settings and seed")
        chosen[key] = run
    chosen = {key: chosen[key] for key in sorted(chosen)}
    try:
        found = report(task, {key: run.folder for key, run in chosen.items()}, LAST, max(scripted_episodes, 1))
        sections = _sections(found, chosen, scripted_episodes)
    except ProtocolDesignerError as error:
        problems.append(str(error))
        sections = []
    if problems:
        sections.insert(0, Section("What could not be read", [Note(problem) for problem in problems]))
    return Chapter("comparison", f"{task}: {len(labels)} runs compared", where, sections)


def _sections(found: Comparison, chosen: Mapping[Key, Run], scripted_episodes: int) -> list[Section]:
    table = found.table if scripted_episodes else found.table[found.table.seeds > 0]
    names = [str(name) for name in table[table.seeds > 0].method]
    bits = {name: _bits(run) for (name, _), run in chosen.items()}
    values = {name: found.seeds[found.seeds.method == name].success.dropna().tolist() for name in names}
    chance = improvement_rows(values)
    return [
        _summary(found, names, values, chance),
        curves_section(found, names, scripted_episodes),
        finals_section(table, bits, chance, len(names)),
        efficiency_section(found.curves, names),
        runs_section(found.seeds),
    ]


def _bits(run: Run) -> float | None:
    """Return the bits per step and link of a run's protocol: 0 without one, None where it was not measured.

    What a method says by a network of its own is not measured.
    """
    if run.config is None or find_method(run.config.method).needs_links:
        return None
    if run.config.protocol is None:
        return 0.0
    return None if run.manifest is None else run.manifest.bandwidth.get("total")


def _summary(
    found: Comparison, names: list[str], values: Mapping[str, Sequence[float]], chance: list[dict[str, Any]]
) -> Section:
    learned = found.table[found.table.seeds > 0].sort_values("success", ascending=False)
    counts = sorted({len(seeds) for seeds in values.values()})
    facts = [
        ("task", found.task),
        ("methods", str(len(names))),
        ("runs", str(len(found.seeds))),
        ("seeds of a method", " to ".join(str(count) for count in dict.fromkeys([counts[0], counts[-1]]))),
        ("complete runs", f"{int(found.seeds.complete.sum())} of {len(found.seeds)}"),
    ]
    blocks: list[Block] = [Facts(facts)]
    if len(learned):
        best = learned.iloc[0]
        said = f"Highest is {best.method}: {best.success:.1%} of episodes succeed{_bounds(best)}."
        if len(learned) > 1:
            second = str(learned.iloc[1].method)
            pair = next(row for row in chance if row["method"] == best.method and row["other"] == second)
            said += f" Next is {second}: {learned.iloc[1].success:.1%}{_bounds(learned.iloc[1])}. "
            said += (
                f"A run of {best.method} is better than one of {second} with probability {pair['chance']:.2f} (p = "
                f"{pair['p']:.2g})."
            )
        blocks.append(Text(said))
    if counts[0] < 5:
        blocks.append(
            Note(
                f"Some methods have {counts[0]} seed{'s' if counts[0] > 1 else ''}: too few for an interval over "
                "seeds to be trusted."
            )
        )
    return Section("In short", blocks)


def _bounds(row: Any) -> str:
    return "" if math.isnan(row.success_low) else f" [{row.success_low:.1%}, {row.success_high:.1%}]"
