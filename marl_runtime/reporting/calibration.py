"""Whether the agents know what they know: the SAI head's word against what was right, as a run's evaluation left it."""

from __future__ import annotations

from typing import Any

from marl_runtime.reporting.reading import Run
from reporting import Block, Chart, Column, Fold, Section, Table, Text
from reporting.charts import PALETTE, quantitative, spec

__all__ = ["calibration_section"]


def calibration_section(run: Run) -> Section | None:
    """Return the reliability curve and its figures; None for a run without the file."""
    found = run.calibration
    if found is None:
        return None
    auroc = "not defined, since all or none are right" if found["auroc"] is None else f"{found['auroc']:.3f}"
    said = (
        f"Over {found['estimates']:,} estimates of the evaluation at step {found['step']:,}: a right estimate was "
        "foretold a higher "
        f"probability than a wrong one with probability {auroc} (AUROC; 0.5 is chance). Foretold and found differ by "
        f"{found['error']:.3f} on average (expected calibration error); the Brier score is {found['brier']:.3f}."
    )
    rows = [{"field": name, **shares} for name, shares in found["by_field"].items()]
    columns = (Column("field", "field"), Column("foretold", "foretold", 3), Column("right", "right", 3))
    about = (
        "On the diagonal agents are as often right as they say; below it they are too sure of themselves. Larger "
        "points hold more."
    )
    blocks: list[Block] = [
        Text(said),
        Chart("How often agents are right that say they are", about, _curve(found["curve"])),
        Fold("Field by field", [Table("Foretold and right, field by field", columns, rows)]),
    ]
    return Section("Do the agents know what they know", blocks)


def _curve(bins: list[dict[str, Any]]) -> dict[str, Any]:
    scale = {"domain": [0, 1]}
    x = quantitative("foretold", "foretold probability of being right", scale=scale)
    y = quantitative("right", "share that is right", scale=scale)
    tips = [
        quantitative("foretold", "foretold", format=".3f"),
        quantitative("right", "right", format=".3f"),
        quantitative("count", "estimates", format=",.0f"),
    ]
    size = quantitative("count", None, scale={"range": [40, 400]}, legend=None)
    diagonal = {"values": [{"foretold": 0, "right": 0}, {"foretold": 1, "right": 1}]}
    return spec(
        "Share of estimates that are right against the foretold probability, in ten bins",
        bins,
        height=300,
        layer=[
            {
                "data": diagonal,
                "mark": {"type": "line", "strokeDash": [4, 4], "color": PALETTE[6]},
                "encoding": {"x": x, "y": y},
            },
            {"mark": {"type": "line", "color": PALETTE[0]}, "encoding": {"x": x, "y": y}},
            {
                "mark": {"type": "point", "filled": True, "opacity": 1, "color": PALETTE[0]},
                "encoding": {"x": x, "y": y, "size": size, "tooltip": tips},
            },
        ],
    )
