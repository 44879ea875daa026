"""Episodes in several processes: the same bits, also when a process dies."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.rollout import Rollout, ScriptedActor
from marl_runtime.spreading import Round, SpreadEnvironment, WorkerDiedError, play_scripted, retried
from marl_runtime.tasks import find_task

TASK = "bane_vs_hM"


def test_a_data_set_is_the_same_bits_whatever_the_number_of_processes(tmp_path: Path) -> None:
    config = GatherConfig(episodes=80, envs=8, batch_size=8, replay_episodes=50)
    one = gather(TASK, config, tmp_path / "1", workers=1)
    assert gather(TASK, config, tmp_path / "3", workers=3).hash == one.hash


def test_scripted_rounds_come_in_order_and_are_the_same_bits() -> None:
    task = find_task(TASK)
    actor = ScriptedActor(task.scripted["rush"]())
    rounds = [Round(5, first, np.full(4, 0.2, np.float32)) for first in (0, 4, 8)]
    plain = Rollout(task.make(4))
    expected = [plain.play(actor, 5, r.first_episode, 4, r.epsilon) for r in rounds]
    played = list(play_scripted(TASK, "rush", 4, rounds, 2, pytest.fail))
    for batch, wanted in zip(played, expected, strict=True):
        assert np.array_equal(batch.obs, wanted.obs)
        assert np.array_equal(batch.actions, wanted.actions)


def test_a_spread_environment_is_the_environment_and_survives_a_death() -> None:
    task = find_task(TASK)
    spread = SpreadEnvironment(TASK, 5, 2)
    actions = np.ones((5, 3), dtype=np.int64)
    seeds, everywhere = np.arange(5), np.ones(5, dtype=bool)
    plain = task.make(5)
    said: list[str] = []

    def play(environment: SpreadEnvironment, kill: list[int]) -> float:
        environment.reset(everywhere, seeds)
        if kill:
            os.kill(kill.pop(), signal.SIGKILL)
        return float(environment.step(actions).rewards.sum())

    victims = [spread._workers[1].process.pid or 0]
    reward = retried(partial(play, spread, victims), spread, said.append)
    plain.reset(everywhere, seeds)
    assert reward == float(plain.step(actions).rewards.sum())
    assert np.array_equal(spread.obs, plain.obs)
    assert np.array_equal(spread.avail_actions, plain.avail_actions)
    assert said == ["a process that plays episodes ended by SIGKILL"]
    with pytest.raises(WorkerDiedError):
        retried(lambda: play(spread, [spread._workers[0].process.pid or 0]), spread)
    spread.close()
