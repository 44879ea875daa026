"""The command line as a user meets it: exit statuses, one clear line for each mistake, results on stdout."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from generated_protocols.execution import source_hash

ROOT = Path(__file__).parents[1]
FORAGING = "Foraging-1s-8x8-2p-2f-coop"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    environment |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "cli", *arguments], cwd=cwd, capture_output=True, text=True, env=environment, check=False
    )


def test_help_names_every_command_and_loads_nothing_heavy(tmp_path: Path) -> None:
    probe = "import sys, cli; sys.argv = ['x', '--help']\ntry:\n    cli.main()\nfinally:\n    print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    commands = [
        "tasks",
        "gather",
        "score",
        "check",
        "freeze",
        "show",
        "diff",
        "review",
        "import",
        "train",
        "finetune",
        "evaluate",
        "export",
        "run-agents",
        "resume",
        "compare",
        "probe",
        "doctor",
        "watch",
    ]
    for command in commands:
        assert f"  {command} " in done.stdout
    assert {"torch", "openai", "anthropic", "pandas", "numba", "libcst"}.isdisjoint(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--task", "bane_vs_hm"], 2, "did you mean 'bane_vs_hM'"),
        (["--task", "x", "tasks"], 2, "--task stands before the command 'tasks'"),
        (["train", "--task", "bane_vs_hM", "--method", "qmx"], 2, "did you mean 'qmix'"),
        (["train", "--tsk", "x"], 2, "--task"),
        (["tain"], 2, "train"),
        (["train", "--task", "bane_vs_hM", "--preset", "epymar"], 2, "did you mean 'epymarl'"),
        (["train", "--task", "bane_vs_hM", "--mixer", "qplx"], 2, "did you mean 'qplex'"),
        ([], 2, "name a task"),
        (["train", "--task", "bane_vs_hM", "--method", "lmac"], 2, "--protocol"),
        (["train", "--task", "bane_vs_hM", "--device", "gpu"], 2, "unknown device 'gpu'"),
        (["evaluate", "runs/nothing"], 2, "not a run"),
        (["resume", "runs/nothing"], 2, "not a run"),
        (["evaluate", "--task", "bane_vs_hM", "--policy", "orcle"], 2, "did you mean 'oracle'"),
        (["show", "nothing"], 3, "not a folder"),
        (["check", "nothing"], 2, "does not exist"),
        (["diff", "nothing", "nothing"], 3, "not a folder"),
        (["review", "nothing", "--by", "Ann"], 3, "not a folder"),
        (["review", "nothing"], 2, "--by"),
        (["import", "nothing", "--task", "bane_vs_hM", "--trust"], 2, "not a folder"),
        (["import", ".", "--task", "bane_vs_hM", "--trust"], 3, "none of comm_init.py"),
        (["import", ".", "--task", "bane_vs_hm"], 2, "did you mean 'bane_vs_hM'"),
        (["import", ".", "--task", "bane_vs_hM", "--name", "../x"], 2, "--name '../x'"),
        (["gather", "--task", FORAGING, "--episodes", "0"], 2, "episodes"),
    ],
)
def test_a_mistake_is_one_clear_message_and_a_status(
    arguments: list[str], status: int, says: str, tmp_path: Path
) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_tasks_as_json(tmp_path: Path) -> None:
    rows = {row["task"]: row for row in json.loads(run("tasks", "--json", cwd=tmp_path).stdout)["tasks"]}
    assert rows["bane_vs_hM"] == {
        "task": "bane_vs_hM",
        "agents": 3,
        "enemies": 2,
        "limit": 30,
        "observation": 31,
        "state": 28,
        "actions": 8,
        "messages": "not needed",
        "backend": rows["bane_vs_hM"]["backend"],
        "needs": "nothing more",
        "scripted": ["rush", "clock", "share", "oracle"],
    }
    assert (rows["1o_2r_vs_4r"]["observation"], rows["1o_2r_vs_4r"]["state"]) == (49, 38)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whatever_stops_gathering_keeps_the_episodes(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "cli", "gather", "--task", FORAGING, "--episodes", "5000"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        while "of 5,000" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(1.5)  # long enough for a round of episodes
        process.send_signal(number)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in said
    kept = r"( after [\d,]+ of 5,000 episodes; they are kept in data/\S+)?"
    assert re.search(rf"error: stopped{kept}\n$", said), said


def test_doctor_says_what_holds_here(tmp_path: Path) -> None:
    done = run("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    examined = {(one["group"], one["name"]): one["state"] for one in json.loads(done.stdout)["examined"]}
    assert examined["static rules", "read"] == "fine"
    tried = [state for (group, _), state in examined.items() if group == "tried in the sandbox"]
    assert tried == ["fine"] * 8
    assert list(tmp_path.iterdir()) == []


def test_check_shows_line_caret_and_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "bane_vs_hM" / "mine"
    folder.mkdir(parents=True)
    part = folder / "part0.py"
    part.write_text("import os\n\n\ndef send(own):\n    return {'up': own['move.nort']}\n")
    done = run("check", str(folder), cwd=tmp_path)
    assert done.returncode == 3
    assert "part0.py:1:8: PD3" in done.stdout
    assert "did you mean 'move.north'" in done.stdout
    assert "^" in done.stdout
    found = json.loads(run("check", str(folder), "--json", cwd=tmp_path).stdout)
    assert [f["line"] for f in found] == [1, 5]
    part.write_text("def send(own):\n    return {'up': own['move.north']}\n")
    assert run("check", str(part), "--task", "bane_vs_hM", cwd=tmp_path).returncode == 0


def test_freeze_train_edit_refuse_freeze_again(tmp_path: Path) -> None:
    """A person writes a part, freezes it, trains with it, edits it, is refused, and freezes the edit."""
    folder = tmp_path / "generated_protocols" / FORAGING / "mine"
    folder.mkdir(parents=True)
    part = folder / "part0.py"
    part.write_text("def send(own):\n    return {'food': own.group('cell_*.food_level')}\n")
    frozen = run("freeze", str(folder), "--no-score", "--json", cwd=tmp_path)
    assert frozen.returncode == 0, frozen.stderr
    assert json.loads(frozen.stdout)["after"]["message_dim"] == 18
    training = ["train", "--task", FORAGING, "--protocol", str(folder), "--steps", "1500", "--eval-episodes", "8"]
    trained = run(*training, "--method", "direct", "--json", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    result = json.loads(trained.stdout)
    assert result["complete"]
    evaluated = run("evaluate", result["run"], "--episodes", "16", "--json", cwd=tmp_path)
    assert json.loads(evaluated.stdout)["episodes"] == 16
    other_task = run("train", "--task", "bane_vs_hM", "--protocol", str(folder), cwd=tmp_path)
    assert other_task.returncode == 3
    assert "was made for" in other_task.stderr
    # a run's copy whose hashes match, but which the rules refuse: hashes are not trust
    copy = tmp_path / result["run"] / "protocol"
    source = "import os\n\n\ndef send(own):\n    return {'food': own.group('cell_*.food_level')}\n"
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["parts"]["part0.py"] = source_hash(source.encode())
    (copy / "part0.py").write_text(source)
    (copy / "manifest.json").write_text(json.dumps(manifest))
    for command in ("evaluate", "resume"):
        untrusted = run(command, result["run"], cwd=tmp_path)
        assert untrusted.returncode == 3
        assert "refused by the static rules" in untrusted.stderr
    part.write_text("def send(own):\n    return {'food': own.group('cell_*.food_level') * 2}\n")
    refused = run(*training, cwd=tmp_path)
    assert refused.returncode == 3
    assert f"design-protocol freeze {folder}" in refused.stderr
    again = run("freeze", str(folder), "--no-score", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "-    return {'food': own.group('cell_*.food_level')}" in again.stdout
    assert "frozen as version 2" in again.stdout
    assert run("show", str(folder), "--json", cwd=tmp_path).returncode == 0
