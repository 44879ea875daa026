from __future__ import annotations

import numpy as np
import pytest
from skirmish_stage import play_scripted, random_actions, stage

from buffers.episodes import IntArray
from marl_runtime.environment import episode_seeds
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.maps import MAPS
from marl_runtime.skirmish.render import render_text
from marl_runtime.tasks import find_task


def record(env: SkirmishEnvironment, seeds: IntArray, choices: np.ndarray) -> list[np.ndarray]:
    """All that an environment shows in one battle each; `choices` `[steps, E, N, A]` pick among available actions."""
    env.reset(np.ones(env.num_envs, dtype=bool), seeds)
    shown = [env.obs.copy(), env.state.copy(), env.avail_actions.copy(), env.alive.copy()]
    for choice in choices:
        result = env.step((env.avail_actions * choice).argmax(axis=-1))
        shown += [env.obs.copy(), env.state.copy(), env.avail_actions.copy(), env.alive.copy()]
        shown += [result.rewards, result.terminated, result.truncated, result.success]
    return shown


def eager_choices(env: SkirmishEnvironment, rng: np.random.Generator) -> np.ndarray:
    """Random preferences that lean towards attacking, so that battles are fought."""
    steps, n_actions = env.schema.episode_limit, env.schema.n_actions
    lean = np.where(np.arange(n_actions) >= 6, 1.0, 0.2)
    return (rng.random((steps, *env.alive.shape, n_actions)) + 1e-3) * lean


# tests/environments/test_every_task.py holds the same for all tasks, over fewer battles
@pytest.mark.parametrize("name", ["bane_vs_hM", "1o_2r_vs_4r"])
def test_a_battle_plays_the_same_alone_and_among_others(name: str) -> None:
    together = SkirmishEnvironment(MAPS[name], 40)
    seeds = episode_seeds(5, 0, 40)
    choices = eager_choices(together, np.random.default_rng(1))
    shown = record(together, seeds, choices)
    again = record(SkirmishEnvironment(MAPS[name], 40), seeds, choices)
    assert all((a == b).all() for a, b in zip(shown, again, strict=True))
    alone = SkirmishEnvironment(MAPS[name], 1)
    for e in range(40):
        single = record(alone, seeds[e : e + 1], choices[:, e : e + 1])
        assert all((a[e : e + 1] == b).all() for a, b in zip(shown, single, strict=True))


@pytest.mark.parametrize("name", MAPS)
def test_resetting_some_battles_leaves_the_others_alone(name: str) -> None:
    env = SkirmishEnvironment(MAPS[name], 6)
    env.reset(np.ones(6, dtype=bool), episode_seeds(0, 0, 6))
    env.step(random_actions(env, np.random.default_rng(0)))
    obs, units = env.obs.copy(), env.units.copy()
    mask = np.array([True, False, True, False, False, True])
    env.reset(mask, episode_seeds(1, 0, 6))
    assert (env.units[~mask] == units[~mask]).all()
    assert (env.obs[~mask] == obs[~mask]).all()
    assert env.steps.tolist() == [0, 1, 0, 1, 1, 0]


# one map of each kind: leash and attack order, with and without shields, and random teams
@pytest.mark.parametrize("name", ["bane_vs_hM", "1o_2r_vs_4r", "1o_10b_vs_1r", "5z_vs_1ul", "MMM", "zerg_5_vs_5"])
def test_the_short_way_of_calm_steps_gives_the_same_numbers(name: str) -> None:
    task = find_task(name)
    for script in task.scripted:
        short, full = task.make(200), task.make(200)
        assert isinstance(short, SkirmishEnvironment)
        assert isinstance(full, SkirmishEnvironment)
        full._rules["shortcut"] = 0
        for first, second in zip(
            play_scripted(short, task.scripted[script]()), play_scripted(full, task.scripted[script]()), strict=True
        ):
            assert (first == second).all()
        assert (short.units == full.units).all()


def test_agents_are_sorted_by_x_and_spawns_fill_their_regions() -> None:
    env = SkirmishEnvironment(MAPS["bane_vs_hM"], 4000)
    env.reset(np.ones(4000, dtype=bool), episode_seeds(0, 0, 4000))
    x, y = env.units["x"], env.units["y"]
    assert (np.diff(x[:, :3]) > 0).all()
    assert (x[:, 0] < 14).all()
    assert ((x[:, 1] >= 15) & (x[:, 1] < 17)).all()
    assert (x[:, 2] >= 18).all()
    assert y[:, [0, 2]].min() >= 30
    np.testing.assert_allclose(x[:, 0].mean(), 7, atol=0.3)
    np.testing.assert_allclose(y[:, 1].mean(), 15.5, atol=0.5)
    assert env.terrain[x[:, :4].astype(int), y[:, :4].astype(int)].all()


def test_the_corner_and_the_side_are_drawn_evenly_and_apart() -> None:
    env = SkirmishEnvironment(MAPS["1o_2r_vs_4r"], 4000)
    env.reset(np.ones(4000, dtype=bool), episode_seeds(0, 0, 4000))
    x, y = env.units["x"], env.units["y"]
    corner = 2 * (x[:, 0] > 16) + (y[:, 0] > 16)
    side = np.select([y[:, 1] < 5, y[:, 1] >= 27, x[:, 1] < 7], [0, 1, 2], 3)
    counts = np.array([[((corner == c) & (side == s)).sum() for s in range(4)] for c in range(4)])
    assert (abs(counts - 250) < 75).all()  # five standard deviations of 4000 draws of 1 in 16
    assert (x[:, 1] < x[:, 2]).all()
    assert env.terrain[x.astype(int), y.astype(int)].all()


def test_only_the_overseer_can_tell_the_corner_at_the_start() -> None:
    env = SkirmishEnvironment(MAPS["1o_2r_vs_4r"], 400)
    env.reset(np.ones(400, dtype=bool), episode_seeds(0, 0, 400))
    corner = 2 * (env.units["x"][:, 0] > 16) + (env.units["y"][:, 0] > 16)
    moves = env.obs[:, 0, :4]
    signatures = {tuple(moves[corner == c].mean(axis=0)) for c in range(4)}
    assert len(signatures) == 4
    assert set(np.ravel(list(signatures))) == {0.0, 1.0}


def test_a_battle_as_text() -> None:
    env = stage("bane_vs_hM", ((3.5, 30.5), (15.5, 20.2), (28, 31), (16, 31), (16.9, 31)))
    env.units["health"][0, 0], env.units["dead"][0, 0] = 0, 1
    rows = render_text(env, 0).splitlines()
    assert rows[0] == "bane_vs_hM, step 0 of 30, running"
    assert rows[1] == "................B...........2..."
    assert rows[4] == "############........############"
    assert rows[12] == "###############1.###############"
    assert rows[33:] == [
        "0 agent 0 baneling: dead",
        "1 agent 1 baneling: 30.0 of 30 hp at (15.50, 20.20)",
        "2 agent 2 baneling: 30.0 of 30 hp at (28.00, 31.00)",
        "A enemy 0 hydralisk: 90.0 of 90 hp at (16.00, 31.00)",
        "B enemy 1 medivac: 150.0 of 150 hp at (16.90, 31.00), energy 50.0",
    ]
