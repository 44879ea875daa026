"""Frames as text: what stands where, in 80 columns."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest

from marl_runtime.watching.recording import Recording, Scene
from marl_runtime.watching.terminal import Frames, Look, show

# 6 x 4 map units at 4 characters and 2 lines each: 24 x 8. The marine at (0.5, 0.5) is in column 2 of line 7, the
# zealot at (4.5, 1.5) in column 18 of line 5; x = 3 to 4 above y = 2 is closed: columns 12 to 15 of lines 0 to 3.
# Life in eighths, rounded up: 15 of 40 is 3. Life and shield of the zealot: 141 of 150. Cooldown 10 of 10: 8 eighths;
# 5 of 20: 2 eighths.
SECOND = """\
duel  policy test  seed 7, episode 3
step 1 of 5  reward 0.25 (+0.25)  agents 2/2, others 1/1
············▒▒▒▒········    0 marine       ███░░░░░  15 █ attacks A
············▒▒▒▒········    1 medivac      ████████ 100   north
············▒▒▒▒········    A zealot       ████████ 141 ▂ attacks 0
············▒▒▒▒········
························
··············A·········
························
··0···1·················
  0 says hp 15, two 1 2
"""


def test_a_frame_by_hand(duel: Recording) -> None:
    frames = Frames(duel, Look())
    assert "\n".join(frames.draw(1)) == SECOND
    last = frames.draw(2)
    assert last[1] == "step 2 of 5  reward 0.75 (+0.50)  agents 1/2, others 1/1  lost"
    assert last[2].endswith("0 marine       dead")
    # the dead marine is not on the map; its medivac went north to y = 1.5, line 5, where the zealot is as well
    assert last[9] == "························"
    assert last[7] == "······1···A·············"


def test_without_blocks_and_with_colours(duel: Recording) -> None:
    plain = "\n".join(Frames(duel, Look(blocks=False)).draw(1))
    assert plain.isascii()
    assert "............####........    0 marine       ###-----  15 8 attacks A" in plain
    coloured = "\n".join(Frames(duel, Look(colour=True)).draw(1))
    assert "\x1b[1;36m0\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == SECOND


@pytest.mark.parametrize("rows", [10, 24, 60])
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_frames_fit_and_keep_their_height(battles: list[Recording], rows: int, columns: int) -> None:
    for recording in battles:
        frames = Frames(recording, Look(columns=columns, rows=rows))
        drawn = [frames.draw(entry) for entry in range(recording.steps + 1)]
        assert {len(lines) for lines in drawn} == {len(drawn[0])}
        assert len(drawn[0]) < rows
        assert max(len(line) for lines in drawn for line in lines) <= min(columns, 80)


def test_many_units_are_counted_by_type(duel: Recording) -> None:
    """30 zealots on 24 lines: a line for each side and type, and 100 of 3,000 life is one eighth of the bar."""
    scene = Scene(duel.scene.terrain, (*duel.scene.units[:2], *[duel.scene.units[2]] * 30), 2)
    spread = [0, 1, *[2] * 30]
    dead = np.ones((3, 32), dtype=np.float32)
    dead[1, 3:] = 0
    many = replace(
        duel, scene=scene, x=duel.x[:, spread], y=duel.y[:, spread], health=duel.health[:, spread] * dead,
        shield=duel.shield[:, spread], cooldown=duel.cooldown[:, spread], target=duel.target[:, spread],
    )  # fmt: skip
    lines = Frames(many, Look()).draw(1)
    assert len(lines) == 22
    assert lines[4].endswith("  1 of 30 zealot       █░░░░░░░  1 in fight")
    assert any("1 of 1 marine       ███░░░░░  1 in fight" in line for line in lines)


def test_show_in_place_and_one_after_the_other(duel: Recording) -> None:
    waits: list[float] = []
    out = io.StringIO()
    show(duel, out, Look(), speed=4, in_place=True, sleep=waits.append)
    text = out.getvalue()
    assert waits == [0.25, 0.25]
    # 12 lines are drawn over twice; the cursor is hidden, and shown at the end
    assert text.count("\x1b[12A\r") == 2
    assert text.startswith("\x1b[?25l")
    assert "\x1b[?25h" in text
    assert text.endswith("episode 3: lost after 2 steps, return 0.75\n")
    for only_last, frames in ((False, 3), (True, 1)):
        out = io.StringIO()
        show(duel, out, Look(), speed=4, in_place=False, only_last=only_last, sleep=waits.append)
        assert "\x1b" not in out.getvalue()
        assert out.getvalue().count("policy test") == frames
    assert len(waits) == 2


def test_the_cursor_comes_back_after_ctrl_c(duel: Recording) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        show(duel, out, Look(), speed=4, in_place=True, sleep=interrupt)
    assert out.getvalue().endswith("\x1b[?25h")
