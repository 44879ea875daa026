"""The page's data: exact, small, and unable to leave its element."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buffers.errors import UsageError
from generated_protocols.bandwidth import Component
from marl_runtime.watching import page
from marl_runtime.watching.page import page_data, render_page, require_writable, write_page
from marl_runtime.watching.recording import Messages, Recording, Scene, UnitCard

NODE = shutil.which("node")


def unpack(packed: list[Any]) -> list[float]:
    """The page's own `unpack`, in Python."""
    out: list[float] = []
    for item in packed:
        out += [out[-1]] * item[0] if isinstance(item, list) else [item]
    return out


def embedded(text: str) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


@given(st.lists(st.sampled_from([0.0, 1.0, -2.5, 100.0]), min_size=1, max_size=60))
def test_packing_loses_nothing(values: list[float]) -> None:
    assert unpack(page._pack(values)) == values


def test_packing_by_hand() -> None:
    """Two zeros are shorter than `[1]`; six repetitions of 5 are not shorter than `[6]`."""
    assert page._pack([0, 0, 5, 5, 5, 5, 5, 5, 5, 1.5]) == [0, 0, 5, [6], 1.5]


def test_the_data_is_the_recording(duel: Recording) -> None:
    data = embedded(render_page([duel], 2))
    one = data["episodes"][0]
    assert (data["task"], data["speed"], data["agents"]) == ("duel", 2, 2)
    # row y = 0 is the first: the closed cells stand in the last two
    assert data["terrain"] == ["......", "......", "...#..", "...#.."]
    assert [unpack(series) for series in one["x"]] == duel.x.T.tolist()
    assert [unpack(series) for series in one["shield"]] == [[0, 0, 0], [0, 0, 0], [50, 41, 32]]
    assert [unpack(series) for series in one["target"]] == [[2, 2], [0, -1], [0, 0]]
    assert one["names"] == ["attack_enemy_0", "heal_ally_0", "north"]
    assert [unpack(series) for series in one["actions"]] == [[0, 0], [1, 2]]
    assert one["outcome"] == "lost"
    hp, two = one["messages"]["sent"]
    assert (hp["name"], [unpack(v) for v in hp["values"][0]]) == ("hp", [[40, 15, 0]])
    assert [unpack(v) for v in two["values"][0]] == [[1, 1, 0], [2, 2, 0]]
    # what is kept is what is sent: it is not stored again
    assert (one["messages"]["kept"], one["messages"]["keeps_all"], one["messages"]["left_out"]) == ([], [0], 0)


def test_real_battles_round_to_what_the_page_shows(battles: list[Recording]) -> None:
    for recording, one in zip(battles, page_data(battles, 4)["episodes"], strict=True):
        for name, error in (("x", 0.0051), ("y", 0.0051), ("health", 0.051), ("cooldown", 0.51)):
            stored = np.array([unpack(series) for series in one[name]]).T
            np.testing.assert_allclose(stored, getattr(recording, name), atol=error)
        kept = np.concatenate([np.array([[unpack(v) for v in agent] for agent in c["values"]])
                               for c in one["messages"]["kept"]], axis=1)  # fmt: skip
        assert recording.messages is not None
        np.testing.assert_allclose(np.moveaxis(kept, 2, 0), recording.messages.kept, rtol=0.006, atol=1e-6)


def test_names_cannot_leave_their_element(duel: Recording) -> None:
    evil = "</script><script>alert(1)</script><!--&amp;\u2028"
    cards = (replace(duel.scene.units[0], name=evil), *duel.scene.units[1:])
    said = duel.messages
    assert said is not None
    components = (replace(said.sent_components[0], name=evil), said.sent_components[1])
    text = render_page(
        [
            replace(
                duel,
                task=evil,
                player=evil,
                scene=replace(duel.scene, units=cards),
                action_names=("no-op", "stop", evil, "attack_enemy_0"),
                messages=replace(said, name=evil, sent_components=components),
            )
        ]
    )
    assert text.count("</script>") == 2
    assert text.count("<script") == 2
    assert "alert(1)</" not in text
    data = embedded(text)
    assert data["task"] == evil
    assert data["episodes"][0]["messages"]["sent"][0]["name"] == evil
    assert evil in data["episodes"][0]["names"]
    title = re.search(r"<title>(.*?)</title>", text, re.DOTALL)
    assert title is not None
    assert html.unescape(title[1]).startswith(evil)


