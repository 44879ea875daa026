"""Pages in a real browser, where there is one: all is drawn, nothing complains, nothing is fetched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import conftest as material  # noqa: F401 - puts the browser's driver on the path
import pytest
from report_browser import CHROMIUM, ReportPage
from test_report_page import EVIL, everywhere

from marl_runtime.reporting import comparison_chapters, run_chapter
from protocol_designer.reporting import design_chapter
from reporting import Page, write_page
from reporting.library import chart_library

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium")


@pytest.fixture(scope="module")
def library() -> str:
    return chart_library()


def test_a_design_is_drawn_whole_in_both_schemes_and_widths(design: Path, tmp_path: Path, library: str) -> None:
    path = tmp_path / "page.html"
    write_page(path, Page("a design", [design_chapter(design)]), library)
    with ReportPage(tmp_path / "profile") as page:
        for scheme in ("light", "dark"):
            page.emulate(scheme, "reduce")
            page.open(f"file://{path}")
            charts = page.draw_all()
            assert charts == 5
            assert page("document.querySelectorAll('.plot svg').length") == charts
            # no chart is empty: each has marks, and each is described
            marks = page(
                "[...document.querySelectorAll('.plot svg')].map(s => s.querySelectorAll('path, text').length)"
            )
            assert min(marks) > 10
            assert page(
                "[...document.querySelectorAll('.plot')].every(p => p.getAttribute('aria-label') || "
                "p.querySelector('[aria-label]'))"
            )
        for width in (1280, 800):
            page._call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            assert page("document.documentElement.scrollWidth") <= width
        # another choice of what was measured draws other numbers
        select = "document.querySelector('.vega-bindings select')"
        shown = "[...document.querySelectorAll('.chart')][1].querySelector('svg').textContent"
        before = page(shown)
        page(
            f"{select}.value = 'no protocol'; {select}.dispatchEvent(new Event('change')); new Promise(r => "
            "setTimeout(r, 500))"
        )
        assert page(shown) != before
        assert page.complaints == []
        assert {url for url in page.requests if not url.startswith(("data:", "blob:"))} == {
            f"file://{path}",
            "about:blank",
        } & set(page.requests) | {f"file://{path}"}


def test_the_table_sorts_and_filters_with_the_keyboard(
    log_run: Callable[..., Path], tmp_path: Path, library: str
) -> None:
    values = {
        ("qmix", 0): 0.3,
        ("qmix", 1): 0.1,
        ("qmix_state", 0): 0.2,
        ("qmix_state", 1): 0.9,
        ("qmix_state", 2): 0.05,
        ("qmix", 2): 0.4,
    }
    runs = [log_run(method, seed, [value]) for (method, seed), value in values.items()]
    path = tmp_path / "page.html"
    write_page(path, Page("runs", comparison_chapters(runs, "runs", scripted_episodes=0)), library)
    with ReportPage(tmp_path / "profile") as page:
        page.open(f"file://{path}")
        table = "[...document.querySelectorAll('.table')].at(-1)"
        column = f"[...{table}.querySelectorAll('tbody tr:not([hidden])')].map(r => r.children[3].textContent)"
        page(f"{table}.querySelectorAll('th button')[3].focus()")
        page.press_enter()
        rising = ["0.050", "0.100", "0.200", "0.300", "0.400", "0.900"]
        assert page(column) == rising
        assert page(f"{table}.querySelectorAll('th')[3].getAttribute('aria-sort')") == "ascending"
        page.press_enter()
        assert page(column) == rising[::-1]
        assert page(f"{table}.querySelectorAll('th')[3].getAttribute('aria-sort')") == "descending"
        page(f"{table}.querySelector('input').focus()")
        for letter in "state":
            page._call("Input.insertText", text=letter)
        assert page(column) == ["0.900", "0.200", "0.050"]
        assert page(f"{table}.querySelector('output').textContent") == "3 of 6 rows"
        page.draw_all()
        assert page.complaints == []


def test_the_player_inside_a_run_s_page_steps(trained: Path, tmp_path: Path, library: str) -> None:
    path = tmp_path / "page.html"
    write_page(path, Page("a run", [run_chapter(trained, battles=1, scripted_episodes=10)]), library)
    with ReportPage(tmp_path / "profile") as page:
        page.emulate("light", "reduce")
        page.open(f"file://{path}")
        page.draw_all()
        page("document.querySelector('iframe').scrollIntoView({behavior: 'instant'}); 0")
        frame = page.frame()
        page.click("iframe")
        step = "Number(document.getElementById('step').textContent.split(' ')[0])"
        frame.press("Home")
        assert frame(step) == 0
        frame.press("ArrowRight")
        frame.press("ArrowRight")
        assert frame(step) == 2
        # the frame cannot reach the page around it
        assert (
            frame("(() => { try { return parent.document.title; } catch (e) { return e.name; } })()") == "SecurityError"
        )
        assert page.complaints == []


def test_charts_are_saved_as_svg_and_png(design: Path, tmp_path: Path, library: str) -> None:
    path, saved = tmp_path / "page.html", tmp_path / "saved"
    saved.mkdir()
    write_page(path, Page("a design", [design_chapter(design)]), library)
    with ReportPage(tmp_path / "profile") as page:
        page.open(f"file://{path}")
        page.draw_all()
        page.allow_downloads(saved)
        for kind in ("svg", "png"):
            page(f"document.querySelector('[data-save={kind}]').focus()")
            page.press_enter()
            name = saved / f"known-fields-by-agent-pass-by-pass.{kind}"
            while not name.exists():
                page("new Promise(r => setTimeout(r, 50))")
        assert (saved / "known-fields-by-agent-pass-by-pass.svg").read_text().startswith("<svg")
        assert (saved / "known-fields-by-agent-pass-by-pass.png").read_bytes().startswith(b"\x89PNG")
        assert page.complaints == []


def test_what_is_shown_is_never_run(tmp_path: Path, library: str) -> None:
    path = tmp_path / "page.html"
    write_page(path, everywhere(EVIL), library)
    with ReportPage(tmp_path / "profile") as page:
        page._call("Page.addScriptToEvaluateOnNewDocument", source="window.alert = n => { window.ran = n; };")
        page.open(f"file://{path}")
        assert page("window.ran ?? null") is None
        assert page("document.title") == EVIL
        # were the escaping ever wrong, the page's policy would still refuse the script
        page(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(3)>'); new Promise(r => "
            "setTimeout(r, 200))"
        )
        assert page("window.ran ?? null") is None
        assert json.loads(page("document.querySelector('.chart script').textContent"))["description"] == EVIL
