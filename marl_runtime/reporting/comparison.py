"""Runs side by side: curves, final figures with intervals, who is better and how surely, bits, sample efficiency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buffers.errors import ProtocolDesignerError
from marl_runtime.comparison import Comparison, report
from marl_runtime.configuration import to_json
from marl_runtime.reporting.reading import Run, read_run, scripted_marks
from marl_runtime.statistics import Estimate, StepsTo, improvement_probability, median_steps, over_seeds, steps_to
from reporting import Block, Chapter, Chart, Column, Facts, Grid, Note, Section, Table, Text
from reporting.charts import heat_map, intervals, lines, nominal, quantitative, spec

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["band_rows", "comparison_chapters", "improvement_rows", "labels_of", "level_rows"]

Key = tuple[str, int]
LAST = 5
"""Evaluations at the end of a run whose mean is its final figure."""


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
        _curves(found, names, scripted_episodes),
        _finals(table, bits, chance, len(names)),
        _efficiency(found.curves, names),
        _runs(found.seeds),
    ]


def _bits(run: Run) -> float | None:
    """Return the bits per step and link of a run's protocol: 0 without one, None where it was not measured."""
    if run.config is None or run.config.protocol is None:
        return 0.0
    return None if run.manifest is None else run.manifest.bandwidth.get("total")