def test_the_page_needs_nothing_from_elsewhere(duel: Recording) -> None:
    text = render_page([duel])
    assert "default-src 'none'" in html.unescape(text)
    assert re.findall(r"(?:src|href)=\"([^\"]*)\"", text) == ["data:,"]
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttpRequest|eval\(", text)


def large(kept_width: int) -> Recording:
    """27 v 30 units over 180 steps, with more change than any battle has: every number is drawn anew."""
    draw = np.random.default_rng(0)
    steps, n, u, payload = 180, 27, 57, 6
    cards = (*[UnitCard("marine", 45, 0.375, period=14, range=5)] * n, *[UnitCard("stalker", 80, 0.625, 80, 25)] * 30)

    def values(top: float, *shape: int) -> Any:
        return (draw.random((steps + 1, *shape)) * top).astype(np.float32)

    messages = Messages(
        "large/one", True, tuple(Component(0, f"says_{i}", 1) for i in range(payload)),
        (Component(0, "hears", kept_width),), values(1, n, payload), values(1, n, kept_width),
    )  # fmt: skip
    return Recording(
        "27m_vs_30m", "policy oracle", 0, 0, 0, Scene(np.ones((32, 32), dtype=bool), cards, n, 9, 6),
        ("no-op", "stop", "north", *(f"attack_enemy_{j}" for j in range(30))), steps,
        values(32, u), values(32, u), values(80, u), values(80, u), values(20, u), draw.integers(-1, u, (steps, u)),
        draw.integers(0, 33, (steps, n)), values(1)[:-1], False, True, messages,
    )  # fmt: skip


@pytest.mark.parametrize(("kept_width", "left_out"), [(12, 0), (60, 60)])
def test_a_large_battle_is_under_a_megabyte(kept_width: int, left_out: int) -> None:
    text = render_page([large(kept_width)])
    assert len(text.encode()) < 1_000_000
    messages = embedded(text)["episodes"][0]["messages"]
    assert messages["left_out"] == left_out
    assert len(messages["kept"]) == (0 if left_out else 1)


def test_only_a_page_of_ours_is_replaced(duel: Recording, tmp_path: Path) -> None:
    path = tmp_path / "battle.html"
    write_page(path, [duel])
    write_page(path, [replace(duel, task="again")])
    assert embedded(path.read_text(encoding="utf-8"))["task"] == "again"
    assert [file.name for file in tmp_path.iterdir()] == ["battle.html"]
    path.write_text("<html>mine</html>", encoding="utf-8")
    with pytest.raises(UsageError, match=r"battle\.html exists and was not written by `watch`"):
        write_page(path, [duel])
    assert path.read_text(encoding="utf-8") == "<html>mine</html>"
    with pytest.raises(UsageError, match="is a folder: name a file in it"):
        require_writable(tmp_path)
    with pytest.raises(UsageError, match="there is no folder"):
        require_writable(tmp_path / "nothing" / "battle.html")


@pytest.mark.skipif(NODE is None, reason="there is no node here")
def test_what_the_page_works_out(duel: Recording, tmp_path: Path) -> None:
    """Agent 1 keeps all that agent 0 says while it lives, and nothing of its own; the dead keep nothing.

    Halfway into step 0 the zealot is at x = 4.5 - 0.5 = 4; the marine at 0.5 reaches 2 + 0.5 + 0.5 far, not 3.6 and
    more. At step 1.5 it is at x = 3, y = 1.375: 2.65 away from the marine, so it is reached.
    """
    source = (page.FOLDER / "unpacking.js").read_text(encoding="utf-8")
    asks = """
    const raw = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const e = openEpisode(raw.episodes[0], raw.agents);
    const from0 = e.messages.kept.find((c) => c.name === "hp.from_0");
    console.log(JSON.stringify({
      unpacked: unpack([0, 0, 5, [6], 1.5]), gained: e.gained, living: e.living,
      kept: e.messages.kept.map((c) => c.name), from0: from0.values, most: from0.most,
      halfway: between(e.x[2], 0.5), after: between(e.x[2], 9), reaches: [reaches(e, 0, 2, 0.5), reaches(e, 0, 2, 1.5)],
      short: [0, 0.123456, 145.4, -2.55, 1].map(shortNumber),
    }));
    """
    script = tmp_path / "ask.js"
    script.write_text(source + asks, encoding="utf-8")
    done = subprocess.run(
        [str(NODE), str(script)], input=json.dumps(page_data([duel], 4)), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {
        "unpacked": [0, 0, 5, 5, 5, 5, 5, 5, 5, 1.5],
        "gained": [0, 0.25, 0.75],
        "living": {"agents": [2, 2, 1], "others": [1, 1, 1]},
        "kept": ["hp.from_0", "hp.from_1", "two.from_0", "two.from_1"],
        "from0": [[[0, 0, 0]], [[40, 15, 0]]],
        "most": 40,
        "halfway": 4,
        "after": 2.5,
        "reaches": [False, True],
        "short": ["0", "0.12", "145", "-2.5", "1"],
    }
