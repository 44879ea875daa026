"""Gathering in several processes."""

from __future__ import annotations

from pathlib import Path

from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.workers import WorkerSettings

TASK = "bane_vs_hM"


def test_a_data_set_is_the_same_bits_whatever_the_number_of_processes(tmp_path: Path) -> None:
    here = GatherConfig(episodes=80, envs=8, batch_size=8, replay_episodes=50)
    spread = GatherConfig(episodes=80, envs=8, batch_size=8, replay_episodes=50, workers=WorkerSettings(count=2))
    assert gather(TASK, spread, tmp_path / "2").hash == gather(TASK, here, tmp_path / "1").hash