def improvement_rows(values: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Return, for each ordered pair of methods, how likely a run of the one is better than one of the other."""
    rows = []
    for name in values:
        for other in values:
            if name == other:
                continue
            estimate, p = improvement_probability(values[name], values[other])
            rows.append(
                {
                    "method": name,
                    "other": other,
                    "chance": estimate.value,
                    "low": estimate.low,
                    "high": estimate.high,
                    "p": p,
                }
            )
    return rows


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


def _curves(found: Comparison, names: list[str], scripted_episodes: int) -> Section:
    charts = []
    for measure, unit in (("success", "share of episodes that succeed"), ("return", "mean return of an episode")):
        chart = lines(
            f"{unit} over training, method by method",
            band_rows(found.curves, names, measure),
            x=("step", "environment steps"),
            y=(measure, unit),
            series=("method", None),
            band=True,
            marks=scripted_marks(found.task, measure, scripted_episodes),
            domain=(0.0, 1.0) if measure == "success" else None,
            height=320,
        )
        about = (
            "Interquartile mean over seeds; the band is its 95 % bootstrap interval over seeds. Dotted: scripted "
            "policies."
        )
        charts.append(Chart(measure.capitalize(), about, chart))
    return Section("Learning curves", [Grid(charts)])


def band_rows(curves: pd.DataFrame, names: Sequence[str], measure: str) -> list[dict[str, Any]]:
    """Return, method by method and evaluation by evaluation, the interquartile mean over seeds with its interval.

    Evaluations fall between rounds of play, so that seeds differ by some steps: the k-th of each seed go together, at
    their mean step. Beyond the end of its shortest run a method has no figure.
    """
    rows: list[dict[str, Any]] = []
    for name in names:
        mine = curves[curves.method == name].dropna(subset=[measure])
        by_seed = [group.sort_values("step") for _, group in mine.groupby("seed")]
        for k in range(min((len(group) for group in by_seed), default=0)):
            estimate = over_seeds([float(group[measure].iloc[k]) for group in by_seed])
            step = sum(float(group.step.iloc[k]) for group in by_seed) / len(by_seed)
            rows.append({"method": name, "step": round(step), **_columns(measure, estimate)})
    return rows


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _finals(
    table: pd.DataFrame, bits: Mapping[str, float | None], chance: list[dict[str, Any]], methods: int
) -> Section:
    rows = [{**row, "bits": bits.get(row["method"])} for row in table.to_dict("records")]
    rows = [row if row["seeds"] else {**row, "seeds": None, "steps": None} for row in rows]
    columns = (
        Column("method", "method"),
        Column("seeds", "seeds"),
        Column("steps", "steps"),
        Column("success", "success [95 %]", 3, bounds=True),
        Column("return", "return [95 %]", 2, bounds=True),
        Column("bits", "bits per step and link", 0),
        Column("updates_per_step", "updates per step", 4),
        Column("steps_per_cpu_second", "steps per CPU second", 0),
    )
    about = (
        f"Of a method: the interquartile mean over seeds of the last {LAST} evaluations, with a bootstrap interval "
        "over seeds. "
        "Of a scripted policy, which has no seeds: the mean over its episodes, with an interval over episodes."
    )
    name = ("method", None)
    blocks: list[Block] = [
        Table("Final figures", columns, rows, about),
        Chart(
            "Success in the end",
            "Points are the figures of the table, whiskers their 95 % intervals.",
            intervals(
                "Final success by method", rows, x=("success", "share of episodes that succeed"), y=name, domain=(0, 1)
            ),
        ),
    ]
    if methods > 1:
        blocks.append(_chances(chance))
    priced = [row for row in rows if row["seeds"] and row["bits"] is not None]
    if len({row["bits"] for row in priced}) > 1:
        blocks.append(_price(priced))
    return Section("Who is better, and how surely", blocks)


def _chances(chance: list[dict[str, Any]]) -> Chart:
    chart = heat_map(
        "Probability that a run of the method in the row is better than one of the method in the column",
        chance,
        x=("other", "than a run of"),
        y=("method", "a run of"),
        value=("chance", "probability that it is better"),
        tooltip=[
            nominal("method", "method"),
            nominal("other", "than"),
            quantitative("chance", "probability that it is better", format=".2f"),
            quantitative("low", "95 % low", format=".2f"),
            quantitative("high", "95 % high", format=".2f"),
            quantitative("p", "p (Mann-Whitney)", format=".2g"),
        ],
        step=90,
        rows_step=34,
        order=list(dict.fromkeys(row["method"] for row in chance)),
    )
    about = (
        "1: every run of the row's method is better than every one of the column's; 0.5: a toss. Intervals are in "
        "the tips."
    )
    return Chart("Probability of improvement", about, chart)


def _price(rows: list[dict[str, Any]]) -> Chart:
    y = "share of episodes that succeed"
    scale = {"domain": [0, 1]}
    x = quantitative("bits", "bits per step and link, all senders", scale={"zero": True}, axis={"tickCount": 8})
    tips = [
        nominal("method", "method"),
        quantitative("success", y, format=".3f"),
        quantitative("bits", "bits", format=",.0f"),
    ]
    at = {"x": x, "y": quantitative("success", y, scale=scale), "tooltip": tips}
    whisker = {"x": x, "y": quantitative("success_low", y, scale=scale), "y2": {"field": "success_high"}}
    label = {"x": x, "y": at["y"], "text": nominal("method", None)}
    chart = spec(
        "Final success against what the protocol says per step",
        rows,
        height=260,
        layer=[
            {"mark": {"type": "rule", "size": 2}, "encoding": whisker},
            {"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1}, "encoding": at},
            {"mark": {"type": "text", "align": "left", "dx": 9}, "encoding": label},
        ],
    )
    return Chart(
        "Success against bits",
        "Up and to the left is better. Bits are those measured when the protocol was designed.",
        chart,
    )


def level_rows(curves: pd.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return when the median run of each method first came to each twentieth of success that it came to."""
    rows: list[dict[str, Any]] = []
    for name in names:
        mine = curves[curves.method == name].dropna(subset=["success"])
        by_seed = [group.sort_values("step") for _, group in mine.groupby("seed")]
        for twentieth in range(1, 21):
            level = twentieth / 20
            reached: list[StepsTo] = [steps_to(group.step.tolist(), group.success.tolist(), level) for group in by_seed]
            if not reached or not (median := median_steps(reached)).reached:
                break
            rows.append({"method": name, "level": level, "steps": median.steps})
    return rows


def _efficiency(curves: pd.DataFrame, names: list[str]) -> Section:
    rows = level_rows(curves, names)
    if not rows:
        return Section("Sample efficiency", [Note("No method's median run came to a success of 5 % yet.")])
    chart = lines(
        "Environment steps that the median run needed to come to a level of success",
        rows,
        x=("steps", "environment steps"),
        y=("level", "success that was reached"),
        series=("method", None),
        domain=(0.0, 1.0),
    )
    about = (
        "Further left is faster. A line ends at the highest level that half of the method's runs came to, once at "
        "least."
    )
    return Section("Sample efficiency", [Chart("Steps to a level of success", about, chart)])


def _runs(seeds: pd.DataFrame) -> Section:
    columns = (
        Column("method", "method"),
        Column("seed", "seed"),
        Column("steps", "steps"),
        Column("success", "success", 3),
        Column("return", "return", 2),
        Column("episodes", "episodes evaluated"),
        Column("complete", "complete"),
        Column("cpu_seconds", "CPU seconds", 0),
        Column("run", "run"),
    )
    return Section(
        "Run by run",
        [Table("Runs", columns, seeds.to_dict("records"), f"Means over the last {LAST} evaluations of each run.")],
    )
