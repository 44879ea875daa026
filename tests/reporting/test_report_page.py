"""What a page may never do: run or break on what it shows, fetch, overwrite."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from buffers.errors import UsageError
from reporting import (
    Chapter,
    Chart,
    Column,
    Facts,
    Fold,
    Frame,
    Grid,
    Note,
    Page,
    Section,
    Source,
    Table,
    Text,
    require_writable,
    write_page,
)
from reporting.charts import heat_map, lines, spec
from reporting.library import chart_library
from reporting.writing import cell, render_page, sort_key

LIBRARY = "/* the library */"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\" ' & {{ 7 * 7 }}"


def everywhere(text: str) -> Page:
    """A page with `text` in every place that takes one."""
    chart = Chart(text, text, spec(text, [{text: text, "value": text}]))
    blocks = [
        Text(text),
        Note(text),
        Facts([(text, text)]),
        chart,
        Grid([chart]),
        Table(text, [Column(text, text)], [{text: text}] * 6, text),
        Source(text, text, "python"),
        Source(text, f"+{text}\n-{text}", "diff"),
        Fold(text, [Text(text)]),
        Frame(text, f"<p>{text}</p><script>inside()</script>", 500),
    ]
    return Page(text, [Chapter("design", text, text, [Section(text, blocks)])])


class Reader(HTMLParser):
    """Collects elements that matter, and the texts of scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.data: list[str] = []
        self.elements: dict[str, list[dict[str, str | None]]] = {}
        self._into: list[str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.setdefault(tag, []).append(dict(attrs))
        if tag == "script":
            self._into = self.data if dict(attrs).get("type") == "application/json" else self.scripts
            self._into.append("")

    def handle_endtag(self, tag: str) -> None:
        self._into = None if tag == "script" else self._into

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data


def test_no_text_becomes_an_element_or_ends_a_script() -> None:
    page = Reader(render_page(everywhere(EVIL), LIBRARY))
    assert page.scripts[0] == LIBRARY
    assert len(page.scripts) == 2  # the library and the page's own, and none of what was written in
    assert "img" not in page.elements
    # two charts, and their data come out as they went in: 7 * 7 was not worked out either
    assert [json.loads(text)["data"]["values"] for text in page.data] == [[{EVIL: EVIL, "value": EVIL}]] * 2
    (frame,) = page.elements["iframe"]
    assert frame["srcdoc"] == f"<p>{EVIL}</p><script>inside()</script>"
    assert frame["sandbox"] == "allow-scripts"
    assert page.elements["td"][0]["data-key"] == EVIL


def test_the_policy_allows_the_scripts_that_are_there_and_nothing_else() -> None:
    # what is framed inherits the policy, so its script is named too; one that a text smuggles in is not
    html = render_page(everywhere("plain"), LIBRARY)
    page = Reader(html)
    policy = next(m["content"] for m in page.elements["meta"] if m.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    wanted = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in [*page.scripts, "inside()"]}
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == wanted
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert not re.search(r"(src|href)=\"(https?:)?//", html.replace("https://vega.github.io/schema", ""))


def test_what_is_not_finite_is_null_in_json_and_a_dash_in_a_table() -> None:
    page = Page("p", [Chapter("run", "r", "x", [Section("s", [Table("t", [Column("a", "a")], [{"a": math.nan}])])])])
    shown = page.to_json()["chapters"][0]["sections"][0]["blocks"][0]
    assert shown["rows"] == [{"a": None}]
    json.dumps(page.to_json(), allow_nan=False)
    assert cell({"a": math.nan}, Column("a", "a")) == "-"
    assert sort_key({"a": math.inf}, Column("a", "a")) == ""


@pytest.mark.parametrize(
    ("row", "column", "text", "key"),
    [
        ({"a": 0.12345}, Column("a", "a"), "0.123", "0.12345"),
        ({"a": 1234}, Column("a", "a"), "1,234", "1234"),
        ({"a": 0.5, "a_low": 0.25, "a_high": 0.75}, Column("a", "a", 2, bounds=True), "0.50 [0.25, 0.75]", "0.5"),
        ({"a": 0.5, "a_low": math.nan, "a_high": math.nan}, Column("a", "a", 2, bounds=True), "0.50", "0.5"),
        ({"a": True}, Column("a", "a"), "yes", "True"),
        ({}, Column("a", "a"), "-", ""),
    ],
)
def test_a_cell_has_its_digits_and_sorts_by_the_number(row: Any, column: Column, text: str, key: str) -> None:
    assert (cell(row, column), sort_key(row, column)) == (text, key)


def test_a_page_replaces_a_page_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    page = Page("first", [])
    size = write_page(path, page, LIBRARY)
    assert size == path.stat().st_size
    write_page(path, Page("second", []), LIBRARY)
    assert "<title>second</title>" in path.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    path.write_text("my thesis")
    with pytest.raises(UsageError, match="was not written by `report`"):
        write_page(path, page, LIBRARY)
    assert path.read_text() == "my thesis"
    with pytest.raises(UsageError, match="is a folder: name a file in it"):
        require_writable(tmp_path)
    with pytest.raises(UsageError, match="there is no folder"):
        require_writable(tmp_path / "none" / "page.html")


def test_the_library_is_made_once_and_a_damaged_copy_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import vl_convert

    made: list[str] = []
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda entry: made.append(entry) or "let x = 1;")
    first = chart_library(tmp_path / "cache")
    assert chart_library(tmp_path / "cache") == first
    assert len(made) == 1
    assert "window.drawChart" in made[0]
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_text(first[:10])
    assert chart_library(tmp_path / "cache") == first
    assert len(made) == 2
    (tmp_path / "file").write_text("")
    assert chart_library(tmp_path / "file") == first  # nothing can be kept in there


def test_scripted_lines_that_would_cover_each_other_share_a_label() -> None:
    # 0.85 and 0.86 are nearer than 0.04 of the axis from 0 to 1, 0.5 is not
    marks = [{"label": "a", "value": 0.86}, {"label": "b", "value": 0.5}, {"label": "c", "value": 0.85}]
    chart = lines(
        "d", [{"x": 1, "y": 0, "m": "q"}], x=("x", "x"), y=("y", "y"), series=("m", None), marks=marks, domain=(0, 1)
    )
    assert chart["layer"][1]["data"]["values"] == [{"value": 0.5, "label": "b"}, {"value": 0.85, "label": "c, a"}]


def test_a_heat_map_shows_the_last_choice_and_its_panels_in_the_order_of_the_rows() -> None:
    rows = [{"x": "1", "y": "f", "v": 0.5, "when": when, "z": z} for when in ("late", "early") for z in ("b", "a")]
    chart = heat_map(
        "d",
        rows,
        x=("x", None),
        y=("y", None),
        value=("v", "v"),
        column=("z", None),
        choices={"when": ("W", ["late", "early"])},
    )
    assert chart["params"][0]["value"] == "early"
    assert chart["transform"] == [{"filter": "datum.when == chosen_when"}]
    assert chart["facet"]["column"]["sort"] == ["b", "a"]
