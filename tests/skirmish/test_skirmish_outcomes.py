from __future__ import annotations

import numpy as np
import pytest
from skirmish_stage import ATTACK, STOP, play, play_scripted, stage

from buffers.errors import UnknownNameError
from marl_runtime.skirmish.environment import BattleOptions
from marl_runtime.tasks import find_task

REGENERATION = 0.2734 / 16
NEAR = ((15.2, 31), (16, 30.2), (16.8, 31), (16, 31), (16, 31))
AWAY = ((15.5, 3), (15.5, 1), (16.5, 2), (16, 31), (16, 31))
CORNER = ((3.5, 3), (4.3, 3), (3.5, 3.8), (4.3, 3.8))


def test_a_win_pays_damage_kill_and_200_over_23() -> None:
    result = play(stage("bane_vs_hM", NEAR), ATTACK, ATTACK, ATTACK)
    # 90 hit points, 10 for the kill, 200 for the win; divided by (10 * 2 + 200 + 90 + 150) / 20
    assert result.rewards[0] == pytest.approx(300 / 23)
    assert (result.terminated[0], result.truncated[0], result.success[0]) == (True, False, True)


def test_one_blast_pays_35_less_what_comes_back() -> None:
    env = stage("bane_vs_hM", (NEAR[0], (28, 31), (29, 31), (16, 31), None))
    result = play(env, ATTACK, STOP, STOP)
    assert result.rewards[0] == pytest.approx((35 - 7 * REGENERATION) / 23)
    assert not result.terminated[0]


@pytest.mark.parametrize(("reward", "share"), [("stock", 1.0), ("corrected", 0.0)])
def test_recovery_pays_in_stock_smac_alone(reward: str, share: float) -> None:
    env = stage("bane_vs_hM", AWAY, reward=reward)
    play(env, STOP, STOP, STOP)
    env.units["health"][0, 3] = 50
    result = play(env, STOP, STOP, STOP)
    recovered = 4 * 7 / 16 + 8 * REGENERATION  # the Medivac starts after four game loops
    assert result.rewards[0] == pytest.approx(share * recovered / 23)
    assert any("recovery pays" in note for note in env.schema.notes)


def test_only_the_medivac_left_is_a_win_even_with_no_agent_left() -> None:
    result = play(env := stage("bane_vs_hM", NEAR), ATTACK, ATTACK, ATTACK)
    assert not env.alive.any()
    assert env.units["health"][0, 4] > 0
    assert result.success[0]


def test_all_dead_is_neither_won_nor_paid() -> None:
    env = stage("bane_vs_hM", (*NEAR[:4], None))
    result = play(env, ATTACK, ATTACK, ATTACK)
    assert not (env.units["health"] > 0).any()
    assert (result.terminated[0], result.success[0]) == (True, False)
    assert result.rewards[0] == pytest.approx(100 / 23)


def test_all_agents_dead_is_a_loss() -> None:
    env = stage("bane_vs_hM", (NEAR[0], None, None, *NEAR[3:]))
    result = play(env, ATTACK, STOP, STOP)
    assert (result.terminated[0], result.truncated[0], result.success[0]) == (True, False, False)


def test_a_battle_that_lacks_the_last_half_hit_point_is_not_won() -> None:
    env = stage("1o_2r_vs_4r", ((5, 12), (5, 20), (6, 20), CORNER[0], None, None, None))
    env.units["health"][0, 3] = 0.5
    results = [play(env, STOP, STOP, STOP) for _ in range(50)]
    assert not any(result.success[0] or result.terminated[0] for result in results)
    assert results[-1].truncated[0]
    assert sum(result.rewards[0] for result in results) == 0


def test_the_limit_truncates_once_and_then_nothing_happens_until_a_reset() -> None:
    env = stage("bane_vs_hM", AWAY)
    results = [play(env, STOP, STOP, STOP) for _ in range(33)]
    assert [bool(result.truncated[0]) for result in results] == [step == 29 for step in range(33)]
    assert not any(result.terminated[0] for result in results)
    assert env.steps[0] == 30
    assert not env.running[0]
    env.reset(np.ones(1, dtype=bool), np.array([3]))
    assert env.running[0]
    assert env.steps[0] == 0


def test_an_overseer_alone_plays_on_until_the_limit() -> None:
    env = stage("1o_2r_vs_4r", ((5, 12), None, None, *CORNER))
    results = [play(env, STOP, STOP, STOP) for _ in range(50)]
    assert not any(result.terminated[0] for result in results)
    assert results[-1].truncated[0]


def test_a_won_battle_of_1o_2r_vs_4r_returns_20() -> None:
    task = find_task("1o_2r_vs_4r")
    won, total, _ = play_scripted(task.make(100), task.scripted["oracle"]())
    assert won.any()
    np.testing.assert_allclose(total[won], 20, rtol=1e-5)  # Reapers do not recover, so damage is paid once
    assert (total[~won] < 20 - 200 / 22).all()


def test_an_unavailable_action_is_refused_before_anything_is_played() -> None:
    env = stage("bane_vs_hM", AWAY, num_envs=2)
    before = env.units.copy()
    with pytest.raises(ValueError, match="environment 1, agent 2: action 'attack_enemy_0' is not available"):
        env.step(np.array([[STOP, STOP, STOP], [STOP, STOP, ATTACK]]))
    with pytest.raises(ValueError, match="environment 0, agent 0: action 'no_op' is not available"):
        env.step(np.array([[0, STOP, STOP], [STOP, STOP, STOP]]))
    for number in (-1, 8):
        with pytest.raises(ValueError, match=f"environment 0, agent 1: action number {number} is not available"):
            env.step(np.array([[STOP, number, STOP], [STOP, STOP, STOP]]))
    assert (env.units == before).all()
    assert env.steps.tolist() == [0, 0]


def test_unknown_options_are_told() -> None:
    with pytest.raises(UnknownNameError, match="layout 'smacplus': did you mean 'smac_plus'"):
        BattleOptions(layout="smacplus")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="reward 'stok': did you mean 'stock'"):
        BattleOptions(reward="stok")  # type: ignore[arg-type]
