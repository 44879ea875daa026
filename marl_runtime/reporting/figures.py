"""What a comparison shows: curves, final figures, probabilities of improvement, bits and sample efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from marl_runtime.comparison import Comparison
from marl_runtime.reporting.reading import scripted_marks
from marl_runtime.statistics import Estimate, StepsTo, improvement_probability, median_steps, over_seeds, steps_to
from reporting import Block, Chart, Column, Grid, Note, Section, Table
from reporting.charts import heat_map, intervals, lines, nominal, quantitative, spec

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "LAST",
    "band_rows",
    "curves_section",
    "efficiency_section",
    "finals_section",
    "improvement_rows",
    "level_rows",
    "runs_section",
]

LAST = 5
"""Evaluations at the end of a run whose mean is its final figure."""


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


def curves_section(found: Comparison, names: list[str], scripted_episodes: int) -> Section:
    """Return success and return over training, method by method."""
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


def finals_section(
    table: pd.DataFrame, bits: Mapping[str, float | None], chance: list[dict[str, Any]], methods: int
) -> Section:
    """Return the table of final figures, their intervals, who is better how surely, and what bits buy."""
    rows = [{**row, "bits": bits.get(row["method"])} for row in _records(table)]
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


def efficiency_section(curves: pd.DataFrame, names: list[str]) -> Section:
    """Return how many steps each level of success took."""
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
        from_zero=True,
    )
    about = (
        "Further left is faster. A line ends at the highest level that half of the method's runs came to, once at "
        "least."
    )
    return Section("Sample efficiency", [Chart("Steps to a level of success", about, chart)])


def runs_section(seeds: pd.DataFrame) -> Section:
    """Return one row per run."""
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
        [Table("Runs", columns, _records(seeds), f"Means over the last {LAST} evaluations of each run.")],
    )


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table's rows by column name."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
