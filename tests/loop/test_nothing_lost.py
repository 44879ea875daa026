"""Real kills and a real full disk: what was trained is not lost, and the end is the same, bit for bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from marl_runtime.checkpoints import Checkpoints, split_tensors
from marl_runtime.metrics import read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.training import prepare, train
from marl_runtime.training_config import EpsilonSchedule, TrainConfig

PROTOCOL = Path(__file__).parents[2] / "generated_protocols" / "bane_vs_hM" / "search-a"


def config_of(steps: int, checkpoint_every: int) -> TrainConfig:
    return TrainConfig(
        "bane_vs_hM", "lmac", protocol=str(PROTOCOL), steps=steps, envs=16, epsilon=EpsilonSchedule(steps=10_000),
        eval_every=5_000, eval_episodes=32, log_every=1_000, checkpoint_every=checkpoint_every, replay_episodes=600,
    )  # fmt: skip


def worker(run: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in [os.getcwd(), *sys.path] if p)}
    command = [sys.executable, "-m", "marl_runtime.worker", str(run)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def assert_same_end(one: Path, other: Path) -> None:
    ends = [Checkpoints(run).latest(with_replay=False) for run in (one, other)]
    assert ends[0] is not None
    assert ends[1] is not None
    ours, theirs = (split_tensors(end.tree["learner"])[1] for end in ends if end is not None)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    rows = [
        [{k: v for k, v in row.items() if not k.startswith("time/")} for row in read_metrics(run)]
        for run in (one, other)
    ]
    assert rows[0] == rows[1]
    best = [RunFolder(run).read_json("result.json")["best_step"] for run in (one, other)]
    assert best[0] == best[1]


def newest(run: Path) -> int:
    """The step of the newest checkpoint, whole or not; 0 before the first."""
    return max((int(path.name.removeprefix("step-")) for path in run.glob("checkpoints/step-*")), default=0)


@pytest.mark.slow
def test_twenty_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    """SIGKILL twenty times in one run: at any moment of its start, and in the midst of training, in turn."""
    config = config_of(150_000, 1_000)
    whole = train(config, tmp_path / "whole")
    run = prepare(config, tmp_path / "killed")
    rng, reached = np.random.default_rng(11), []
    for kill in range(20):
        before, process = newest(run), worker(run)
        while kill % 2 and newest(run) == before:  # it has started and gone on
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        try:
            said = process.communicate(timeout=float(rng.uniform(0.0, 2.0)))[1]
            pytest.fail(f"the run was over before twenty kills, after {reached}: {said}")
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            assert process.returncode == -signal.SIGKILL
        reached.append(newest(run))
    assert sorted(reached) == reached
    assert len(set(reached)) >= 10
    process = worker(run)
    said = process.communicate()[1]
    assert process.returncode == 0, said
    assert_same_end(whole, run)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; where this process may not mount one, nothing is tested."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_ends_the_run_in_one_line_and_room_lets_it_go_on(tmp_path: Path, small_disk: Path) -> None:
    config = config_of(12_000, 1_000)
    whole = train(config, tmp_path / "whole")
    run = prepare(config, small_disk)
    process = worker(run)
    said = process.communicate()[1].strip().splitlines()
    assert process.returncode == 1, said
    assert "no space left on the disk" in said[-1]
    assert not RunFolder(run).finished
    subprocess.run(["mount", "-o", "remount,size=60m", str(small_disk)], check=True)
    again = worker(run)
    told = again.communicate()[1]
    assert again.returncode == 0, told
    assert_same_end(whole, run)
