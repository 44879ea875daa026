"""mpe2's particle worlds through the adapter, where mpe2 is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from marl_runtime.tasks import find_task

pytest.importorskip("mpe2", reason="mpe2 is not installed: pip install 'protocol-designer[mpe]'", exc_type=ImportError)
ONE = np.array([True])


def start(name: str, seed: int = 5) -> Any:
    env = find_task(f"marl_runtime.environments.mpe:{name}").make(1)
    env.reset(ONE, np.array([seed]))
    return env


def value(env: Any, name: str, agent: int | None = None) -> float:
    schema = env.schema
    if agent is None:
        return env.state[0, schema.state_index(name)]
    return env.obs[0, agent, [f.name for f in schema.obs_fields].index(name)]


@pytest.mark.parametrize(
    ("name", "agents", "observation", "state"),
    [
        # 21 numbers less 10 of the channel, twice; 3 + 8 names; 18 less 4, and 3 x (2 + 2 + 6)
        ("simple_reference", 2, 11, 22),
        ("simple_speaker_listener", 2, 11, 11),
        ("simple_spread", 3, 14, 30),
    ],
)
def test_sizes_and_whole_episodes(name: str, agents: int, observation: int, state: int) -> None:
    env = start(name)
    schema = env.schema
    assert (schema.n_agents, schema.obs_dim, schema.state_dim, schema.n_actions) == (agents, observation, state, 5)
    rng = np.random.default_rng(0)
    results = [env.step((rng.random(env.avail_actions.shape) * env.avail_actions).argmax(-1)) for _ in range(25)]
    assert [bool(r.truncated[0]) for r in results] == [False] * 24 + [True]
    assert not any(r.terminated[0] for r in results)


def test_every_number_of_simple_reference_is_what_its_name_says() -> None:
    env = start("simple_reference")
    world = env._games[0].unwrapped.world
    env.step(np.array([[2, 3]]))  # agent 0 east, agent 1 south
    for i, agent in enumerate(world.agents):
        assert value(env, "own.velocity_x", i) == pytest.approx(agent.state.p_vel[0])
        for k, landmark in enumerate(world.landmarks):
            away = landmark.state.p_pos - agent.state.p_pos
            assert value(env, f"landmark_{k}.relative_y", i) == pytest.approx(away[1], abs=1e-6)
            assert value(env, f"agent_{i}.to_landmark_{k}_x") == pytest.approx(away[0], abs=1e-6)
        assert value(env, "partner.goal_green", i) == pytest.approx(agent.goal_b.color[1])
        assert value(env, f"agent_{1 - i}.goal_green") == pytest.approx(agent.goal_b.color[1])
    assert value(env, "own.velocity_x", 0) > 0
    assert value(env, "own.velocity_y", 1) < 0


def test_moves_move_as_they_are_called() -> None:
    # stay, west, east, south, north: the sign of the velocity after one step
    for action, (x, y) in enumerate([(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]):
        env = start("simple_spread")
        env.step(np.array([[action, 0, 0]]))
        assert np.sign(value(env, "own.velocity_x", 0)) == x
        assert np.sign(value(env, "own.velocity_y", 0)) == y


def test_the_worlds_own_channel_is_silent() -> None:
    for name in ("simple_reference", "simple_speaker_listener"):
        env = start(name)
        game = env._games[0]
        said = set()
        rng = np.random.default_rng(1)
        for _ in range(25):
            env.step((rng.random(env.avail_actions.shape) * env.avail_actions).argmax(-1))
            said |= {tuple(a.state.c) for a in game.unwrapped.world.agents if not a.silent}
        assert len(said) == 1  # always word 0: it tells nothing
    assert env.avail_actions[0].tolist() == [[True, False, False, False, False], [True] * 5]


def test_the_listeners_reward_is_the_squared_distance_once() -> None:
    env = start("simple_speaker_listener")
    listener = env._games[0].unwrapped.world.agents[1]
    goal = env._games[0].unwrapped.world.agents[0].goal_b
    result = env.step(np.array([[0, 0]]))
    assert result.rewards[0] == pytest.approx(-((listener.state.p_pos - goal.state.p_pos) ** 2).sum(), rel=1e-5)
