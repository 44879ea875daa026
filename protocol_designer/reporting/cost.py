"""What messages cost: bits per link, and what each part and component brings for them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from protocol_designer.reporting.reading import Design
from reporting import Block, Chart, Column, Note, Section, Table, Text
from reporting.charts import PALETTE, bars, nominal, quantitative, spec

__all__ = ["cost_section", "gain_rows", "link_graph"]

MOST_AGENTS = 8
"""Agents up to which the links are drawn: more make a tangle."""


def gain_rows(design: Design) -> list[dict[str, Any]]:
    """Return one row per kept part: what it added to success (with messages) and to the bits, and their ratio.

    The added success of a part is measured beside the parts before it when it was decided on, with its interval.
    """
    rows, before = [], 0.0
    for entry in design.manifest.scores if design.manifest else ():
        if not (entry.get("keep") and entry.get("part")):
            continue
        figures, bits = entry.get("figures") or {}, entry.get("bits_per_step")
        gain = figures.get("gain")
        added = None if bits is None else bits - before
        rows.append(
            {
                "part": str(entry["part"]),
                "pass": entry.get("pass"),
                "gain": gain,
                "gain_low": figures.get("gain_low"),
                "gain_high": figures.get("gain_high"),
                "bits": added,
                "per_100_bits": 100 * gain / added if gain is not None and added else None,
            }
        )
        before = before if bits is None else bits
    return rows


def cost_section(design: Design) -> Section | None:
    """Return bits per sender and link, and gain per bit; None where nothing was measured."""
    manifest = design.manifest
    if manifest is None or not manifest.bandwidth.get("bits_per_step"):
        return None
    bits = [float(value) for value in manifest.bandwidth["bits_per_step"]]
    roles = design.schema.roles if design.schema and len(design.schema.roles) == len(bits) else ("",) * len(bits)
    names = [f"{agent} {role}".strip() for agent, role in enumerate(roles)]
    blocks: list[Block] = [
        Text(
            "A number that varies costs 32 bits in each step in which its sender speaks, one that takes two values 1 "
            "bit. A link goes from one sender to one receiver; every sender's message goes to all others."
        )
    ]
    if len(bits) <= MOST_AGENTS and any(bits):
        about = "An arrow is a link, as wide as what it carries; the number beside its start is bits per step."
        blocks.append(Chart("Who tells whom, and how much", about, link_graph(names, bits)))
    rows = [
        {"agent": name, "bits": value, "speaks": speaking, "numbers": varying}
        for name, value, speaking, varying in zip(
            names,
            bits,
            manifest.bandwidth.get("speaking", [None] * len(bits)),
            manifest.bandwidth.get("varying", [None] * len(bits)),
            strict=False,
        )
    ]
    tips = [
        nominal("agent", "sender"),
        quantitative("bits", "bits per step and link", format=".1f"),
        quantitative("speaks", "share of steps in which it speaks", format=".0%"),
        quantitative("numbers", "numbers that vary", format=".0f"),
    ]
    chart = bars(
        "Bits per step and link of each sender",
        rows,
        x=("bits", "bits per step and link"),
        y=("agent", None),
        tooltip=tips,
    )
    blocks.append(Chart("Bits by sender", f"All senders together: {sum(bits):,.0f} bits per step and link.", chart))
    blocks += _gains(design)
    return Section("What the messages cost, and what pays", blocks)


def _gains(design: Design) -> list[Block]:
    blocks: list[Block] = []
    rows = gain_rows(design)
    if rows:
        blocks.append(
            Table(
                "Gain per bit, part by part",
                (
                    Column("part", "part"),
                    Column("pass", "pass"),
                    Column("gain", "gain in success [95 %]", 4, bounds=True),
                    Column("bits", "bits added per step and link", 0),
                    Column("per_100_bits", "gain per 100 bits", 4),
                ),
                rows,
                "What a part added to the share of steps in which fields are known, beside the parts before it, for "
                "what it added to the traffic.",
            )
        )
    components = component_rows(design)
    if components:
        chart = bars(
            "Gain of each component that the search chose",
            components,
            x=("per_number", "gain in skill per number sent"),
            y=("component", None),
            tooltip=[
                nominal("component", "component"),
                quantitative("gain", "gain in skill, summed over fields and agents", format=".3f"),
                quantitative("width", "numbers sent"),
                quantitative("per_number", "gain per number", format=".3f"),
            ],
        )
        about = "As measured when it was chosen, beside those chosen before it; a number is 32 bits, a yes or no 1 bit."
        blocks.append(Chart("Which component pays", about, chart))
    elif rows:
        blocks.append(
            Note(
                "Components were not measured one by one in this design (the search designer does that): "
                "see the parts above."
            )
        )
    return blocks


def component_rows(design: Design) -> list[dict[str, Any]]:
    """Return what the search measured of each component in the parts that were kept, with the numbers it sends."""
    kept = {entry.get("pass") for entry in (design.manifest.scores if design.manifest else ()) if entry.get("keep")}
    widths = {str(c["name"]): int(c["width"]) for c in (design.manifest.payload if design.manifest else ())}
    rows = []
    for attempt in design.attempts:
        if attempt.index not in kept or not (attempt.decision or {}).get("keep"):
            continue
        for found in attempt.notes.get("components", []):
            name, gain = (found.get("name"), found.get("gain")) if isinstance(found, dict) else (None, None)
            if isinstance(name, str) and isinstance(gain, int | float):
                width = _width(name, widths)
                rows.append({"component": name, "gain": gain, "width": width, "per_number": gain / width})
    return rows


def _width(name: str, widths: dict[str, int]) -> int:
    """Return the numbers that a component sends; it may be sent as several, whose names begin with its own."""
    own = [width for sent, width in widths.items() if sent == name or sent.startswith(f"{name}_")]
    return max(1, sum(own))


def link_graph(names: Sequence[str], bits: Sequence[float]) -> dict[str, Any]:
    """Return agents on a circle with one arrow per link, as wide as what its sender says."""
    count = len(names)
    places = [(math.sin(2 * math.pi * agent / count), math.cos(2 * math.pi * agent / count)) for agent in range(count)]
    # names stand outside the circle, clear of the arrows
    nodes = [
        {"agent": name, "x": x, "y": y, "name_x": 1.42 * x, "name_y": 1.25 * y}
        for name, (x, y) in zip(names, places, strict=True)
    ]
    links = []
    for sender, (x, y) in enumerate(places):
        for receiver, (x2, y2) in enumerate(places):
            length = math.hypot(x2 - x, y2 - y)
            if sender == receiver or not bits[sender]:
                continue
            along, aside = ((x2 - x) / length, (y2 - y) / length), 0.05
            # the two directions of a pair run beside each other, and end before the discs
            start = (x + 0.17 * along[0] + aside * along[1], y + 0.17 * along[1] - aside * along[0])
            end = (x2 - 0.2 * along[0] + aside * along[1], y2 - 0.2 * along[1] - aside * along[0])
            links.append(
                {
                    "from": names[sender],
                    "to": names[receiver],
                    "bits": bits[sender],
                    "x": start[0],
                    "y": start[1],
                    "x2": end[0],
                    "y2": end[1],
                    "label_x": start[0] + 0.22 * (end[0] - start[0]) + 0.16 * along[1],
                    "label_y": start[1] + 0.22 * (end[1] - start[1]) - 0.13 * along[0],
                    "angle": math.degrees(math.atan2(along[0], along[1])),
                }
            )
    low, high = min(y for _, y in places) - 0.5, max(y for _, y in places) + 0.5
    whole = spec(
        f"A graph of the agents: {_said(names, bits)} to each other agent",
        nodes,
        height=round(110 * (high - low)),
        view={"stroke": None},
        layer=_link_layers(links, (low, high)),
    )
    return {**whole, "width": 460}  # about as wide as high


def _said(names: Sequence[str], bits: Sequence[float]) -> str:
    return "; ".join(f"{name} sends {value:.0f} bits per step" for name, value in zip(names, bits, strict=True))


def _link_layers(links: Sequence[Mapping[str, Any]], height: tuple[float, float]) -> list[dict[str, Any]]:
    """Return arrows and their numbers from `links`, and discs and names from the chart's own rows."""
    across, up = {"domain": [-1.8, 1.8]}, {"domain": list(height), "nice": False}

    def place(x: str, y: str) -> dict[str, Any]:
        return {"x": quantitative(x, None, scale=across, axis=None), "y": quantitative(y, None, scale=up, axis=None)}

    tip = [nominal("from", "from"), nominal("to", "to"), quantitative("bits", "bits per step", format=".1f")]
    data, colour = {"data": {"values": list(links)}}, {"value": PALETTE[0]}
    line = {
        **place("x", "y"),
        "x2": {"field": "x2"},
        "y2": {"field": "y2"},
        "size": quantitative("bits", None, scale={"domainMin": 0, "range": [0.5, 7]}, legend=None),
        "color": colour,
        "tooltip": tip,
    }
    head = {**place("x2", "y2"), "angle": quantitative("angle", None, scale=None), "color": colour, "tooltip": tip}
    number = {**place("label_x", "label_y"), "text": quantitative("bits", None, format=",.0f")}
    disc = {**place("x", "y"), "tooltip": [nominal("agent", "agent")]}
    name = {**place("name_x", "name_y"), "text": nominal("agent", None)}
    return [
        {**data, "mark": {"type": "rule", "strokeCap": "butt"}, "encoding": line},
        {
            **data,
            "mark": {"type": "point", "shape": "triangle-up", "filled": True, "size": 170, "opacity": 1},
            "encoding": head,
        },
        {**data, "mark": {"type": "text", "fontSize": 11}, "encoding": number},
        {"mark": {"type": "circle", "size": 900, "opacity": 1, "color": PALETTE[4]}, "encoding": disc},
        {"mark": {"type": "text", "fontWeight": "bold", "baseline": "middle"}, "encoding": name},
    ]
