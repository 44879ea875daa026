"""The foraging adapter against the real package, with grids laid out by hand."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from buffers.errors import UnknownNameError, UsageError
from marl_runtime.environments.foraging import ACTION_NAMES, ForagingEnvironment, ForagingSettings
from marl_runtime.environments.foraging_settings import settings_of
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


@pytest.mark.parametrize(
    ("name", "share"), [(NAME, 0.85), pytest.param("Foraging-1s-11x11-6p-4f-coop", 0.7, marks=pytest.mark.slow)]
)
def test_the_oracle_eats_nearly_everything(name: str, share: float) -> None:
    task = find_task(name)
    env, policy = task.make(200), task.scripted["oracle"]()
    everyone = np.ones(200, dtype=bool)
    env.reset(everyone, np.arange(200))
    policy.reset(env, everyone)
    returns, wins = np.zeros(200), np.zeros(200, dtype=bool)
    for _ in range(task.schema.episode_limit):
        result = env.step(policy.act(env))
        returns += result.rewards
        wins |= result.success
    assert wins.mean() > share
    np.testing.assert_allclose(returns[wins], 1, atol=1e-5)


def test_an_episode_is_its_seeds_alone_whatever_was_played_before() -> None:
    # The package lets nobody appear where a player stood at the end of the last episode.
    used, fresh = ForagingEnvironment(ForagingSettings(NAME), 1), ForagingEnvironment(ForagingSettings(NAME), 1)
    for seed in range(60):
        used.reset(np.array([True]), np.array([seed]))
    for seed in range(60):
        used.reset(np.array([True]), np.array([seed]))
        fresh = ForagingEnvironment(ForagingSettings(NAME), 1)
        fresh.reset(np.array([True]), np.array([seed]))
        np.testing.assert_array_equal(used.state, fresh.state)


@pytest.mark.parametrize(("name", "size"), [(NAME, 300), ("Foraging-1s-11x11-6p-4f-coop", 507)])
def test_the_padded_grid_has_the_published_size(name: str, size: int) -> None:
    # 3 x (8 + 2)² and 3 x (11 + 2)²
    assert find_task(f"{name},state=grid").schema.state_dim == size


def test_every_cell_of_the_padded_grid_is_where_its_name_says() -> None:
    env = find_task(f"{NAME},state=grid").make(1)
    assert isinstance(env, ForagingEnvironment)
    env.reset(np.array([True]), np.array([5]))
    lay_out(env, players=[(0, 3, 1), (7, 4, 2)], foods=[(1, 3, 3), (5, 5, 3)])
    state = dict(zip([f.name for f in env.schema.state_fields], env.state[0].tolist(), strict=True))
    levels = {name: value for name, value in state.items() if value and not name.endswith("accessible")}
    assert levels == {
        "row_0_column_3.agent_level": 0.5,  # level 1 of at most 2
        "row_7_column_4.agent_level": 1.0,
        "row_1_column_3.food_level": 0.75,  # level 3 of at most 4
        "row_5_column_5.food_level": 0.75,
    }
    free = {name for name, value in state.items() if value and name.endswith("accessible")}
    assert len(free) == 8 * 8 - 4
    assert "row_0_column_3.accessible" not in free
    assert not [name for name in free if "_m1" in name or "_8" in name]  # the rim is never free


def test_every_registered_id_stands_for_its_own_parameters() -> None:
    ids = [name for name in gymnasium.registry if name.startswith("Foraging-") and "grid" not in name]
    assert len(ids) == 1920
    for name in ids:
        known = {k: v for k, v in gymnasium.spec(name).kwargs.items() if k != "grid_observation"}
        found = vars(settings_of(name))
        assert {key: found[key] for key in known} == known, name


def test_grid_ids_and_names_without_a_version() -> None:
    grid = settings_of("Foraging-grid-3s-10x10-4p-2f-v3")
    assert (grid.sight, grid.players, grid.max_num_food, grid.force_coop, grid.max_episode_steps) == (
        3,
        4,
        2,
        False,
        50,
    )
    ours = settings_of("Foraging-2s-8x8-2p-2f-coop-pen")
    assert (ours.sight, ours.penalty, ours.force_coop, ours.max_episode_steps) == (2, 0.1, True, 25)


def test_parameters_follow_the_name() -> None:
    name = "Foraging-8x8-2p-2f-v3,field_size=6x9,max_player_level=2+3,sight=2,observe_agent_levels=false,penalty=0.5"
    task = find_task(name)
    env = task.make(1)
    assert isinstance(env, ForagingEnvironment)
    assert (env.settings.field_size, env.settings.max_player_level, env.settings.penalty) == ((6, 9), (2, 3), 0.5)
    assert env.settings.top_food_level == 5
    assert task.schema.obs_dim == 3 * 5 * 5
    env.reset(np.array([True]), np.array([5]))
    lay_out(env, players=[(5, 8, 3), (4, 8, 2)], foods=[(2, 2, 5), (4, 5, 2)])
    seen = {f.name: v for f, v in zip(env.schema.obs_fields, env.obs[0, 0], strict=True) if v and "agent" in f.name}
    assert seen == {"cell_here.agent_level": 1.0, "cell_n1.agent_level": 1.0}  # that, not which level
    assert env.state[0, :3].tolist() == [1.0, 1.0, 1.0]  # row 5 of 0 to 5, column 8 of 0 to 8, level 3 of 3
    lay_out(env, players=[(2, 3, 3), (5, 8, 2)], foods=[(2, 2, 5), (4, 5, 2)])
    assert env.step(np.array([[LOAD, STAY]])).rewards.tolist() == [-0.5]  # 3 is not enough for 5: the penalty


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("Foraging-2s-8x8-2p-2f-coop-v2", UsageError, r"another version.*present one is Foraging-2s-8x8-2p-2f-coop-v3"),
        ("Foraging-8x8-2p-2f-s1", UnknownNameError, r"did you mean .*'Foraging-1s-8x8-2p-2f-coop'"),
        (f"{NAME},sigth=1", UnknownNameError, r"'sigth': did you mean 'sight'"),
        (f"{NAME},sight=near", UsageError, r"sight=near is not a number of cells"),
        (f"{NAME},sight=9", UsageError, r"sight 9 is not between 1 and the larger side of 8x8"),
        (f"{NAME},max_player_level=1+2+3", UsageError, r"max_player_level has 3 levels, for 2 of them"),
        (f"{NAME},min_player_level=3", UsageError, r"player levels from \(3, 3\) to \(2, 2\)"),
        (f"{NAME},state=padded", UsageError, r"state 'padded' is neither 'compact' nor 'grid'"),
    ],
)
def test_a_wrong_name_is_answered(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        find_task(name)
