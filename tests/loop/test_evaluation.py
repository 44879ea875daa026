"""Greedy episodes, and the intervals around what they come to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from buffers.errors import UnknownNameError, UsageError
from marl_runtime.evaluation import EvalConfig, evaluate, evaluate_scripted
from marl_runtime.statistics import (
    difference_over_seeds,
    interquartile_mean,
    mean_over_episodes,
    over_seeds,
    wilson,
)
from marl_runtime.tasks import Task
from marl_runtime.training import prepare, train
from marl_runtime.training_config import EpsilonSchedule, TrainConfig


@pytest.fixture(scope="module")
def run(cue_game: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = TrainConfig(
        "cue-game", "qmix_state", steps=12_000, envs=16, steps_per_update=50, replay_episodes=1_000,
        epsilon=EpsilonSchedule(steps=6_000), eval_every=12_000, eval_episodes=16, checkpoint_every=6_000,
    )  # fmt: skip
    return train(config, tmp_path_factory.mktemp("runs"))


def test_a_scripted_policy_gives_one_row_per_episode(cue_game: Task) -> None:
    played = evaluate_scripted("cue-game", "knowing", EvalConfig(episodes=5, envs=2))
    assert list(played.rows.columns) == ["episode", "seed", "success", "return", "length", "truncated"]
    assert played.rows.episode.tolist() == [0, 1, 2, 3, 4]
    assert played.rows.seed.nunique() == 5
    assert played.rows.success.all()
    assert played.rows["return"].tolist() == pytest.approx([0.97] * 5)
    assert played.rows.length.tolist() == [3] * 5
    assert (played.success.value, played.success.high) == (1, 1)
    assert json.loads(json.dumps(played.to_json()))["episodes"] == 5
    with pytest.raises(UnknownNameError, match="scripted policy of task 'cue-game' 'knowin': did you mean 'knowing'"):
        evaluate_scripted("cue-game", "knowin", EvalConfig())


def test_a_run_plays_its_last_checkpoint_and_is_not_changed_by_it(run: Path) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    first = evaluate(run, EvalConfig(episodes=100, seed=5))
    assert first.success.value > 0.9
    assert first.steps >= 12_000
    assert evaluate(run, EvalConfig(episodes=100, seed=5, envs=7)).rows.equals(first.rows)
    assert not evaluate(run, EvalConfig(episodes=100, seed=6)).rows.seed.equals(first.rows.seed)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_damaged_last_checkpoint_is_passed_over(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "copy")
    newest = sorted((copy / "checkpoints").glob("step-*"))[-1]
    (newest / "learner.safetensors").write_bytes(b"half")
    with pytest.warns(RuntimeWarning, match="is left out"):
        played = evaluate(copy, EvalConfig(episodes=8))
    assert played.steps < 12_000


def test_a_run_without_a_checkpoint_is_refused(cue_game: Task, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no checkpoint yet: train it first with `design-protocol resume"):
        evaluate(prepare(TrainConfig("cue-game"), tmp_path), EvalConfig())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"episodes": 0}, "0 episodes"), ({"message_loss": 2.0}, r"message loss 2\.0"), ({"seed": -1}, "seed -1")],
)
def test_an_evaluation_that_cannot_be(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EvalConfig(**wrong)


def test_wilson_by_hand() -> None:
    # 8 of 10: (0.8 + 1.9208 / 10) / 1.38416 -+ 1.96 sqrt(0.016 + 0.0096036) / 1.38416
    estimate = wilson(8, 10)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert (wilson(0, 20).low, wilson(20, 20).high) == (0, 1)
    assert np.isnan(wilson(0, 0).value)


def test_means_by_hand() -> None:
    # mean 2, standard deviation 1, three episodes: 2 -+ 1.96 / sqrt(3)
    estimate = mean_over_episodes([1, 2, 3])
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((2, 0.8684, 3.1316), abs=1e-4)
    assert interquartile_mean([0, 1, 2, 3, 4, 5, 6, 100]) == pytest.approx((2 + 3 + 4 + 5) / 4)
    assert interquartile_mean([1, 2, 6]) == pytest.approx(3)


def test_intervals_over_seeds() -> None:
    estimate = over_seeds([0.4, 0.5, 0.6, 0.7])
    assert estimate.value == pytest.approx(0.55)
    assert 0.4 <= estimate.low < 0.5
    assert 0.6 < estimate.high <= 0.7
    assert np.isnan(over_seeds([0.5]).low)
    apart = difference_over_seeds([0.7, 0.8, 0.9], [0.1, 0.2, 0.3])
    assert apart.value == pytest.approx(0.6)
    assert 0.4 <= apart.low < 0.6 < apart.high <= 0.8
    same = over_seeds([0.3, 0.3, 0.3])
    assert (same.low, same.high) == pytest.approx((0.3, 0.3))
