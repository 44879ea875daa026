"""Learning curves and losses of one run."""

from __future__ import annotations

from typing import Any

from marl_runtime.reporting.reading import Run, scripted_marks
from reporting import Block, Chart, Grid, Note, Section, Text
from reporting.charts import lines

__all__ = ["curves_section", "losses_section"]

STEPS = ("step", "environment steps")

_LOSSES = {
    "learner/td_loss": ("TD loss", "mean squared TD error"),
    "learner/reconstruction_loss": ("Reconstruction loss", "mean squared error"),
    "learner/sai_loss": ("SAI loss", "cross-entropy (nats)"),
    "learner/cycle_loss": ("Cycle loss", "mean squared difference"),
    "learner/success": ("Fields rebuilt within the tolerance", "share"),
    "learner/gate": ("Gate of the encoder", "mean gate, 0 to 1"),
    "learner/z_variance": ("Variance of z", "variance"),
    "learner/grad_norm_utility": ("Gradient of the utility network", "norm before clipping"),
    "learner/grad_norm_communication": ("Gradient of the communication module", "norm before clipping"),
    "train/epsilon": ("Exploration", "share of random actions"),
}


def curves_section(run: Run, scripted_episodes: int) -> Section:
    """Return success and return over training, beside the scripted policies."""
    task = run.config.task if run.config else ""
    rows = [
        {
            "step": row["step"],
            "policy": "greedy",
            "success": row["test/success"],
            "success_low": row.get("test/success_low"),
            "success_high": row.get("test/success_high"),
            "return": row.get("test/return"),
        }
        for row in run.metrics
        if row.get("test/success") is not None
    ]
    explored = [
        {
            "step": row["step"],
            "policy": "exploring",
            "success": row["train/success"],
            "return": row.get("train/return"),
        }
        for row in run.metrics
        if row.get("train/success") is not None
    ]
    if not rows and not explored:
        return Section("Learning curves", [Note("The run has no evaluation yet: nothing was logged.")])
    charts = []
    for measure, title, unit in (
        ("success", "Success", "share of episodes that succeed"),
        ("return", "Return", "mean return of an episode"),
    ):
        marks = scripted_marks(task, measure, scripted_episodes) if task else []
        chart = lines(
            f"{unit} over training",
            [*rows, *explored],
            x=STEPS,
            y=(measure, unit),
            series=("policy", None),
            band=measure == "success",
            marks=marks,
            domain=(0.0, 1.0) if measure == "success" else None,
        )
        band = (
            " The band is the 95 % Wilson interval over the episodes of an evaluation." if measure == "success" else ""
        )
        policies = f" Dotted: scripted policies, {scripted_episodes:,} episodes each." if marks else ""
        charts.append(
            Chart(
                title,
                "Greedy episodes of evaluations and, dashed, those of training with its random "
                f"actions.{band}{policies}",
                chart,
            )
        )
    return Section("Learning curves", [Grid(charts)])


def losses_section(run: Run) -> Section | None:
    """Return a chart for each loss that the run logged; None where it logged none."""
    charts = []
    for name, (title, unit) in _LOSSES.items():
        rows = [{**row, "name": title} for row in run.rows(name)]
        if rows:
            charts.append(
                _small(title, unit, f"{name} in the log: means over the updates between two of its rows.", rows)
            )
    values = [
        {**row, "name": label}
        for name, label in (("learner/q_tot", "joint value"), ("learner/target", "TD target"))
        for row in run.rows(name)
    ]
    if values:
        charts.insert(
            1,
            _small(
                "Joint value and target",
                "mean value",
                "A value far above every return that was played is wrong.",
                values,
            ),
        )
    if not charts:
        return None
    blocks: list[Block] = [Text("docs/metrics.md defines every one."), Grid(charts)]
    return Section("Losses and what goes with them", blocks)


def _small(title: str, unit: str, about: str, rows: list[dict[str, Any]]) -> Chart:
    chart = lines(f"{title} over training", rows, x=STEPS, y=("value", unit), series=("name", None), height=170)
    return Chart(title, about, chart)
