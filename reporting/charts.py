"""Vega-Lite specifications of the charts that pages have in common.

Colours are Okabe and Ito's (2008) for series and viridis for quantities: both can be told apart by colour-blind
readers, and series differ in dash as well. Names from data are values only, never part of an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "PALETTE",
    "bars",
    "heat_map",
    "intervals",
    "lines",
    "nominal",
    "quantitative",
    "spec",
]

Spec = dict[str, Any]
Rows = Sequence[Mapping[str, Any]]

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C", "#B8A900")
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 3], [2, 4], [12, 4, 2, 4])
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
LABELLED = 7
"""Columns of a heat map up to which every cell has its number written in it."""


def spec(description: str, rows: Rows, **parts: Any) -> Spec:
    """Return a specification of `rows` that is as wide as its place."""
    return {
        "$schema": _SCHEMA,
        "description": description,
        "data": {"values": [dict(row) for row in rows]},
        "width": "container",
        **parts,
    }


def quantitative(field: str, title: str | None, **more: Any) -> Spec:
    """Return an encoding of a number; `title` names it with its unit."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def nominal(field: str, title: str | None, **more: Any) -> Spec:
    """Return an encoding of a name, in the order of the rows unless `sort` names another."""
    return {"field": field, "type": "nominal", "title": title, "sort": None, **more}


def _series(field: str, title: str | None, names: Sequence[str]) -> Spec:
    """Return colour and dash of the series `names`."""
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(names))]
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(names))]
    look = {"symbolType": "stroke", "symbolSize": 400, "symbolStrokeWidth": 2.5, "symbolOpacity": 1, "orient": "top"}
    legend = {**look, "columns": 2 if max(map(len, names)) > 14 else 3} if len(names) > 1 else None
    return {
        "color": nominal(field, title, scale={"domain": list(names), "range": colours}, legend=legend),
        "strokeDash": nominal(field, title, scale={"domain": list(names), "range": dashes}, legend=legend),
    }


def lines(
    description: str,
    rows: Rows,
    *,
    x: tuple[str, str],
    y: tuple[str, str],
    series: tuple[str, str | None],
    band: bool = False,
    marks: Rows = (),
    domain: tuple[float, float] | None = None,
    choices: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    tooltip: Sequence[Spec] = (),
    points: bool = True,
    from_zero: bool = False,
    height: int = 280,
) -> Spec:
    """Return lines of `y` over `x` (field, title with unit), one per `series`.

    With `band`, `y`_low to `y`_high is shaded. `marks` are horizontal lines with `value` and `label`. `choices`: see
    `heat_map`. With `from_zero` the horizontal axis begins at 0.
    """
    names = list(dict.fromkeys(str(row[series[0]]) for row in rows))
    scale = {"domain": list(domain)} if domain else {"zero": False}
    encoded = {
        "x": quantitative(
            *x, axis={"format": "~s", "tickCount": 6, "labelFlush": False}, scale={"zero": from_zero, "nice": from_zero}
        ),
        "y": quantitative(*y, scale=scale),
        **_series(*series, names),
    }
    shown = [nominal(*series), quantitative(*x, format=",.0f"), quantitative(*y, format=".4~g"), *tooltip]
    layers: list[Spec] = []
    if band:
        low, high = f"{y[0]}_low", f"{y[0]}_high"
        shown += [quantitative(low, "95 % low", format=".4~g"), quantitative(high, "95 % high", format=".4~g")]
        area = {"x": encoded["x"], "y": quantitative(low, y[1], scale=scale), "y2": {"field": high}}
        layers.append(
            {"mark": {"type": "area", "opacity": 0.18}, "encoding": {**area, "color": _series(*series, names)["color"]}}
        )
    drawn = {**encoded, "tooltip": shown}
    point = {"point": {"size": 22, "filled": True} if points else {"size": 60, "opacity": 0}}
    layers.append({"mark": {"type": "line", "strokeWidth": 2, **point}, "encoding": drawn})
    if marks:
        span = domain[1] - domain[0] if domain else max(abs(float(mark["value"])) for mark in marks)
        rule = {"data": {"values": _merged(marks, span)}}
        level = quantitative("value", y[1], scale=scale)
        tip = [nominal("label", "scripted policy"), quantitative("value", y[1], format=".3f")]
        layers.append(
            {
                **rule,
                "mark": {"type": "rule", "strokeDash": [3, 3], "size": 1.2},
                "encoding": {"y": level, "tooltip": tip},
            }
        )
        text = {"type": "text", "align": "right", "baseline": "bottom", "dx": -4, "dy": -2, "fontSize": 11}
        layers.append(
            {**rule, "mark": text, "encoding": {"y": level, "x": {"value": "width"}, "text": {"field": "label"}}}
        )
    return {**spec(description, rows, height=height, layer=layers), **_chosen(choices or {})}


def _chosen(choices: Mapping[str, tuple[str, Sequence[str]]]) -> Spec:
    """Return a select element for each field, whose last value is chosen at first, and the filters that obey them."""
    params = [
        {
            "name": f"chosen_{field}",
            "value": values[-1],
            "bind": {"input": "select", "options": list(values), "name": f"{label} "},
        }
        for field, (label, values) in choices.items()
    ]
    filters = [{"filter": f"datum.{field} == chosen_{field}"} for field in choices]
    return {"params": params, "transform": filters} if choices else {}


