from __future__ import annotations

import numpy as np
import pytest
from skirmish_stage import ATTACK, random_actions, stage, state

from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.maps import MAPS

# three Banelings (the third far away), Hydralisk and Medivac
BANE = ((15, 30), (16, 29.5), (28, 31), (16, 31), (16, 31))
# Overseer, two Roaches, four Reapers, all within sight of each other
ROACHES = ((4.5, 3.5), (4, 8), (5.5, 8.5), (3.5, 3), (4.5, 2.5), (5.5, 3), (4.5, 4.5))


@pytest.mark.parametrize(
    ("name", "layout", "widths"),
    [
        ("bane_vs_hM", "smac", (31, 8, 28, 42)),
        ("bane_vs_hM", "smac_plus", (31, 8, 28, 42)),
        ("1o_2r_vs_4r", "smac", (49, 10, 38, 62)),
        ("1o_2r_vs_4r", "smac_plus", (53, 10, 38, 66)),
    ],
)
def test_widths_are_those_of_smac(name: str, layout: str, widths: tuple[int, ...]) -> None:
    schema = stage(name, layout=layout).schema
    assert (schema.obs_dim, schema.n_actions, schema.state_dim, schema.extended_dim) == widths


def test_an_observation_of_bane_vs_hm_by_hand() -> None:
    env = stage("bane_vs_hM", BANE)
    root = np.sqrt(0.5)
    by_hand = [
        *(1, 1, 1, 1),  # open to the north, south, east and west
        *(1, root, 0.5, 0.5, 1, 0),  # Hydralisk one map unit east and north, sight 2, no health
        *(1, root, 0.5, 0.5, 0, 1),  # Medivac at the same place
        *(1, np.sqrt(1.25) / 2, 0.5, -0.25, 1, 0),  # agent 1
        *(0, 0, 0, 0, 0, 0),  # agent 2, out of sight
        *(1, 1, 0),  # own health and type
    ]
    np.testing.assert_allclose(env.obs[0, 0], by_hand, rtol=1e-6)
    env.units["health"][0, 0] = 12
    env.observe(np.ones(1, dtype=bool))
    assert env.obs[0, 0, 28] == np.float32(0.4)


def test_the_state_of_bane_vs_hm_by_hand() -> None:
    env = stage("bane_vs_hM", BANE)
    env.units["health"][0, 3:] = 45, 60
    env.observe(np.ones(1, dtype=bool))
    by_hand = [
        *(1, 0, -1 / 32, 14 / 32, 1, 0),
        *(1, 0, 0, 13.5 / 32, 1, 0),
        *(1, 0, 12 / 32, 15 / 32, 1, 0),
        *(0.5, 0, 15 / 32, 1, 0),
        *(0.4, 0, 15 / 32, 0, 1),
    ]
    np.testing.assert_allclose(env.state[0], by_hand, rtol=1e-6)


def test_an_observation_of_1o_2r_vs_4r_by_hand() -> None:
    env = stage("1o_2r_vs_4r", ((4.5, 3.5), (4, 8), (5.5, 20), (3.5, 3), (4.5, 2.5), (28, 28), None))
    env.units["health"][0, 3] = 20
    env.units["health"][0, 0] = 150
    env.observe(np.ones(1, dtype=bool))
    by_hand = [
        *(1, 1, 1, 1),  # north; south to (4, 7); east (5, 8), west (3, 8)
        *(1, np.hypot(0.5, 5) / 9, -0.5 / 9, -5 / 9, 0.4, 1, 0),
        *(1, np.hypot(0.5, 5.5) / 9, 0.5 / 9, -5.5 / 9, 1, 1, 0),
        *(0, 0, 0, 0, 0, 0, 0),  # far away
        *(0, 0, 0, 0, 0, 0, 0),  # dead
        *(1, np.hypot(0.5, 4.5) / 9, 0.5 / 9, -4.5 / 9, 0.75, 0, 1),  # Overseer
        *(0, 0, 0, 0, 0, 0, 0),  # the other Roach
        *(1, 1, 0),
    ]
    np.testing.assert_allclose(env.obs[0, 1], by_hand, rtol=1e-6)


def test_the_cooldown_is_game_loops_over_smacs_divisor() -> None:
    env = stage("1o_2r_vs_4r", ROACHES)
    env.units["cooldown"][0, 1] = 12
    env.observe(np.ones(1, dtype=bool))
    assert state(env, "agent_1.cooldown") == np.float32(12 / 15)
    assert state(env, "agent_2.cooldown") == 0


