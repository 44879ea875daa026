from __future__ import annotations

import numpy as np
import pytest
from skirmish_stage import ATTACK, EAST, NORTH, SOUTH, STOP, WEST, arena, play, stage

from buffers.errors import UnknownNameError
from marl_runtime.skirmish.units import find_units

REGENERATION = 0.2734 / 16  # hit points a game loop
FAR = (31.5, 31.5)
BANE_FAR = ((15.5, 3), (15.5, 1), (16.5, 2), (16, 31), (16, 31))


def test_a_blast_does_20_and_15_more_against_light_less_armour_on_the_ground_within_its_radius() -> None:
    # Hydralisk (light, radius 0.625); Roach (armour 1, radius 0.5) inside 2.2 of its edge, one beyond; Medivac above
    env = stage(
        arena(("baneling",), ("hydralisk", "roach", "roach", "medivac")),
        ((16, 16), (17.2, 16), (16, 18.69), (16, 13.29), (16, 16.5)),
    )
    play(env, ATTACK)
    lost = np.array([80, 145, 145, 150]) - env.units["health"][0, 1:]
    # seven game loops of regeneration (and healing at 9 a second) come after the blast
    np.testing.assert_allclose(lost[1:], [19 - 7 * REGENERATION, 0, 0], atol=1e-9)
    assert 35 - 7 * (REGENERATION + 9 / 16) - 1e-9 <= lost[0] < 35
    assert not env.alive[0, 0]


def test_three_blasts_kill_the_hydralisk_and_two_do_not() -> None:
    near = ((15.2, 31), (16, 30.2), (16.8, 31), (16, 31), (16, 31))
    env = stage("bane_vs_hM", near)
    result = play(env, ATTACK, ATTACK, ATTACK)
    assert env.units["health"][0].tolist() == [0, 0, 0, 0, 150]
    assert result.success[0]
    env = stage("bane_vs_hM", (*near[:2], (28, 31), *near[3:]))
    result = play(env, ATTACK, ATTACK, STOP)
    assert 90 - 70 <= env.units["health"][0, 3] <= 90 - 70 + 8 * (7 / 16 + REGENERATION)
    assert not result.terminated[0]


@pytest.mark.parametrize(("distance", "hurt"), [(2.5, True), (2.8, True), (2.9, False)])
def test_a_killed_baneling_explodes(distance: float, hurt: bool) -> None:
    env = stage("bane_vs_hM", ((16 - distance, 31), (15.5, 2), (16.5, 2), (16, 31), (16, 31)))
    play(env, STOP, STOP, STOP)
    assert not env.alive[0, 0]  # one shot, as soon as it has wound up
    assert (env.units["health"][0, 3] < 60) == hurt


def test_the_hydralisk_fires_up_to_3_map_units_and_holds_its_ground() -> None:
    env = stage("bane_vs_hM", ((12.9, 31), (15.5, 2), (16.5, 2), (16, 31), (16, 31)))
    for _ in range(4):
        play(env, STOP, STOP, STOP)
    assert env.alive[0].all()
    assert (env.units["x"][0, 3], env.units["y"][0, 3]) == (16, 31)


def test_an_order_against_the_medivac_is_a_stop() -> None:
    env = stage("bane_vs_hM", ((14.5, 31), (15.5, 2), (16.5, 2), None, (16, 31)), num_envs=1)
    assert env.avail_actions[0, 0, ATTACK + 1]
    play(env, ATTACK + 1, STOP, STOP)
    assert env.units["x"][0, 0] == 14.5
    assert env.alive[0, 0]


def duel(attacker: str, victim: str, overrides: dict, steps: int) -> np.ndarray:
    """Health of `victim` after each step in which `attacker`, the agent, attacks it."""
    harmless = {victim: {"damage": 0, "regeneration": 0, "health": 1000}}
    env = stage(arena((attacker,), (victim,), {**overrides, **harmless}), ((16, 16), (18, 16)))
    healths = [env.units["health"][0, 1]]
    for _ in range(steps):
        play(env, ATTACK)
        healths.append(env.units["health"][0, 1])
    return np.array(healths)