def bars(
    description: str,
    rows: Rows,
    *,
    x: tuple[str, str],
    y: tuple[str, str | None],
    color: tuple[str, str | None] | None = None,
    tooltip: Sequence[Spec] = (),
    step: int = 24,
) -> Spec:
    """Return horizontal bars of `x` (field, title with unit), one per name `y`, stacked by `color`."""
    encoded: Spec = {"x": quantitative(*x, axis={"tickCount": 8}), "y": nominal(*y, axis={"labelLimit": 260})}
    if color is not None:
        names = list(dict.fromkeys(str(row[color[0]]) for row in rows))
        scale = {"domain": names, "range": [PALETTE[place % len(PALETTE)] for place in range(len(names))]}
        encoded["color"] = nominal(*color, scale=scale)
    encoded["tooltip"] = list(tooltip) or [nominal(y[0], y[1] or "name"), quantitative(*x)]
    return spec(
        description, rows, height=_height(rows, y[0], step), mark={"type": "bar", "color": PALETTE[0]}, encoding=encoded
    )


def intervals(
    description: str,
    rows: Rows,
    *,
    x: tuple[str, str],
    y: tuple[str, str | None],
    zero: bool = False,
    domain: tuple[float, float] | None = None,
    step: int = 30,
) -> Spec:
    """Return points of `x` with a whisker from `x`_low to `x`_high, one per name `y`; `zero` draws a line at 0."""
    scale = {"domain": list(domain)} if domain else {"zero": zero}
    low, high = f"{x[0]}_low", f"{x[0]}_high"
    name = nominal(*y, axis={"labelLimit": 260})
    tip = [
        nominal(y[0], y[1] or "name"),
        quantitative(*x, format=".4~g"),
        quantitative(low, "95 % low", format=".4~g"),
        quantitative(high, "95 % high", format=".4~g"),
    ]
    whisker = {"y": name, "x": quantitative(low, x[1], scale=scale, axis={"tickCount": 8}), "x2": {"field": high}}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "size": 2.5, "color": PALETTE[0]}, "encoding": {**whisker, "tooltip": tip}},
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": PALETTE[0]},
            "encoding": {"y": name, "x": quantitative(*x, scale=scale), "tooltip": tip},
        },
    ]
    if zero:
        layers.insert(
            0,
            {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}},
        )
    return spec(description, rows, height=_height(rows, y[0], step), layer=layers)


def _height(rows: Rows, field: str, step: int) -> int:
    """Return the pixels of so many a row; a step of Vega-Lite's own cannot go with a width that fits."""
    return step * max(2, len({row[field] for row in rows}))


def _merged(marks: Rows, span: float) -> list[Spec]:
    """Return marks with those that would lie over each other put together."""
    found: list[Spec] = []
    for mark in sorted(marks, key=lambda mark: float(mark["value"])):
        if found and mark["value"] - found[-1]["value"] < 0.04 * span:
            found[-1] = {"value": found[-1]["value"], "label": f"{found[-1]['label']}, {mark['label']}"}
        else:
            found.append({"value": mark["value"], "label": mark["label"]})
    return found


def heat_map(
    description: str,
    rows: Rows,
    *,
    x: tuple[str, str | None],
    y: tuple[str, str | None],
    value: tuple[str, str],
    column: tuple[str, str | None] | None = None,
    tooltip: Sequence[Spec] = (),
    domain: tuple[float, float] = (0.0, 1.0),
    choices: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    diverging: bool = False,
    step: int = 46,
    rows_step: int = 21,
    order: Sequence[str] | None = None,
) -> Spec:
    """Return cells of `value` by `x` and `y`, side by side by `column`, with the numbers written where they fit.

    `choices` maps a field to a label and its values: the reader picks the one whose rows are shown.
    """
    across = len({row[x[0]] for row in rows})
    scheme = "blueorange" if diverging else "viridis"
    colour = {"domain": list(domain), "scheme": scheme, "clamp": True, **({"domainMid": 0} if diverging else {})}
    sort = None if order is None else list(order)
    cell: Spec = {
        "x": nominal(
            *x, sort=sort, axis={"orient": "top", "labelAngle": 0 if across <= LABELLED else -60, "labelLimit": 90}
        ),
        "y": nominal(*y, sort=sort, axis={"labelLimit": 240}),
    }
    shade = quantitative(*value, scale=colour, legend={"orient": "bottom", "gradientLength": 220, "titleLimit": 400})
    layers: list[Spec] = [{"mark": {"type": "rect"}, "encoding": {**cell, "color": shade, "tooltip": list(tooltip)}}]
    labelled = across <= LABELLED
    if labelled:
        middle = (domain[0] + domain[1]) / 2
        bright = {"test": f"datum.{value[0]} > {middle + 0.1}", "value": "#000"}
        ink = {"value": "#000"} if diverging else {"condition": bright, "value": "#fff"}
        text = {"type": "text", "fontSize": 11}
        number = quantitative(value[0], None, format="+.2f" if diverging else ".2f")
        layers.append({"mark": text, "encoding": {**cell, "text": number, "color": ink}})
    drawn: Spec = {"width": {"step": step if labelled else 16}, "height": {"step": rows_step if labelled else 15}}
    whole: Spec = {**spec(description, rows), "spacing": 14}
    del whole["width"]
    whole |= _chosen(choices or {})
    if column is None:
        return {**whole, **drawn, "layer": layers}
    header = {"labelOrient": "top", "labelFontWeight": "bold", "labelFontSize": 12, "labelLimit": 200}
    # unlike an axis, a facet is not left in the order of the rows
    order = list(dict.fromkeys(row[column[0]] for row in rows))
    facet = {"column": {**nominal(*column, header=header), "sort": order}}
    return {**whole, "facet": facet, "spec": {**drawn, "layer": layers}}
