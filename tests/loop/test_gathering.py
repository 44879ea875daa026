"""The data set that a protocol is designed on: mixed, sized before it is played, found again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buffers.dataset import DataSet
from buffers.errors import LayoutMismatchError, ResourceError, UnknownNameError
from marl_runtime import gathering
from marl_runtime.gathering import GatherConfig, gather, gathering_size
from marl_runtime.tasks import Task

SMALL = GatherConfig(episodes=300, envs=16, batch_size=16, replay_episodes=100, steps_per_update=60)


def test_every_policy_plays_its_part_under_every_epsilon(cue_game: Task, tmp_path: Path) -> None:
    data = gather("cue-game", SMALL, tmp_path)
    assert data.policy_names == (*(f"qmix-stage-{k}" for k in range(1, 6)), "scripted-knowing")
    assert np.bincount(data.policy).tolist() == [42, 42, 42, 42, 42, 90]
    qmix = data.epsilon[data.policy < 5]
    assert qmix.min() == pytest.approx(0.05)
    assert qmix.max() > 0.95
    # the schedule has half of the episodes, and stays at 0.05 in the second half of the run
    assert (qmix == np.float32(0.05)).mean() == pytest.approx(0.25, abs=0.05)
    rows = {row["name"]: row for row in data.manifest["policies"]}
    assert rows["scripted-knowing"]["success_rate"] > 0.8
    assert data.schema.layout_hash == cue_game.schema.layout_hash


def test_the_same_settings_are_found_and_say_so_and_others_are_gathered(cue_game: Task, tmp_path: Path) -> None:
    said: list[str] = []
    first = gather("cue-game", SMALL, tmp_path, lambda done, total, text: said.append(text))
    assert not first.found
    assert said[0].endswith("in memory, messages of 64 numbers included")
    said.clear()
    second = gather("cue-game", SMALL, tmp_path, lambda done, total, text: said.append(text))
    assert second.found
    assert said == [f"found {first.path}, gathered before with the same settings"]
    assert gather("cue-game", replace(SMALL, message_dim=8), tmp_path).found  # decides nothing about the episodes
    other = gather("cue-game", replace(SMALL, seed=1), tmp_path)
    assert not other.found
    assert other.hash != first.hash


def test_the_same_seed_gathers_the_same_bytes(cue_game: Task, tmp_path: Path) -> None:
    assert gather("cue-game", SMALL, tmp_path / "a").hash == gather("cue-game", SMALL, tmp_path / "b").hash


def test_the_size_is_refused_before_anything_is_played(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # an episode takes 707 bytes, and 9 entries x 2 agents x 64 numbers x 4 bytes = 4,608 more with messages
    assert gathering_size(cue_game, SMALL) == 300 * 5_315
    monkeypatch.setattr("buffers.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(ResourceError, match=r"of 300 episodes needs 1\.59 MB, more than 80% of the 1 MB.*150 episodes"):
        gather("cue-game", SMALL, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert gather("cue-game", replace(SMALL, episodes=150), tmp_path).n_episodes == 150


def test_a_full_disk_is_refused_before_anything_is_played(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 100_000})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(ResourceError, match=r"the data set needs 212 kB on disk, and .* has 100 kB left"):
        gather("cue-game", SMALL, tmp_path / "deep" / "er")


def test_ctrl_c_keeps_what_was_gathered(cue_game: Task, tmp_path: Path) -> None:
    def press(done: int, total: int, text: str) -> None:
        if done >= 150:
            raise KeyboardInterrupt

    with pytest.raises(
        KeyboardInterrupt, match=r"stopped after 1\d\d of 300 episodes; they are kept in .*-interrupted-"
    ):
        gather("cue-game", SMALL, tmp_path, press)
    (kept,) = tmp_path.iterdir()
    assert DataSet.open(kept).n_episodes >= 150
    assert not gather("cue-game", SMALL, tmp_path).found


def test_a_data_set_of_another_layout_is_not_used(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = gather("cue-game", SMALL, tmp_path)
    other = replace(cue_game, schema=replace(cue_game.schema, episode_limit=9))
    monkeypatch.setattr(gathering, "find_task", lambda name: other)
    monkeypatch.setattr(gathering, "gathering_hash", lambda schema, config: data.manifest["gathering_hash"])
    with pytest.raises(LayoutMismatchError, match="made for another layout: episode limit, index 0, is 8 there and 9"):
        gather("cue-game", SMALL, tmp_path)


def test_the_learner_learns_from_what_it_gathers(cue_game: Task, tmp_path: Path) -> None:
    config = GatherConfig(episodes=1_500, scripted_share=0, steps_per_update=20, envs=16)
    data = gather("cue-game", config, tmp_path)
    everything = data.episodes(np.arange(1_500))
    greedy = data.epsilon < 0.1
    late = greedy & (data.policy == 4)
    returns = everything.returns
    random = returns[(data.epsilon > 0.9) & (data.policy < 2)].mean()
    assert returns[late].mean() > random


def test_unknown_tasks_and_impossible_settings(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="task 'bane_vs_hm': did you mean 'bane_vs_hM'"):
        gather("bane_vs_hm", SMALL, tmp_path)
    with pytest.raises(ValueError, match=r"scripted_share 1\.5 is not in"):
        GatherConfig(scripted_share=1.5)
    with pytest.raises(ValueError, match="episodes 0 is below 1"):
        GatherConfig(episodes=0)
    with pytest.raises(ValueError, match="replay_episodes 10 holds less than a round of 32"):
        GatherConfig(replay_episodes=10)
