"""The contract that every task keeps, foraging and all maps alike."""

from __future__ import annotations

import numpy as np
import pytest

from marl_runtime.environment import StepResult, VectorEnvironment, episode_seeds
from marl_runtime.environments.football_schema import FOOTBALL_TASKS
from marl_runtime.tasks import PUBLISHED_LAYOUT, Task, find_task, task_names

# football is played by an engine that has to be compiled: tests/environments/test_football_engine.py
NAMES = [name for name in task_names() if not name.endswith(".toml") and name not in FOOTBALL_TASKS]
E, STEPS = 8, 30
# agents, observation, smac_plus's observation (0: the same), state, actions and limit: the sizes that stock SMAC and
# the published code compute for these maps, without last actions in the state (3m: 48 with them, less 3 x 9)
SIZES = {
    "bane_vs_hM": (3, 31, 0, 28, 8, 30),
    "1o_2r_vs_4r": (3, 49, 53, 38, 10, 50),
    "1o_10b_vs_1r": (11, 84, 85, 71, 7, 50),
    "2o_20b_vs_2r": (22, 168, 170, 142, 8, 50),
    "5z_vs_1ul": (5, 35, 36, 28, 7, 150),
    "3m": (3, 30, 0, 21, 9, 60),
}


def choose(environment: VectorEnvironment, wishes: np.ndarray) -> np.ndarray:
    """The available action with the highest wish, `[E, N]`; attacks (and loading) are liked best, so that units die."""
    lean = np.where(np.arange(wishes.shape[-1]) >= wishes.shape[-1] - 1 - environment.schema.n_agents, 2.0, 1.0)
    return (environment.avail_actions * (wishes + 0.01) * lean).argmax(axis=-1)


def shown(environment: VectorEnvironment, result: StepResult | None = None) -> list[np.ndarray]:
    arrays = [environment.obs, environment.state, environment.avail_actions, environment.alive]
    if result is not None:
        arrays += [result.rewards, result.terminated, result.truncated, result.success]
    return [array.copy() for array in arrays]


def played(environment: VectorEnvironment, seeds: np.ndarray, wishes: np.ndarray) -> list[list[np.ndarray]]:
    """All that is shown at the start and after each step; `wishes` `[steps, E, N, A]`."""
    environment.reset(np.ones(len(seeds), dtype=bool), seeds)
    record = [shown(environment)]
    for wish in wishes:
        record.append(shown(environment, environment.step(choose(environment, wish))))
    return record


@pytest.fixture(scope="module", params=NAMES)
def task(request: pytest.FixtureRequest) -> Task:
    return find_task(request.param)


@pytest.fixture(scope="module")
def wishes(task: Task) -> np.ndarray:
    return np.random.default_rng(7).random((STEPS, E, task.schema.n_agents, task.schema.n_actions))


@pytest.fixture(scope="module")
def record(task: Task, wishes: np.ndarray) -> list[list[np.ndarray]]:
    return played(task.make(E), episode_seeds(3, 0, E), wishes)


def test_names_are_unique_and_lead_to_their_task() -> None:
    assert len(set(NAMES)) == len(NAMES) > 30
    assert all(find_task(name).name == find_task(name).schema.name == name for name in NAMES)


def test_sizes_are_those_of_the_schema(task: Task, record: list[list[np.ndarray]]) -> None:
    schema, (obs, state, avail, alive) = task.schema, record[0]
    assert obs.shape == (E, schema.n_agents, schema.obs_dim)
    assert state.shape == (E, schema.state_dim)
    assert avail.shape == (E, schema.n_agents, schema.n_actions)
    assert alive.shape == (E, schema.n_agents)
    assert (obs.dtype, state.dtype, avail.dtype, alive.dtype) == (np.float32, np.float32, bool, bool)
    base = task.name.removesuffix(PUBLISHED_LAYOUT)
    if base in SIZES:
        agents, stock, published, state_dim, actions, limit = SIZES[base]
        expected = published if task.name.endswith(PUBLISHED_LAYOUT) else stock
        assert (schema.n_agents, schema.obs_dim) == (agents, expected)
        assert (schema.state_dim, schema.n_actions, schema.episode_limit) == (state_dim, actions, limit)


def test_numbers_are_finite_and_the_dead_see_and_choose_nothing(record: list[list[np.ndarray]]) -> None:
    for obs, state, avail, alive, *_ in record:
        assert np.isfinite(obs).all()
        assert np.isfinite(state).all()
        assert avail.any(axis=-1).all()
        assert (obs[~alive] == 0).all()
        assert avail[~alive][:, 0].all()
        assert not avail[~alive][:, 1:].any()


def test_padding_columns_stay_zero(task: Task, record: list[list[np.ndarray]]) -> None:
    columns = [i for i, f in enumerate(task.schema.obs_fields) if ".unused_" in f.name]
    assert bool(columns) == task.name.endswith(PUBLISHED_LAYOUT)
    assert all((step[0][..., columns] == 0).all() for step in record)


def test_ends_come_once_and_are_never_both(record: list[list[np.ndarray]]) -> None:
    over = np.zeros(E, dtype=bool)
    for *_, rewards, terminated, truncated, success in record[1:]:
        assert not (terminated & truncated).any()
        assert not (success & ~terminated).any()
        assert not ((terminated | truncated) & over).any()
        assert (rewards[over] == 0).all()
        over |= terminated | truncated


def test_many_in_step_equal_one_by_one_and_a_second_time(
    task: Task, wishes: np.ndarray, record: list[list[np.ndarray]]
) -> None:
    """The single environment plays all eight one after the other: nothing is left of the episode before."""
    seeds, single = episode_seeds(3, 0, E), task.make(1)
    for e in range(E):
        alone = played(single, seeds[e : e + 1], wishes[:, e : e + 1])
        for mine, theirs in zip(alone, record, strict=True):
            assert all(np.array_equal(a[0], b[e]) for a, b in zip(mine, theirs, strict=True))


def test_an_unavailable_action_is_an_error_that_names_it(task: Task) -> None:
    environment = task.make(2)
    environment.reset(np.ones(2, dtype=bool), episode_seeds(0, 0, 2))
    actions = environment.avail_actions.argmax(axis=-1)
    e, agent, action = np.argwhere(~environment.avail_actions)[0]
    actions[e, agent] = action
    message = rf"environment {e}, agent {agent}: action '{task.schema.action_names[action]}' is not available"
    with pytest.raises(ValueError, match=message):
        environment.step(actions)


def test_policies_written_by_hand_choose_available_actions(task: Task) -> None:
    for make in task.scripted.values():
        environment, policy = task.make(2), make()
        environment.reset(np.ones(2, dtype=bool), episode_seeds(1, 0, 2))
        policy.reset(environment, np.ones(2, dtype=bool))
        for _ in range(4):
            actions = policy.act(environment)
            assert actions.shape == environment.alive.shape
            assert np.take_along_axis(environment.avail_actions, actions[..., None], axis=-1).all()
            environment.step(actions)
