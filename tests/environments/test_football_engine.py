"""Football on the real engine; `make test-grf` builds it and runs these."""

from __future__ import annotations

import numpy as np
import pytest

from buffers.errors import RejectedError
from marl_runtime.environments import football
from marl_runtime.environments.football import FootballEnvironment
from marl_runtime.environments.football_schema import ACTION_NAMES, FOOTBALL_TASKS
from marl_runtime.tasks import find_task

pytestmark = [
    pytest.mark.grf,
    # what the engine's package imports warns of itself
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
EVERY = pytest.mark.parametrize("name", list(FOOTBALL_TASKS))


def play(environment: FootballEnvironment, seeds: list[int], steps: int) -> list[np.ndarray]:
    """Random actions from the seed of each environment; returns the states."""
    n_envs, n = environment.num_envs, environment.schema.n_agents
    environment.reset(np.ones(n_envs, dtype=bool), np.array(seeds))
    rngs = [np.random.default_rng(seed) for seed in seeds]
    states = [environment.state.copy()]
    for _ in range(steps):
        actions = np.stack([rng.integers(len(ACTION_NAMES), size=n) for rng in rngs])
        environment.step(actions)
        states.append(environment.state.copy())
    return states


@EVERY
def test_each_agent_moves_itself_and_nobody_else(name: str) -> None:
    """Against the same match in which all stand: who runs at the goal is further up the pitch, and no teammate is.

    The engine lets a player near the ball fetch it first, so it takes some steps until all obey.
    """
    environment = FootballEnvironment(FOOTBALL_TASKS[name], 1)
    schema = environment.schema
    xs = [schema.state_index(f"agent_{i}.x") for i in range(schema.n_agents)]

    def after(agent: int | None) -> np.ndarray:
        environment.reset(np.ones(1, dtype=bool), np.array([3]))
        for _ in range(12):
            actions = np.zeros((1, schema.n_agents), dtype=np.int64)
            if agent is not None:
                actions[0, agent] = ACTION_NAMES.index("right")
            environment.step(actions)
        return environment.state[0, xs].copy()

    still = after(None)
    for agent in range(schema.n_agents):
        moved = after(agent) - still
        assert moved[agent] > 0.02
        assert np.abs(np.delete(moved, agent)).max() < 0.01
    environment.close()


@EVERY
def test_an_episode_depends_on_its_seed_alone(name: str) -> None:
    """The same in another engine, beside another episode, and after other episodes; another seed gives another one."""
    alone = FootballEnvironment(FOOTBALL_TASKS[name], 1)
    first = [state[0] for state in play(alone, [5], 40)]
    play(alone, [8], 25)
    again = [state[0] for state in play(alone, [5], 40)]
    beside = FootballEnvironment(FOOTBALL_TASKS[name], 2)
    both = play(beside, [9, 5], 40)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, [state[1] for state in both])
    assert not np.array_equal(first, [state[0] for state in both])
    alone.close()
    beside.close()


def test_a_shot_at_an_empty_goal_pays_one_and_ends_the_episode() -> None:
    """Of 60 matches in which everybody runs at the goal and shoots, some end with a goal."""
    environment = FootballEnvironment(FOOTBALL_TASKS["academy_3_vs_1_with_keeper"], 1)
    goals = []
    for seed in range(60):
        environment.reset(np.ones(1, dtype=bool), np.array([seed]))
        for t in range(150):
            name = "right" if t < 12 else "shot"
            result = environment.step(np.full((1, 3), ACTION_NAMES.index(name)))
            assert bool(result.success[0]) == (result.rewards[0] == 1)
            if result.success[0]:
                assert result.terminated[0]
                goals.append(seed)
            if result.terminated[0] or result.truncated[0]:
                assert result.truncated[0] == (t == 149 and not result.terminated[0])
                break
    assert goals
    environment.close()


def test_an_episode_ends_back_in_our_own_half() -> None:
    environment = FootballEnvironment(FOOTBALL_TASKS["academy_run_pass_and_shoot_with_keeper"], 1)
    environment.reset(np.ones(1, dtype=bool), np.array([2]))
    schema = environment.schema
    for _ in range(150):
        result = environment.step(np.full((1, 2), ACTION_NAMES.index("left")))
        if result.terminated[0]:
            break
    xs = [environment.state[0, schema.state_index(f"{who}.x")] for who in ("agent_0", "agent_1", "ball")]
    assert result.terminated[0]
    assert min(xs) < 0 or not result.success[0]
    environment.close()


def test_another_scenario_under_the_same_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = FootballEnvironment(FOOTBALL_TASKS["academy_3_vs_1_with_keeper"], 1)
    monkeypatch.setattr(football, "NEAR", 0.001)
    with pytest.raises(RejectedError, match=r"player 1 \(centre\) starts at"):
        environment.reset(np.ones(1, dtype=bool), np.array([1]))
    environment.close()


def test_the_task_gathers_designs_and_trains(tmp_path_factory: pytest.TempPathFactory) -> None:
    from marl_runtime.metrics import read_metrics
    from marl_runtime.training import train
    from marl_runtime.training_config import TrainConfig

    run = train(
        TrainConfig("academy_3_vs_1_with_keeper", steps=600, envs=2, batch_size=2, replay_episodes=20, eval_episodes=2),
        tmp_path_factory.mktemp("runs"),
    )
    assert find_task("academy_3_vs_1_with_keeper").schema.episode_limit == 150
    assert [row for row in read_metrics(run) if "test/success" in row]
