from __future__ import annotations

import numpy as np
import pytest
from skirmish_stage import play_scripted

from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.tasks import find_task

BATTLES = 2000


def played(task_name: str, script: str) -> tuple[np.ndarray, np.ndarray]:
    """Won `[E]` and the units at the start `[E, U]`."""
    task = find_task(task_name)
    won, _, start = play_scripted(task.make(BATTLES), task.scripted[script]())
    return won, start


# about three standard errors of 2000 battles (1 %) around the published rush (18 %) and the coarse simulator's figures
@pytest.mark.parametrize(
    ("script", "low", "high"), [("rush", 0.13, 0.21), ("clock", 0.74, 0.82), ("share", 0.75, 0.83)]
)
def test_win_rates_on_bane_vs_hm(script: str, low: float, high: float) -> None:
    won, _ = played("bane_vs_hM", script)
    assert low <= won.mean() <= high


def test_the_oracle_wins_unless_somebody_spawns_within_the_hydralisks_reach() -> None:
    won, start = played("bane_vs_hM", "oracle")
    apart = np.hypot(start["x"][:, :3] - 16, start["y"][:, :3] - 31).min(axis=1)
    assert 0.17 <= (apart <= 3).mean() <= 0.23
    assert won[apart > 3].mean() >= 0.97


def test_messages_are_worth_25_points_on_1o_2r_vs_4r() -> None:
    blind, _ = played("1o_2r_vs_4r", "blind")
    shared, _ = played("1o_2r_vs_4r", "shared")
    oracle, _ = played("1o_2r_vs_4r", "oracle")
    assert shared.mean() - blind.mean() >= 0.25
    assert shared.mean() >= 0.75
    assert oracle.mean() >= shared.mean() - 0.02


@pytest.mark.parametrize("task_name", ["bane_vs_hM", "1o_2r_vs_4r"])
def test_policies_forget_what_a_reset_ends(task_name: str) -> None:
    """Battles that are reset one by one are won as often as those that start together."""
    task = find_task(task_name)
    for name, make in task.scripted.items():
        env, policy = task.make(500), make()
        assert isinstance(env, SkirmishEnvironment)
        over, wins, ends = np.ones(500, dtype=bool), 0, 0
        for step in range(3 * env.schema.episode_limit):
            if over.any():
                env.reset(over, np.arange(500) + 500 * step)
                policy.reset(env, over)
            result = env.step(policy.act(env))
            over = result.terminated | result.truncated
            wins, ends = wins + int(result.success.sum()), ends + int(over.sum())
        together, _, _ = play_scripted(task.make(BATTLES), make())
        # ends are short battles more often than starts are: a won battle is a short one, so the tolerance is wide
        assert abs(wins / ends - together.mean()) < 0.08, name
