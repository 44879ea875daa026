"""`design-protocol report` as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from generated_protocols.execution import source_hash

ROOT = Path(__file__).parents[2]


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "cli", "report", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def test_json_is_what_is_drawn_and_writes_no_page(design: Path, tmp_path: Path) -> None:
    done = run(str(design), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (chapter,) = json.loads(done.stdout)["chapters"]
    assert (chapter["kind"], chapter["title"]) == ("design", "1o_2r_vs_4r: llm-b")
    assert [section["title"] for section in chapter["sections"]][:2] == ["In short", "What each agent sends and keeps"]
    assert list(tmp_path.glob("*.html")) == []


def test_a_page_of_runs_and_a_design_stays_small(design: Path, tmp_path: Path, log_run: Callable[..., Path]) -> None:
    runs = [log_run("qmix", 0, [0.1]), log_run("qmix", 1, [0.3])]
    done = run(*map(str, [*runs, design]), "--battles", "0", "--scripted-episodes", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = tmp_path / f"report-{runs[0].name}.html"
    assert page.stat().st_size < 5_000_000
    html = page.read_text()
    # the comparison of the two, each of them, and the design
    assert html.count('<p class="kind">') == 4
    assert "0.200" in html  # the mean of 0.1 and 0.3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "nothing is not a folder"),
        (["empty"], "empty holds none of them: name the folder of a design"),
        (["1o_2r_vs_4r/llm-b", "--out", "none/page.html"], "there is no folder none"),
        (["1o_2r_vs_4r/llm-b", "--out", "taken.html"], "was not written by `report`"),
        (["1o_2r_vs_4r/llm-b", "--out", "."], "is a folder"),
        ([], "DIR"),
    ],
)
def test_a_mistake_is_one_clear_message(design: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "taken.html").write_text("mine")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "taken.html").read_text() == "mine"


def test_a_run_whose_protocol_the_rules_refuse_is_shown_and_not_played(trained: Path, tmp_path: Path) -> None:
    import shutil

    copy = shutil.copytree(trained, tmp_path / "runs" / trained.name)
    part, manifest = copy / "protocol" / "part0.py", copy / "protocol" / "manifest.json"
    part.write_text("import os\nos.makedirs('was-run')\n" + part.read_text())
    # the hashes are made to match: they are not trust
    value = json.loads(manifest.read_text())
    value["parts"]["part0.py"] = source_hash(part.read_bytes())
    manifest.write_text(json.dumps(value))
    done = run(str(copy), "--json", "--scripted-episodes", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no battle is played" in done.stderr
    assert "PD3" in done.stderr
    assert not (tmp_path / "was-run").exists()
    titles = [section["title"] for section in json.loads(done.stdout)["chapters"][0]["sections"]]
    assert "Learning curves" in titles
    assert "Battles" not in titles