def test_hits_periods_and_hits_to_kill_of_1o_2r_vs_4r() -> None:
    healths = duel("roach", "reaper", {"roach": {"period": 1.0}}, steps=20)
    lost = -np.diff(healths)
    assert set(lost) == {0.0, 16.0}
    assert lost.sum() == 16 * 10  # ten seconds, one hit a second
    # two hits of 4 less 1 armour; of the 17.6 game loops of the period whole ones count: 17 times in 288
    lost = -np.diff(duel("reaper", "roach", {"reaper": {"range": 3}}, steps=36))
    assert set(lost) == {0.0, 6.0}
    assert lost.sum() == 6 * 17


def test_a_roach_kills_a_reaper_with_the_fourth_hit() -> None:
    overrides = {"roach": {"period": 1.0}, "reaper": {"damage": 0}}
    env = stage(arena(("roach",), ("reaper",), overrides), ((16, 16), (18, 16)))
    healths = []
    while env.running[0]:
        result = play(env, ATTACK)
        healths.append(float(env.units["health"][0, 1]))
    assert list(dict.fromkeys(healths)) == [34, 18, 2, 0]
    assert result.success[0]


def test_bonus_damage_counts_against_its_attribute_only() -> None:
    against_light = -np.diff(duel("reaper", "hydralisk", {}, steps=1))
    assert against_light.tolist() == [18]
    against_armoured = -np.diff(duel("reaper", "roach", {}, steps=1))
    assert against_armoured.tolist() == [6]


def test_an_attack_does_its_damage_after_the_wind_up_and_walking_away_stops_it() -> None:
    overrides = {"roach": {"damage_point": 0.75, "period": 2.0}, "reaper": {"damage": 0}}
    env = stage(arena(("roach",), ("reaper",), overrides), ((16, 16), (18, 16)))
    play(env, ATTACK)  # 8 of the 12 game loops
    assert env.units["health"][0, 1] == 50
    play(env, ATTACK)
    assert env.units["health"][0, 1] == 34
    env = stage(arena(("roach",), ("reaper",), overrides), ((16, 16), (18, 16)))
    play(env, ATTACK)
    play(env, WEST)
    play(env, ATTACK)
    assert env.units["health"][0, 1] == 50


def test_the_medivac_heals_7_a_second_for_a_third_of_its_energy() -> None:
    env = stage("bane_vs_hM", BANE_FAR)
    play(env, STOP, STOP, STOP)
    energy = float(env.units["energy"][0, 4])
    assert energy == pytest.approx(50 + 8 * 0.5625 / 16)
    env.units["health"][0, 3] = 40
    for _ in range(4):
        play(env, STOP, STOP, STOP)
    # healing starts after a quarter of a second: 28 of the 32 game loops
    healed = 28 * 7 / 16
    assert env.units["health"][0, 3] == pytest.approx(40 + healed + 32 * REGENERATION)
    assert env.units["energy"][0, 4] == pytest.approx(energy + 32 * 0.5625 / 16 - 0.33 * healed)


def test_fifty_energy_heals_at_most_151_hit_points() -> None:
    overrides = {
        "hydralisk": {"health": 10_000, "regeneration": 0, "damage": 0},
        "medivac": {"energy_regeneration": 0, "heal": 7},
    }
    env = stage(arena(("baneling",), ("hydralisk", "medivac"), overrides), ((2, 2), (16, 31), (16, 31)))
    env.units["health"][0, 1] = 1
    for _ in range(60):
        play(env, STOP)
    assert env.units["health"][0, 1] == pytest.approx(1 + 50 / 0.33)
    assert env.units["energy"][0, 2] == pytest.approx(0, abs=1e-9)


