"""The page in a browser, where there is one: keys, focus, no request, no complaint."""

from __future__ import annotations

from pathlib import Path

import pytest
from watch_browser import CHROMIUM, Page

from marl_runtime.watching.page import write_page
from marl_runtime.watching.recording import Recording

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")]


def test_the_page_is_played_with_the_keyboard_alone(battles: list[Recording], tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", battles)
    steps = battles[0].steps
    with Page(tmp_path / "profile") as page:
        page.open(f"file://{tmp_path}/page.html#step=5&agent=1")
        assert page.text("step") == f"5 / {steps}"
        page.press("ArrowRight")
        page.press("ArrowRight")
        page.press("ArrowLeft")
        assert page.text("step") == f"6 / {steps}"
        page.press("End")
        assert page.text("step") == f"{steps} / {steps}"
        assert page.text("others-left") == "0 / 4"
        assert page.text("reward") == "20.00"
        page.press("Home")
        assert page.text("step") == f"0 / {steps}"

        chosen = "[...document.querySelectorAll('.agent')].map(b => b.getAttribute('aria-pressed')).join()"
        assert page(chosen) == "false,true,false"
        page.press("2")
        assert page(chosen) == "false,false,true"
        assert page.text("receiver") == "agent 2"
        page("document.querySelector('.agent').focus()")
        assert page(chosen) == "true,false,false"
        page.press("Tab")
        assert page(chosen) == "false,true,false"

        for shown in ("all", "off", "selected"):
            page.press("s")
            assert page.text("circles") == f"sight: {shown}"
        page.press("+")
        assert page.text("speed") == "8 steps/s"
        page.press("-")
        page.press("-")
        assert page.text("speed") == "2 steps/s"
        page.press("?")
        assert page("document.getElementById('help').open")
        page.press("Escape")
        assert not page("document.getElementById('help').open")

        page.press(" ")
        assert page("document.getElementById('play').getAttribute('aria-label')") == "Pause"
        page("new Promise(done => setTimeout(done, 1300))")
        page.press(" ")
        assert page("document.getElementById('play').getAttribute('aria-label')") == "Play"
        assert int(page.text("step").split()[0]) >= 1
        assert set(page.requests) - {"data:,"} == {f"file://{tmp_path}/page.html"}
        assert page.complaints == []


def test_every_step_can_be_drawn_at_every_width(battles: list[Recording], tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", battles)
    for width in (1280, 390):
        with Page(tmp_path / f"profile-{width}", width=width) as page:
            for scheme in ("light", "dark"):
                page.emulate(scheme)
                page.open(f"file://{tmp_path}/page.html#episode=1&step=0&circles=all")
                for entry in range(1, battles[1].steps + 1):
                    page.press("ArrowRight")
                    assert page.text("step") == f"{entry} / {battles[1].steps}"
                assert page("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            assert page.complaints == []


def test_with_reduced_motion_nothing_moves_by_itself(battles: list[Recording], tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", battles)
    with Page(tmp_path / "profile") as page:
        page.emulate(motion="reduce")
        page.open(f"file://{tmp_path}/page.html")
        page("new Promise(done => setTimeout(done, 700))")
        assert page.text("step") == f"0 / {battles[0].steps}"
        page.emulate()
        page.open(f"file://{tmp_path}/page.html")
        page("new Promise(done => setTimeout(done, 1500))")
        assert page.text("step") != f"0 / {battles[0].steps}"
