"""Worlds that change in mid-battle, and battles with more or fewer agents: by hand, on maps built here."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from skirmish_stage import STOP

from buffers.errors import RejectedError
from marl_runtime.environment import StepResult
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.maps import FOLDER, read_map
from marl_runtime.skirmish.maps.battle_map import BattleMap, Spawn
from marl_runtime.skirmish.maps.changes import Change
from marl_runtime.tasks import find_task

# two Marines in the west, three far away in the east: nobody can reach anybody for a while
PLAIN = BattleMap(
    name="plain",
    summary="x",
    source="x",
    allies=("marine", "marine"),
    enemies=("marine", "marine", "marine"),
    episode_limit=40,
    open_rects=((0, 0, 32, 32),),
    spawns=(Spawn((0,), ((2, 4, 2, 4),)), Spawn((1,), ((2, 28, 2, 28),)), Spawn((2, 3, 4), ((30, 10, 30, 22),))),
    type_bits={"marine": 0, "marauder": 1},
)


def begun(battle_map: BattleMap, num_envs: int = 64) -> SkirmishEnvironment:
    env = SkirmishEnvironment(battle_map, num_envs)
    env.reset(np.ones(num_envs, dtype=bool), np.arange(num_envs, dtype=np.int64))
    return env


def wait(env: SkirmishEnvironment) -> StepResult:
    return env.step(np.where(env.alive, STOP, 0))


def test_who_arrives_is_absent_before_and_comes_at_a_step_drawn_for_each_battle() -> None:
    env = begun(replace(PLAIN, schedule=(Change("more", (3, 6), arrive=(1, 4)),)))
    assert env.regimes == ("start", "more")
    came = np.zeros(64, dtype=np.int64)
    for step in range(1, 9):
        absent = env.units["health"][:, [1, 4]].sum(axis=1) == 0
        assert (env.alive[:, 1] == ~absent).all()
        # absent units show in no column: agent 1's own observation and the state are zeros
        assert not env.obs[absent, 1].any()
        regime = wait(env).regime
        assert regime is not None
        arrived = env.units["health"][:, [1, 4]].sum(axis=1) == 90  # two Marines of 45
        assert (arrived == (regime == 1)).all()
        came[arrived & (came == 0)] = step
    assert set(came) == {3, 4, 5, 6}
    assert np.bincount(came)[3:].min() >= 8  # evenly over four steps: 16 of 64 expected each
    again = begun(replace(PLAIN, schedule=(Change("more", (3, 6), arrive=(1, 4)),)), 8)
    for _ in range(4):
        wait(again)
    assert (again.units["health"][:, 4] > 0).tolist() == (came[:8] <= 4).tolist()  # by the seed alone


def test_a_battle_is_not_won_while_enemies_are_still_to_come() -> None:
    env = begun(replace(PLAIN, schedule=(Change("more", (4, 4), arrive=(3, 4)),)), 2)
    env.units["health"][:, 2], env.units["dead"][:, 2] = 0.0, 1  # the one that was there
    for _ in range(3):
        assert not wait(env).terminated.any()
    assert not wait(env).terminated.any()  # they have come
    env.units["health"][0, 3:], env.units["dead"][0, 3:] = 0.0, 1
    result = wait(env)
    assert result.terminated.tolist() == result.success.tolist() == [True, False]


def test_who_leaves_pays_nothing_and_does_not_win_by_it() -> None:
    env = begun(replace(PLAIN, schedule=(Change("fewer", (2, 2), leave=(2, 3)),)), 2)
    for _ in range(3):
        result = wait(env)
        assert result.rewards.tolist() == [0.0, 0.0]
        assert not result.terminated.any()
    assert (env.units["health"][0] > 0).tolist() == [True, True, False, False, True]


def test_a_unit_that_becomes_another_keeps_its_share_of_health_and_shows_its_type() -> None:
    env = begun(replace(PLAIN, schedule=(Change("heavy", (2, 2), become={2: "marauder"}),)), 1)
    env.units["health"][0, 2] = 9.0  # a fifth of 45
    schema = env.schema
    health = schema.state_fields[schema.state_index("enemy_0.health")]
    assert (health.unit, health.scale) == ("share of full health", 1.0)
    wait(env)
    wait(env)
    assert env.units["health"][0, 2] == pytest.approx(25.0)  # a fifth of 125
    assert env.state[0, schema.state_index("enemy_0.health")] == pytest.approx(0.2)
    bits = [env.state[0, schema.state_index(f"enemy_0.type_{bit}")] for bit in (0, 1)]
    assert bits == [0.0, 1.0]


def test_an_agent_that_may_become_another_has_no_fixed_role() -> None:
    assert begun(replace(PLAIN, schedule=(Change("heavy", (2, 2), become={0: "marauder"}),)), 1).schema.roles_vary
    assert not begun(replace(PLAIN, schedule=(Change("heavy", (2, 2), become={2: "marauder"}),)), 1).schema.roles_vary


def test_enemies_begin_to_advance_and_stop_again() -> None:
    schedule = (
        Change("attack", (3, 3), behaviour="attack", attack_order=(2.0, 16.0)),
        Change("hold", (8, 8), behaviour="hold"),
    )
    env = begun(replace(PLAIN, sight=1.0, schedule=schedule), 1)
    xs = []
    for _ in range(12):
        wait(env)
        xs.append(env.units["x"][0, 2:].mean())
    assert np.allclose(xs[:3], xs[0])
    # a Marine walks 2.25 map units a data-second: 1.125 a step, less what bodies that stand together cost
    assert all(0.9 < before - after < 1.2 for before, after in itertools.pairwise(xs[3:8]))
    assert np.allclose(xs[8:], xs[8], atol=0.2)


def test_so_many_agents_and_as_many_fewer_enemies_take_part() -> None:
    env = begun(replace(PLAIN, present_agents=(1, 2)), 400)
    agents = env.alive.sum(axis=1)
    enemies = (env.units["health"][:, 2:] > 0).sum(axis=1)
    assert set(agents) == {1, 2}
    assert 160 < (agents == 1).sum() < 240  # evenly: 200 of 400, standard deviation 10
    assert (enemies == agents + 1).all()
    assert 160 < env.alive[:, 0].sum() - (agents == 2).sum() + (agents == 1).sum() // 2 < 240  # either may be absent
    # the most that a battle pays is 20 for those that take part: 10 and 45 hit points for each enemy, 200 for the win
    for row in (int(agents.argmin()), int(agents.argmax())):
        env.units["health"][row, 2:] = np.where(env.units["health"][row, 2:] > 0, 45.0, 0.0)
        divisor = env._battles["reward_divisor"][row]
        assert divisor == pytest.approx((55 * enemies[row] + 200) / 20)


def test_training_and_tests_have_other_numbers() -> None:
    task = find_task("3m_to_8m")
    seen = {}
    for testing in (False, True):
        env = task.environment(200, testing=testing)
        env.reset(np.ones(200, dtype=bool), np.arange(200, dtype=np.int64))
        seen[testing] = set(env.alive.sum(axis=1).tolist())
    assert seen == {False: {3, 4, 5}, True: {6, 7, 8}}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("steps = [8, 4]", "schedule[0].steps: [8, 4] goes from more to less"),
        ("steps = 500", "schedule[0].steps: 500 is not between 1 and 119"),
        ("steps = 5\nleave = [16]", "schedule[0].leave[0]: 16 is not between 0 and 15"),
        ("steps = 5", "nothing changes; say arrive, leave, become or behaviour"),
        ("steps = 5\nbehaviour = 'attack'", "behaviour 'attack' and attack_order need each other"),
        ("steps = 5\nbecome = { 8 = 'maruader' }", "did you mean 'marauder'"),
        ("steps = 5\narive = [8]", "did you mean 'arrive'"),
        ("steps = 5\narrive = [8, 9, 10, 11, 12, 13, 14, 15]", "a side has nobody until somebody arrives"),
    ],
)
def test_a_wrong_schedule_is_one_clear_error(tmp_path: Path, wrong: str, says: str) -> None:
    text = (FOLDER / "8m.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("[scripted]", f"[[schedule]]\nregime = 'late'\n{wrong}\n\n[scripted]"))
    with pytest.raises(RejectedError) as caught:
        read_map(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_wrong_numbers_of_agents_are_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = (FOLDER / "8m.toml").read_text()
    path.write_text(text.replace("[scripted]", "[agents]\ntrain = [3, 5]\ntest = [6, 9]\n\n[scripted]"))
    with pytest.raises(RejectedError, match=r"agents.test: 9 is not between 1 and 8"):
        read_map(path)