def test_terrain_stops_ground_units_and_not_the_overseer() -> None:
    env = stage("1o_2r_vs_4r", ((6.9, 12), (6.5, 12), (5, 20), (28, 28), (28, 27), (27, 28), (27, 27)))
    env.units["order"][0, :2] = 1
    env.units["goal_x"][0, :2], env.units["goal_y"][0, :2] = 12, 12
    assert not env.avail_actions[0, 1, EAST]
    for _ in range(3):
        env.avail_actions[0, 0, EAST] = env.avail_actions[0, 1, EAST] = True  # as if the mask allowed it
        play(env, EAST, EAST, STOP)
    assert env.units["x"][0, 0] == pytest.approx(6.9 + 3 * 8 * 0.4687 / 16)
    assert 6.8 < env.units["x"][0, 1] < 7


def test_bodies_do_not_overlap() -> None:
    env = stage(arena(("roach", "roach"), ("reaper",), {"reaper": {"damage": 0}}), ((14, 16), (18, 16.2), FAR))
    for _ in range(6):
        play(env, EAST, WEST)
        apart = np.hypot(*(env.units[axis][0, 0] - env.units[axis][0, 1] for axis in "xy"))
        assert apart > 0.98
    env = stage(arena(("roach", "roach"), ("reaper",), {"reaper": {"damage": 0}}), ((14, 16), (16, 16), FAR))
    for _ in range(4):
        play(env, EAST, STOP)
    assert env.units["x"][0, 1] == 16  # one that stands is not pushed
    assert env.units["x"][0, 0] == pytest.approx(15, abs=0.01)


def test_reapers_follow_as_far_as_their_leash_and_go_home() -> None:
    corner = ((3.5, 28), (4.3, 28), (3.5, 27.2), (4.3, 27.2))
    env = stage("1o_2r_vs_4r", ((5, 12), (5, 23), (28, 4), *corner))
    farthest = 0.0
    for _ in range(18):
        play(env, STOP, SOUTH if env.avail_actions[0, 1, SOUTH] else STOP, STOP)
        away = np.hypot(
            env.units["x"][0, 3:] - env.units["home_x"][0, 3:], env.units["y"][0, 3:] - env.units["home_y"][0, 3:]
        )
        farthest = max(farthest, away.max())
    assert farthest <= env.map.enemy_leash + 1.5  # one environment step of a Reaper
    assert away.max() <= 0.5 + 1e-9


@pytest.mark.parametrize(("roaches", "wins"), [(1, False), (2, True)])
def test_one_roach_loses_against_four_reapers_and_two_win(roaches: int, wins: bool) -> None:
    places = [(3.5, 5), (3.2, 10), (4.4, 10) if roaches == 2 else None, (3.5, 3), (4.3, 3), (3.5, 3.8), (4.3, 3.8)]
    env = stage("1o_2r_vs_4r", places)
    success = False
    while env.running[0]:
        attacks = env.avail_actions[0, 1:, ATTACK:]
        actions = [ATTACK + int(row.argmax()) if row.any() else SOUTH for row in attacks]
        success |= bool(play(env, STOP, *actions).success[0])
    assert success == wins
    assert env.alive[0, 0]  # nobody here can hurt what flies
    assert env.units["health"][0, 0] == 200


def test_wrong_names_in_a_units_table_are_told() -> None:
    with pytest.raises(UnknownNameError, match="unit profile 'libertie': did you mean 'liberty'"):
        find_units("libertie", ("roach",), {})
    with pytest.raises(UnknownNameError, match="unit statistic 'helth': did you mean 'health'"):
        find_units("liberty", ("roach",), {"roach": {"helth": 1}})
    assert find_units("ladder-4.10", ("reaper",), {})[0].health == 60


def test_a_step_north_is_an_eighth_of_speed_times_loops() -> None:
    env = stage("bane_vs_hM", BANE_FAR)
    play(env, NORTH, STOP, STOP)
    assert env.units["y"][0, 0] == pytest.approx(3 + 2.5 * 0.5)
    assert env.units["x"][0, 0] == 15.5
