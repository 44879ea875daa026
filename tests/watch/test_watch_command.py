"""`design-protocol watch` as a user meets it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from buffers.errors import ProtocolDesignerError
from cli import app
from marl_runtime.watching.recording import Recording

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "generated_protocols"
FORAGING = "Foraging-1s-8x8-2p-2f-coop"
SHARED = ["--task", "1o_2r_vs_4r", "--policy", "shared"]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TERM": "xterm"}


def watch(*arguments: str) -> str:
    """Return what `watch` prints, in this process; what it refuses is raised."""
    done = CliRunner().invoke(app, ["watch", *arguments])
    if isinstance(done.exception, ProtocolDesignerError):
        raise done.exception
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_json_is_what_was_recorded(tmp_path: Path) -> None:
    """Episode 0 of `shared` with seed 0 is won after 43 steps, as `evaluate` says, and a win is worth 20."""
    result = json.loads(watch(*SHARED, "--episodes", "2", "--json"))
    assert (result["task"], result["player"], result["seed"]) == ("1o_2r_vs_4r", "policy shared", 0)
    assert result["file"] == "watch-1o_2r_vs_4r-s0.html"
    first, second = result["episodes"]
    assert (first["episode"], first["outcome"], first["steps"]) == (0, "won", 43)
    assert first["return"] == pytest.approx(20, abs=1e-4)
    assert second["seed"] != first["seed"]
    assert 'content="design-protocol watch"' in (tmp_path / result["file"]).read_text(encoding="utf-8")[:1024]


def test_plain_frames_or_the_last_alone() -> None:
    every = watch(*SHARED, "--protocol", str(SHIPPED / "1o_2r_vs_4r" / "llm-a"))
    assert every.count("policy shared  seed 0, episode 0") == 44
    assert "  0 says open 1 1 1 0" in every
    assert "\x1b" not in every
    assert max(map(len, every.splitlines())) <= 80
    last = watch(*SHARED, "--no-terminal", "--out", "other.html")
    assert last.count("policy shared  seed 0, episode 0") == 1
    assert "episode 0: won after 43 steps, return 20.00" in last
    assert "open other.html in a browser" in last
    assert Path("other.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--task", "bane_vs_hm", "--policy", "rush"], "did you mean 'bane_vs_hM'"),
        (["--task", "bane_vs_hM", "--policy", "rsh"], "did you mean 'rush'"),
        (["--task", "bane_vs_hM"], "name who plays"),
        (["--task", "bane_vs_hM", "--policy", "rush", "--run", "x"], "name who plays"),
        (["--policy", "rush"], "name its task with --task"),
        (["--run", "nothing"], "nothing is not a run"),
        (["--task", "bane_vs_hM", "--policy", "rush", "--out", "no/where.html"], "there is no folder no"),
        (["--task", "bane_vs_hM", "--policy", "rush", "--out", "/proc/x.html"], "cannot be written"),
        (["--task", "bane_vs_hM", "--policy", "rush", "--protocol", "nothing"], "nothing is not a folder"),
    ],
)
def test_a_mistake_is_one_clear_error_and_nothing_is_written(arguments: list[str], says: str, tmp_path: Path) -> None:
    with pytest.raises(ProtocolDesignerError) as caught:
        watch(*arguments)
    assert says in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_protocol_of_another_layout_and_a_file_of_someone_else(tmp_path: Path) -> None:
    other = str(SHIPPED / "1o_2r_vs_4r" / "llm-a")
    with pytest.raises(ProtocolDesignerError, match="is 'overseer' there and 'baneling' in task 'bane_vs_hM'"):
        watch("--task", "bane_vs_hM", "--policy", "rush", "--protocol", other)
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    with pytest.raises(ProtocolDesignerError, match=r"mine\.html exists and was not written by `watch`"):
        watch("--task", "bane_vs_hM", "--policy", "rush", "--out", "mine.html")
    assert (tmp_path / "mine.html").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("wrong", [["--episodes", "0"], ["--speed", "0"], ["--seed", "-1"]])
def test_numbers_out_of_range(wrong: list[str]) -> None:
    done = CliRunner().invoke(app, ["watch", *SHARED, *wrong])
    assert done.exit_code == 2
    assert wrong[0] in done.output


def test_a_run_plays_greedily_with_its_own_messages(tmp_path: Path) -> None:
    """A run of `direct` acts on its protocol; of `qmix` on none, and then one can be shown beside it."""
    folder = tmp_path / "generated_protocols" / FORAGING / "mine"
    folder.mkdir(parents=True)
    (folder / "part0.py").write_text("def send(own):\n    return {'food': own.group('cell_*.food_level')}\n")
    runner = CliRunner()
    assert runner.invoke(app, ["freeze", str(folder), "--no-score"]).exit_code == 0
    runs = {}
    for method, extra in (("direct", ["--protocol", str(folder)]), ("qmix", [])):
        training = ["train", "--task", FORAGING, "--method", method, "--steps", "200", "--eval-episodes", "2", "--json"]
        trained = runner.invoke(app, [*training, *extra])
        assert trained.exit_code == 0, trained.output
        runs[method] = json.loads(trained.stdout)["run"]

    result = json.loads(watch("--run", runs["direct"], "--json", "--episodes", "2"))
    rows = json.loads(runner.invoke(app, ["evaluate", runs["direct"], "--episodes", "2", "--json"]).stdout)["rows"]
    for played, row in zip(result["episodes"], rows, strict=True):
        assert (played["seed"], played["steps"]) == (row["seed"], row["length"])
        assert played["return"] == pytest.approx(row["return"], abs=1e-5)
    assert '"acted_on":true' in Path(result["file"]).read_text(encoding="utf-8")
    assert f"{FORAGING}-direct-s0" in result["player"]

    watch("--run", runs["qmix"], "--protocol", str(folder), "--no-terminal")
    assert '"acted_on":false' in Path(result["file"]).read_text(encoding="utf-8")
    with pytest.raises(ProtocolDesignerError, match=f"is a run of task '{FORAGING}', not of 'bane_vs_hM'"):
        watch("--run", runs["direct"], "--task", "bane_vs_hM")
    with pytest.raises(ProtocolDesignerError, match="acts on a protocol of its own"):
        watch("--run", runs["direct"], "--protocol", str(folder))


def test_ctrl_c_at_a_terminal_keeps_the_page(tmp_path: Path) -> None:
    """Frames are drawn in place, in colour; Ctrl-C shows the cursor again, says what is kept, and ends with 130."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "cli", "watch", *SHARED, "--speed", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=subprocess.PIPE, env=environment()) as process:
        os.close(theirs)
        drawn = b""
        while b"step 1 of 50" not in drawn:
            assert select.select([ours], [], [], 120)[0], drawn
            drawn += os.read(ours, 65536)
        process.send_signal(signal.SIGINT)
        while True:
            try:
                drawn += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        assert process.stderr is not None
        said = process.stderr.read().decode()
    os.close(ours)
    assert process.returncode == 130
    assert said == "error: stopped; all 1 episodes are in watch-1o_2r_vs_4r-s0.html\n"
    assert re.search(rb"\x1b\[\d+A\r", drawn)
    assert drawn.rstrip().endswith(b"\x1b[?25h")
    page = (tmp_path / "watch-1o_2r_vs_4r-s0.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")


def test_ctrl_c_while_episodes_are_played_keeps_those_that_are_over(
    duel: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_and_a_half(*arguments: object) -> Iterator[Recording]:
        yield duel
        raise KeyboardInterrupt

    monkeypatch.setattr("marl_runtime.watching.playing.play_episodes", one_and_a_half)
    done = CliRunner().invoke(app, ["watch", *SHARED, "--episodes", "5", "--out", "kept.html"])
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1] == "error: stopped after 1 of 5 episodes; they are kept in kept.html"
    assert '"task":"duel"' in (tmp_path / "kept.html").read_text(encoding="utf-8")
