"""The foraging adapter against the real package, with grids laid out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from marl_runtime.environments.foraging import ACTION_NAMES, ForagingEnvironment, ForagingSettings
from marl_runtime.tasks import find_task

NAME = "Foraging-1s-8x8-2p-2f-coop"
STAY, NORTH, SOUTH, WEST, EAST, LOAD = range(6)


def lay_out(env: ForagingEnvironment, players: list[tuple[int, int, int]], foods: list[tuple[int, int, int]]) -> None:
    """Put (row, column, level) players and foods into environment 0 of the real game."""
    game = env._games[0]
    game.field[:] = 0
    for row, column, level in foods:
        game.field[row, column] = level
    for player, (row, column, level) in zip(game.players, players, strict=True):
        player.setup((row, column), level, game.field_size)
    game._food_spawned = game.field.sum()
    game._gen_valid_moves()
    env._levels[0] = [level for _, _, level in players]
    env._food_cells[0] = [(row, column) for row, column, _ in foods]
    env._read(0, game)
    env._observe(np.array([0]))


@pytest.fixture
def env() -> ForagingEnvironment:
    env = find_task(NAME).make(1)
    assert isinstance(env, ForagingEnvironment)
    env.reset(np.array([True]), np.array([5]))
    return env


def test_sizes(env: ForagingEnvironment) -> None:
    assert env.schema.obs_dim == 27
    assert env.schema.state_dim == 12
    assert env.schema.action_names == ACTION_NAMES
    assert env.schema.episode_limit == 25


def test_the_observation_names_each_cell(env: ForagingEnvironment) -> None:
    lay_out(env, players=[(0, 3, 1), (1, 4, 2)], foods=[(1, 3, 3), (5, 5, 3)])
    seen = {f.name: value for f, value in zip(env.schema.obs_fields, env.obs[0, 0], strict=True) if value}
    assert seen == {
        "cell_here.agent_level": 0.5,
        "cell_s1_e1.agent_level": 1.0,
        "cell_s1.food_level": 0.75,
        "cell_w1.accessible": 1.0,
        "cell_e1.accessible": 1.0,
        "cell_s1_w1.accessible": 1.0,
    }


def test_the_state_names_each_agent_and_food(env: ForagingEnvironment) -> None:
    lay_out(env, players=[(0, 3, 1), (7, 4, 2)], foods=[(1, 3, 3), (5, 5, 3)])
    state = {
        f.name: value * f.scale for f, value in zip(env.schema.state_fields, env.state[0].astype(float), strict=True)
    }
    expected = {
        "agent_0.row": 0, "agent_0.column": 3, "agent_0.level": 1,
        "agent_1.row": 7, "agent_1.column": 4, "agent_1.level": 2,
        "food_0.row": 1, "food_0.column": 3, "food_0.level": 3,
        "food_1.row": 5, "food_1.column": 5, "food_1.level": 3,
    }  # fmt: skip
    assert state == pytest.approx(expected, abs=1e-5)


def test_loading_needs_both_and_pays_the_foods_share(env: ForagingEnvironment) -> None:
    lay_out(env, players=[(1, 2, 1), (1, 4, 2)], foods=[(1, 3, 3), (5, 5, 3)])
    alone = env.step(np.array([[LOAD, STAY]]))
    assert alone.rewards.tolist() == [0.0]
    together = env.step(np.array([[LOAD, LOAD]]))
    assert together.rewards == pytest.approx([0.5])  # one of two foods of equal level
    assert not together.terminated[0]
    assert env.state[0, 6:9].tolist() == [0, 0, 0]
    lay_out(env, players=[(1, 2, 1), (1, 4, 2)], foods=[(1, 3, 3), (1, 3, 3)])
    last = env.step(np.array([[LOAD, LOAD]]))
    assert last.terminated[0]
    assert last.success[0]
    assert not last.truncated[0]


def test_the_limit_truncates_and_does_not_terminate(env: ForagingEnvironment) -> None:
    lay_out(env, players=[(0, 0, 1), (7, 7, 2)], foods=[(3, 3, 3), (5, 5, 3)])
    results = [env.step(np.zeros((1, 2), dtype=np.int64)) for _ in range(25)]
    assert [bool(r.truncated[0]) for r in results] == [False] * 24 + [True]
    assert not any(r.terminated[0] or r.success[0] for r in results)
    after = env.step(np.zeros((1, 2), dtype=np.int64))
    assert not after.truncated[0]
    assert after.rewards[0] == 0


def test_an_unavailable_action_is_an_error(env: ForagingEnvironment) -> None:
    lay_out(env, players=[(0, 0, 1), (7, 7, 2)], foods=[(3, 3, 3), (5, 5, 3)])
    with pytest.raises(ValueError, match=r"agent 0: action 'north' is not available"):
        env.step(np.array([[NORTH, STAY]]))


def test_many_in_step_equal_one_by_one() -> None:
    settings = ForagingSettings(NAME)
    together, seeds = ForagingEnvironment(settings, 4), np.array([3, 1, 4, 15])
    together.reset(np.ones(4, dtype=bool), seeds)
    singles = [ForagingEnvironment(settings, 1) for _ in seeds]
    for single, seed in zip(singles, seeds, strict=True):
        single.reset(np.array([True]), np.array([seed]))
    rng = np.random.default_rng(0)
    for _ in range(25):
        scores = rng.random(together.avail_actions.shape) * together.avail_actions
        actions = scores.argmax(axis=-1)
        joint = together.step(actions)
        for e, single in enumerate(singles):
            alone = single.step(actions[e : e + 1])
            np.testing.assert_array_equal(single.obs[0], together.obs[e])
            np.testing.assert_array_equal(single.state[0], together.state[e])
            assert alone.rewards[0] == joint.rewards[e]


def test_resetting_one_leaves_the_others() -> None:
    env = ForagingEnvironment(ForagingSettings(NAME), 3)
    env.reset(np.ones(3, dtype=bool), np.arange(3))
    before = env.state.copy()
    env.reset(np.array([False, True, False]), np.array([0, 77, 0]))
    np.testing.assert_array_equal(env.state[[0, 2]], before[[0, 2]])
    assert (env.state[1] != before[1]).any()


def test_the_oracle_eats_nearly_everything() -> None:
    task = find_task(NAME)
    env, policy = task.make(200), task.scripted["oracle"]()
    everyone = np.ones(200, dtype=bool)
    env.reset(everyone, np.arange(200))
    policy.reset(env, everyone)
    returns, wins = np.zeros(200), np.zeros(200, dtype=bool)
    for _ in range(task.schema.episode_limit):
        result = env.step(policy.act(env))
        returns += result.rewards
        wins |= result.success
    assert wins.mean() > 0.85
    np.testing.assert_allclose(returns[wins], 1, atol=1e-5)