@pytest.mark.parametrize(
    ("name", "places"), [("bane_vs_hM", (*BANE[:2], (15.5, 29.2), *BANE[3:])), ("1o_2r_vs_4r", ROACHES)]
)
@pytest.mark.parametrize("layout", ["smac", "smac_plus"])
def test_one_moved_unit_changes_exactly_the_fields_that_name_it(name: str, places: tuple, layout: str) -> None:
    env = stage(name, places, layout=layout)
    schema, n_agents = env.schema, env.schema.n_agents
    obs, states = env.obs.copy(), env.state.copy()
    for slot in range(env.map.n_units):
        moved = list(places)
        moved[slot] = (places[slot][0] + 0.011, places[slot][1] + 0.017)
        env = stage(name, moved, layout=layout)
        entity = f"agent_{slot}" if slot < n_agents else f"enemy_{slot - n_agents}"
        changed = {
            f.name for f, now, was in zip(schema.state_fields, env.state[0], states[0], strict=True) if now != was
        }
        assert changed == {f"{entity}.x", f"{entity}.y"}
        for agent in range(n_agents):
            names = {
                f.name
                for f, now, was in zip(schema.obs_fields, env.obs[0, agent], obs[0, agent], strict=True)
                if now != was
            }
            if agent == slot:
                seen = [
                    *(f"enemy_{j}" for j in range(len(env.map.enemies))),
                    *(f"ally_{s}" for s in range(n_agents - 1)),
                ]
            else:
                seen = [entity if slot >= n_agents else f"ally_{schema.ally_slot(agent, slot)}"]
            assert names == {f"{who}.{what}" for who in seen for what in ("distance", "relative_x", "relative_y")}


@pytest.mark.parametrize(("name", "places"), [("bane_vs_hM", BANE), ("1o_2r_vs_4r", ROACHES)])
def test_health_shows_where_its_unit_is_named(name: str, places: tuple) -> None:
    env = stage(name, places)
    schema, n_agents = env.schema, env.schema.n_agents
    obs, states = env.obs.copy(), env.state.copy()
    for slot in range(env.map.n_units):
        env = stage(name, places)
        env.units["health"][0, slot] *= 0.5
        env.observe(np.ones(1, dtype=bool))
        entity = f"agent_{slot}" if slot < n_agents else f"enemy_{slot - n_agents}"
        (column,) = np.flatnonzero(env.state[0] != states[0])
        assert schema.state_fields[column].name == f"{entity}.health"
        for agent in range(n_agents):
            changed = [schema.obs_fields[c].name for c in np.flatnonzero(env.obs[0, agent] != obs[0, agent])]
            if agent == slot:
                assert changed == ["own.health"]
            elif name == "bane_vs_hM":
                assert changed == []  # the health of others is hidden
            else:
                assert changed == [f"{entity if slot >= n_agents else f'ally_{schema.ally_slot(agent, slot)}'}.health"]


def test_sight_is_open_and_shooting_range_is_closed() -> None:
    env = stage("bane_vs_hM", ((14, 31), (16, 29), (28, 31), (16, 31), (16, 31)))
    assert env.avail_actions[0, 0, ATTACK]  # exactly 2 map units away: within shooting range, but not seen
    assert env.obs[0, 0, 4:10].tolist() == [0, 0, 0, 0, 0, 0]


def test_the_mask_follows_terrain_bounds_and_life() -> None:
    # in the lowest row of the bar, west of the funnel; in the stem; in the map's corner; everyone far from the enemy
    env = stage("bane_vs_hM", ((8.5, 29.5), (15.5, 20), (31.9, 31.9), (16, 31), (16, 31)))
    no_op, stop, north, south, east, west, *attacks = env.avail_actions[0].T.tolist()
    assert no_op == [False] * 3
    assert stop == [True] * 3
    assert north == [True, True, False]
    assert south == [False, True, True]
    assert east == [True, True, False]
    assert west == [True, False, True]
    assert attacks == [[False] * 3] * 2
    env.units["health"][0, 1] = 0
    env.observe(np.ones(1, dtype=bool))
    assert env.avail_actions[0, 1].tolist() == [True] + [False] * 7
    assert not env.alive[0, 1]
    assert not env.obs[0, 1].any()


@pytest.mark.parametrize("name", MAPS)
def test_values_stay_in_their_range_and_mean_nothing_without_their_presence(name: str) -> None:
    env = SkirmishEnvironment(MAPS[name], 64)
    rng, seeds = np.random.default_rng(0), np.arange(64, dtype=np.int64)
    over = np.ones(64, dtype=bool)
    for step in range(120):
        env.reset(over, seeds + 1000 * step)
        for fields, rows in (
            (env.schema.obs_fields, env.obs.reshape(-1, env.schema.obs_dim)),
            (env.schema.state_fields, env.state),
        ):
            column = {f.name: index for index, f in enumerate(fields)}
            assert (rows >= [np.float32(f.low) for f in fields]).all()
            assert (rows <= [np.float32(f.high) for f in fields]).all()
            for f in fields:
                if f.present_if:
                    assert not rows[rows[:, column[f.present_if]] <= 0, column[f.name]].any()
                if f.kind == "binary":
                    assert np.isin(rows[:, column[f.name]], [0, 1]).all()
        result = env.step(random_actions(env, rng))
        over = result.terminated | result.truncated


@pytest.mark.parametrize("name", MAPS)
def test_moves_in_the_observation_are_the_mask(name: str) -> None:
    env = SkirmishEnvironment(MAPS[name], 32)
    env.reset(np.ones(32, dtype=bool), np.arange(32, dtype=np.int64))
    columns = [env.schema.extended_index(f"move.{way}") for way in ("north", "south", "east", "west")]
    actions = [env.schema.action_names.index(way) for way in ("north", "south", "east", "west")]
    np.testing.assert_array_equal(env.obs[..., columns] > 0, env.avail_actions[..., actions])
