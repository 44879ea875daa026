"""Methods under the same learner, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from buffers.errors import ResourceError, UsageError
from marl_runtime.comparison import compare, difference, find_run, report
from marl_runtime.run_folder import RunFolder
from marl_runtime.tasks import Task
from marl_runtime.training import prepare, train
from marl_runtime.training_config import TrainConfig

BASE = TrainConfig(
    "Foraging-1s-8x8-2p-2f-coop", steps=800, envs=4, eval_every=200, eval_episodes=4, checkpoint_every=400,
    log_every=100, replay_episodes=100, batch_size=4,
)  # fmt: skip


def test_runs_are_trained_found_again_and_put_in_a_table(tmp_path: Path) -> None:
    steps: list[int] = []
    first = compare(
        BASE, ["qmix", "qmix_state"], [1], root=tmp_path, workers=2, last_evaluations=2, scripted_episodes=20,
        progress=lambda done, total, text: steps.append(done),
    )  # fmt: skip
    assert steps[-1] == 2 * 800
    assert first.table.method.tolist()[:2] == ["qmix", "qmix_state"]
    assert any(name.startswith("scripted: ") for name in first.table.method)
    assert first.seeds.complete.all()
    assert (first.seeds.episodes == 8).all()
    assert first.seeds.updates_per_step.tolist() == pytest.approx([1 / 200] * 2, abs=5e-4)
    assert len(list(tmp_path.iterdir())) == 2
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("metrics.jsonl")}
    again = compare(BASE, ["qmix_state", "qmix"], [1], root=tmp_path, last_evaluations=2, scripted_episodes=20)
    assert set(again.runs.values()) == set(first.runs.values())
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("metrics.jsonl")} == stamps
    first.save(tmp_path / "tables")
    assert len((tmp_path / "tables" / "seeds.csv").read_text().splitlines()) == 3
    assert json.loads(json.dumps(first.to_json()))["table"][0]["method"] == "qmix"


def test_a_failing_run_is_named_and_the_others_are_complete(tmp_path: Path) -> None:
    runs = {seed: prepare(replace(BASE, seed=seed), tmp_path) for seed in (0, 1)}
    with (
        RunFolder(runs[0]).locked(),
        pytest.raises(
            ResourceError, match=rf"1 of 2 runs failed, the others are complete: {runs[0]}: .*another process"
        ),
    ):
        compare(BASE, ["qmix"], [0, 1], root=tmp_path, workers=2)
    assert RunFolder(runs[1]).finished


def test_ctrl_c_stops_every_run_at_a_checkpoint(tmp_path: Path) -> None:
    base = replace(BASE, steps=100_000)

    def press(done: int, total: int, text: str) -> None:
        if all((run / "checkpoints").exists() for run in tmp_path.iterdir()):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="every run at a checkpoint"):
        compare(base, ["qmix"], [0], root=tmp_path, workers=2, progress=press)
    for run in tmp_path.iterdir():
        assert "go on with: design-protocol resume" in (run / "worker.log").read_text()
        assert list((run / "checkpoints").glob("step-*"))


def test_a_run_is_found_by_what_decides_it(cue_game: Task, tmp_path: Path) -> None:
    config = TrainConfig("cue-game", steps=300, envs=4, eval_episodes=4)
    assert find_run(config, tmp_path) is None
    open_run = prepare(config, tmp_path)
    assert find_run(config, tmp_path) == open_run
    complete = train(config, tmp_path)
    prepare(config, tmp_path)
    assert find_run(config, tmp_path) == complete
    assert find_run(replace(config, seed=1), tmp_path) is None
    assert find_run(replace(config, steps=301), tmp_path) is None


def test_a_run_of_a_version_without_an_option_is_found_by_that_options_default(cue_game: Task, tmp_path: Path) -> None:
    config = TrainConfig("cue-game", steps=300, envs=4, eval_episodes=4)
    run = prepare(config, tmp_path)
    known = json.loads((run / "config.json").read_text())
    del known["updates_per_episode"], known["learner"]["td_lambda"]
    (run / "config.json").write_text(json.dumps(known))
    assert find_run(config, tmp_path) == run
    assert find_run(replace(config, updates_per_episode=1.0), tmp_path) is None
    known["no_such_option"] = 1
    (run / "config.json").write_text(json.dumps(known))
    assert find_run(config, tmp_path) is None


def test_tables_by_hand(cue_game: Task, tmp_path: Path) -> None:
    config = TrainConfig("cue-game", steps=100, envs=4, eval_episodes=4)
    runs = {}
    for method, finals in (("qmix", [0.1, 0.2, 0.3]), ("qmix_state", [0.7, 0.8, 0.9])):
        for seed, final in enumerate(finals):
            run = prepare(replace(config, method=method, seed=seed), tmp_path)
            rows = [
                {"step": step, "test/success": success, "test/return": 0.0, "test/episodes": 4.0}
                for step, success in ((0, 0.0), (50, final - 0.05), (100, final + 0.05))
            ]
            (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            runs[method, seed] = run
    made = report("cue-game", runs, last_evaluations=2, scripted_episodes=10)
    assert made.seeds.success.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    assert made.table.success.tolist() == pytest.approx([0.2, 0.8, 1.0])
    assert made.table.method.tolist() == ["qmix", "qmix_state", "scripted: knowing"]
    apart = difference(made, "qmix_state", "qmix")
    assert apart.value == pytest.approx(0.6)
    assert apart.low >= 0.4


def test_nothing_to_compare_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one method and one seed"):
        compare(BASE, [], [0], root=tmp_path)


def test_workers_stop_at_a_checkpoint_when_the_comparison_is_killed(tmp_path: Path) -> None:
    run = prepare(replace(BASE, steps=1_000_000, checkpoint_every=1_000_000), tmp_path)
    start = (
        "import subprocess, sys, time\n"
        f"print(subprocess.Popen([sys.executable, '-m', 'marl_runtime.worker', {str(run)!r}]).pid, flush=True)\n"
        "time.sleep(600)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in [os.getcwd(), *sys.path] if p)}
    with subprocess.Popen([sys.executable, "-c", start], env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        while not (run / "metrics.jsonl").exists():
            assert parent.poll() is None
            time.sleep(0.05)
        parent.kill()
    deadline = time.monotonic() + 60
    while not list((run / "checkpoints").glob("step-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list((run / "checkpoints").glob("step-*")), f"worker {worker} went on"
