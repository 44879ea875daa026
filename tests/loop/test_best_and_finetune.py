"""The best policy beside the last one, and runs that begin with another run's networks."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from buffers.errors import LayoutMismatchError, UsageError
from marl_runtime.checkpoints import Checkpoints, read_start, split_tensors
from marl_runtime.evaluation import EvalConfig, evaluate, stored_policy
from marl_runtime.finetuning import FineTuning, fine_tune, fine_tuning_config
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_state import Run
from marl_runtime.tasks import Task
from marl_runtime.training import prepare, resume, train
from marl_runtime.training_config import EpsilonSchedule, TrainConfig


def config_of_run() -> TrainConfig:
    return TrainConfig(
        "cue-game", "qmix_state", steps=12_000, envs=16, steps_per_update=50, replay_episodes=1_000,
        epsilon=EpsilonSchedule(end=0.1, steps=6_000), eval_every=2_000, eval_episodes=16, log_every=2_000,
        checkpoint_every=6_000,
    )  # fmt: skip


@pytest.fixture(scope="module")
def run(cue_game: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(config_of_run(), tmp_path_factory.mktemp("runs"))


def same(one: object, other: object) -> bool:
    ours, theirs = split_tensors(one)[1], split_tensors(other)[1]
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_the_best_is_of_the_first_evaluation_with_most_successes_and_then_most_return(run: Path) -> None:
    tests = [row for row in read_metrics(run) if "test/success" in row]
    marks = [(row["test/success"], row["test/return"]) for row in tests]
    best = tests[marks.index(max(marks))]
    result = RunFolder(run).read_json("result.json")
    assert (result["best_step"], result["best_success"]) == (best["step"], best["test/success"])
    kept = stored_policy(run, "best")
    assert (kept.steps, kept.tree["success"], kept.tree["return"]) == (best["step"], *max(marks))
    assert [path.name for path in (run / "checkpoints").glob("best-*")] == [f"best-{best['step']:010d}"]
    assert evaluate(run, EvalConfig(20, checkpoint="best")).steps == best["step"]
    assert evaluate(run, EvalConfig(20)).steps == result["steps"]


def test_a_policy_that_gets_worse_leaves_the_best_where_it_was(cue_game: Task, tmp_path: Path) -> None:
    config = config_of_run()
    run = Run(RunFolder.open(prepare(config, tmp_path)), config)
    for steps, success, mean_return in (
        (0, 0.5, 1.0),
        (10, 0.75, 1.0),
        (20, 0.75, 1.0),
        (30, 0.5, 9.0),
        (40, 0.75, 1.5),
    ):
        run.counters.steps = steps
        run.keep_if_best(success, mean_return)
        found = run.checkpoints.best()
        assert found is not None
        assert found.steps == {0: 0, 10: 10, 20: 10, 30: 10, 40: 40}[steps]
    run.close()


def test_a_damaged_best_is_said_and_not_played(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    (file,) = copy.glob("checkpoints/best-*/learner.safetensors")
    file.write_bytes(file.read_bytes()[:-9])
    with (
        pytest.warns(RuntimeWarning, match="best-.* is left out"),
        pytest.raises(UsageError, match="no best checkpoint"),
    ):
        evaluate(copy, EvalConfig(4, checkpoint="best"))
    with pytest.raises(ValueError, match="checkpoint 'worst' is neither 'last' nor 'best'"):
        EvalConfig(checkpoint="worst")  # type: ignore[arg-type]


def test_a_fine_tuned_run_begins_where_the_other_was_and_says_so(run: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    config = fine_tuning_config(run, FineTuning(steps=500, seed=7))
    assert (config.epsilon, config.seed, config.method) == (EpsilonSchedule(0.1, 0.1, 1), 7, "qmix_state")
    on = fine_tune(run, config, "best", tmp_path)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    kept = stored_policy(run, "best")
    told = RunFolder(on).read_json("environment.json")["started_from"]
    assert told == {"run": run.name, "checkpoint": "best", "step": kept.steps}
    start = read_start(on)
    assert start is not None
    assert same(start, {name: kept.tree["learner"][name] for name in ("method", "mixer")})
    # untrained networks win half of the cues at most
    first = read_metrics(on)[0]
    assert (first["step"], first["test/success"] > 0.8) == (0, True)


def test_a_fine_tuned_run_that_is_killed_goes_on_to_the_same_weights(run: Path, tmp_path: Path) -> None:
    config = replace(fine_tuning_config(run, FineTuning(steps=2_500, seed=7)), checkpoint_every=1_000)
    whole = fine_tune(run, config, "last", tmp_path / "whole")

    def kill(done: int, total: int, text: str) -> None:
        if done > 1_500:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        fine_tune(run, config, "last", tmp_path / "killed", kill)
    (killed,) = (tmp_path / "killed").iterdir()
    resume(killed)
    ends = [Checkpoints(path).latest(with_replay=False) for path in (whole, killed)]
    assert all(end is not None for end in ends)
    assert same(ends[0].tree["learner"], ends[1].tree["learner"])  # type: ignore[union-attr]


def test_what_does_not_fit_is_named_and_nothing_is_made(run: Path, tmp_path: Path) -> None:
    config = fine_tuning_config(run, FineTuning(steps=100))
    with pytest.raises(LayoutMismatchError, match=f"run {run.name} was made for .*task 'cue-game'"):
        fine_tune(run, replace(config, task="bane_vs_hM"), "last", tmp_path / "runs")
    with pytest.raises(UsageError, match="its networks would not fit: the mixer there qmix, here vdn"):
        fine_tune(run, replace(config, mixer="vdn"), "last", tmp_path / "runs")
    with pytest.raises(UsageError, match="is not a run"):
        fine_tuning_config(tmp_path / "nowhere", FineTuning(steps=100))
    assert not (tmp_path / "runs").exists()
