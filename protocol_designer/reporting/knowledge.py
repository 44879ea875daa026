"""What each agent knows of each state field: without messages, after each pass, and over the episode."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from protocol_designer.reporting.reading import Design
from reporting import Block, Chart, Note, Section, Text
from reporting.charts import heat_map, nominal, quantitative

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["knowledge_section", "stage_name", "time_section"]

MOST_ROWS = 12_000
"""Cells of a chart beyond which it is left out: a browser would take seconds to draw it."""


def stage_name(name: str) -> str:
    """Return what a folder of scores is called for people."""
    return {"none": "no protocol", "held_out": "held out"}.get(name, name.replace("pass", "after pass "))


def fields_of(design: Design) -> list[str]:
    """Return the fields of which some agent's knowledge is scored after the last pass, in the schema's order."""
    last = design.tables[design.passes[-1] if design.passes else next(iter(design.tables))]
    scored = set(last[last.scored].field)
    return [name for name in dict.fromkeys(last.field) if name in scored]


def knowledge_section(design: Design) -> Section | None:
    """Return the heat maps of agent by field, one for each score; None where nothing was scored."""
    if not design.tables:
        return None
    fields = fields_of(design)
    names = ["none", *design.passes] if "none" in design.tables else design.passes
    rows = [row for name in names for row in _cells(design, name, "full", stage_name(name), fields)]
    if design.passes:
        last = design.passes[-1]
        rows += _cells(design, last, "empty", "empty inbox", fields)
    blocks: list[Block] = [
        Text(
            "A cell is the share of steps in which an agent can rebuild a state field: within 2 map units for a place, "
            "within a tenth of the field's range for other numbers, the right value for a yes or no. Yellow is known, "
            "dark blue is not. The last panel takes the messages away from the finished protocol: what is dark "
            "there and "
            "light to its left is known through messages alone."
        )
    ]
    if len(rows) > MOST_ROWS:
        return Section("What each agent knows", [*blocks, Note(f"{len(rows):,} cells are too many to draw.")])
    agents = ", ".join(dict.fromkeys(row["agent"] for row in rows))
    about = f"Columns are agents: {agents}. Hover over a cell for its interval, its error and the field's meaning."
    chart = heat_map(
        "Share of steps in which each agent knows each state field: no protocol, after each pass, empty inbox",
        rows,
        x=("who", None),
        y=("name", None),
        value=("success", "share of steps in which the field is known"),
        column=("stage", None),
        tooltip=_tips(),
        step=36,
    )
    blocks.append(Chart("Known fields by agent, pass by pass", about, chart))
    return Section("What each agent knows", blocks)


def _tips() -> list[dict[str, Any]]:
    return [
        nominal("stage", "measured"),
        nominal("agent", "agent"),
        nominal("field", "field"),
        nominal("meaning", "meaning"),
        quantitative("success", "share of steps known", format=".3f"),
        quantitative("interval", "95 % interval ±", format=".3f"),
        nominal("error", "root mean squared error"),
        nominal("note", "note"),
    ]


def _cells(design: Design, name: str, condition: str, stage: str, fields: list[str]) -> list[dict[str, Any]]:
    frame = design.tables[name]
    known = {f.name: f for f in design.schema.state_fields} if design.schema else {}
    rows = []
    for row in frame[frame.field.isin(fields)].to_dict("records"):
        told = known.get(str(row["field"]))
        error, unit = row.get(f"rmse_{condition}", math.nan), str(row["unit"])
        rows.append(
            {
                "stage": stage,
                "who": str(row["agent"]),
                "agent": f"{row['agent']} {row['role']}",
                "field": row["field"],
                "name": _with_unit(str(row["field"]), unit),
                "meaning": told.meaning if told else "",
                "success": row[f"success_{condition}"],
                "interval": row[f"success_{condition}_ci"],
                "error": "" if math.isnan(error) else f"{error:.2f} {'' if unit == '1' else unit}".strip(),
                "note": row["reason"],
            }
        )
    return rows


def _with_unit(field: str, unit: str) -> str:
    return field if unit in ("1", "", "nan") else f"{field} ({unit})"


def time_section(design: Design) -> Section | None:
    """Return the heat map of field by part of the episode, agent by agent; None where it was not measured."""
    names = [name for name in design.tables if name in design.parts and name != "held_out"]
    if not names:
        return None
    fields = fields_of(design)
    rows: list[dict[str, Any]] = []
    for name in names:
        rows += _over_time(design, name, "full", f"{stage_name(name)}", fields)
    if names[-1] != "none":
        rows += _over_time(design, names[-1], "empty", "empty inbox", fields)
    choices = list(dict.fromkeys(row["stage"] for row in rows))
    finished = stage_name(names[-1])
    # the first thing shown is the finished protocol
    choices = [*[choice for choice in choices if choice != finished], finished]
    text = Text(
        "The same over the episode, cut into five parts of equal length: a protocol that tells early lets a team act "
        "early. Choose what was measured; “empty inbox” is the finished protocol without its messages."
    )
    if len(rows) > MOST_ROWS:
        return Section("When it is known", [text, Note(f"{len(rows):,} cells are too many to draw.")])
    chart = heat_map(
        "Share of steps in which each agent knows each state field, in five parts of the episode",
        rows,
        x=("part", None),
        y=("name", None),
        value=("success", "share of steps in which the field is known"),
        column=("agent", None),
        tooltip=[
            nominal("stage", "measured"),
            nominal("agent", "agent"),
            nominal("field", "field"),
            nominal("part", "part of the episode"),
            quantitative("success", "share of steps known", format=".3f"),
        ],
        choices={"stage": ("Measured", choices)},
        step=31,
    )
    about = "Columns 1 to 5 are the fifths of the episode, from its first steps to its last ones."
    return Section("When it is known", [text, Chart("Known fields over the episode, agent by agent", about, chart)])


def _over_time(design: Design, name: str, condition: str, stage: str, fields: list[str]) -> list[dict[str, Any]]:
    frame: pd.DataFrame = design.parts[name]
    table = design.tables[name]
    role = dict(zip(table.agent.tolist(), table.role.tolist(), strict=True))
    unit = dict(zip(table.field.tolist(), table.unit.tolist(), strict=True))
    return [
        {
            "stage": stage,
            "agent": f"{row['agent']} {role.get(row['agent'], '')}".strip(),
            "field": row["field"],
            "name": _with_unit(str(row["field"]), unit.get(row["field"], "")),
            "part": str(int(row["part"]) + 1),
            "success": row[f"success_{condition}"],
        }
        for row in frame[frame.field.isin(fields)].to_dict("records")
    ]
