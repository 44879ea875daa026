"""Splash, shields, healing and marching, by numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from skirmish_stage import ATTACK, EAST, STOP, arena, play, stage
from test_skirmish_fidelity_duels import MARCH, make_passive

from buffers.errors import UnknownNameError
from marl_runtime.skirmish.kernels import find_routes

STEP = 8  # game loops
HEAL = 9 / 16  # hit points a game loop
CHARGE = 0.5625 / 16  # energy a game loop


def lost(env, before) -> list[float]:  # type: ignore[no-untyped-def]
    return np.round(before - env.units["health"][0] - env.units["shield"][0], 6).tolist()


def test_an_ultralisk_hurts_what_is_in_front_of_it_and_near_its_target() -> None:
    # Ultralisk at (10, 16), target 2 east; others (radius 0.375) 2.3 and 2.4 north of the target (reach 2 + 0.375),
    # one 2.3 behind the target, and behind the Ultralisk: (9.9, 17) is 2.33 from the target, but not in front
    places = ((10, 16), (12, 16), (12, 18.3), (12, 13.6), (14.3, 16), (9.9, 17))
    env = stage(arena(("ultralisk",), ("marine",) * 5, attack_order=MARCH), places)
    make_passive(env, 1, 2, 3, 4, 5)
    before = env.units["health"][0].copy()
    play(env, ATTACK)
    assert lost(env, before) == [0, 18, 18, 0, 18, 0]
    # on the ladder the target takes 35 and the others 0.33 * 35 = 11.55
    env = stage(arena(("ultralisk",), ("marine",) * 5, attack_order=MARCH), places, profile="ladder-4.10")
    make_passive(env, 1, 2, 3, 4, 5)
    play(env, ATTACK)
    assert lost(env, before - [100, 0, 0, 0, 0, 0]) == [0, 35, 11.55, 0, 11.55, 0]


def test_a_colossus_hurts_a_line_across_its_line_of_fire() -> None:
    # target 6 east; marines 1.7 north (1.4 + 0.375 reaches), 1.8 south (does not), 0.5 and 0.6 behind the target
    # (0.15 + 0.375 reaches 0.525)
    places = ((10, 16), (16, 16), (16, 17.7), (16, 14.2), (16.5, 15.5), (16.6, 16.5))
    env = stage(arena(("colossus",), ("marine",) * 5, attack_order=MARCH), places)
    make_passive(env, 1, 2, 3, 4, 5)
    before = env.units["health"][0] + env.units["shield"][0]
    play(env, ATTACK)
    assert lost(env, before) == [0, 20, 20, 0, 20, 0]


def test_a_shield_comes_back_2_a_second_after_160_game_loops_without_damage() -> None:
    env = stage(arena(("marine",), ("zealot",), attack_order=MARCH), ((10, 16), (12, 16)))
    make_passive(env, 1)
    play(env, ATTACK)  # one shot of 6, in loop 1
    for _ in range(19):
        play(env, STOP)
    assert env.units["shield"][0, 1] == 44  # loop 160
    result = play(env, STOP)
    assert env.units["shield"][0, 1] == pytest.approx(44 + 8 * 2 / 16)
    # recovery pays in stock SMAC: 1 over (10 + 200 + 150) / 20
    assert result.rewards[0] == pytest.approx(1 / 18)
    for _ in range(10):
        play(env, STOP)
    assert env.units["shield"][0, 1] == 50
    env.units["health"][0, 1] = 60
    play(env, STOP)
    assert env.units["health"][0, 1] == 60  # Protoss health does not come back


def test_an_ally_medivac_heals_whom_it_is_told_for_a_third_of_its_energy() -> None:
    battle = arena(("marine", "marauder", "medivac"), ("ultralisk",), attack_order=MARCH)
    env = stage(battle, ((10, 16), (11, 16), (10, 17), (30, 2)))
    make_passive(env, 3)
    env.units["health"][0, :2] = 5, 20
    play(env, STOP, STOP, STOP)
    assert env.units["health"][0, :2].tolist() == [5, 20]  # by itself it heals nobody
    energy = 50 + STEP * CHARGE
    assert env.units["energy"][0, 2] == pytest.approx(energy)
    play(env, STOP, STOP, ATTACK + 1)  # the Marauder, though the Marine is hurt more; 3 loops of start-up
    assert env.units["health"][0, :2].tolist() == [5, 20 + 5 * HEAL]
    play(env, STOP, STOP, ATTACK + 1)
    assert env.units["health"][0, 1] == pytest.approx(20 + 13 * HEAL)
    assert env.units["energy"][0, 2] == pytest.approx(energy + 2 * STEP * CHARGE - 13 * HEAL * 0.33)
    play(env, STOP, STOP, ATTACK)  # another patient: another start-up
    assert env.units["health"][0, 0] == pytest.approx(5 + 5 * HEAL)


def test_an_ally_medivac_goes_to_its_patient_and_stops_without_energy() -> None:
    battle = arena(("marauder", "medivac"), ("ultralisk",), attack_order=MARCH)
    env = stage(battle, ((10, 16), (15.9, 16), (30, 2)))
    make_passive(env, 2)
    env.units["health"][0, 0], env.units["energy"][0, 1] = 1, 0.33
    env._kinds["energy_regeneration"] = 0
    play(env, STOP, ATTACK)
    # 5.9 away, 4 + 0.5625 + 0.75 reach: 0.5875 at 2.75 / 16 a loop is 4 loops; then 3 of start-up and 1 of healing
    assert env.units["x"][0, 1] == pytest.approx(15.9 - 4 * 2.75 / 16)
    assert env.units["health"][0, 0] == pytest.approx(1 + HEAL)
    play(env, STOP, ATTACK)
    assert env.units["health"][0, 0] == pytest.approx(2)  # 0.33 energy is one hit point
    assert env.units["energy"][0, 1] == pytest.approx(0, abs=1e-9)


def test_an_enemy_medivac_keeps_up_with_its_army_and_heals_the_one_hurt_most() -> None:
    battle = arena(("overseer",), ("marauder", "marine", "medivac"), attack_order=(9, 16))
    env = stage(battle, ((1, 1), (24, 16), (24, 17), (27, 16)))
    play(env, STOP)
    env.units["health"][0, 1:3] = 100, 20  # 0.8 and 0.44 of their health, both in range
    play(env, STOP)
    assert env.units["health"][0, 1:3].tolist() == [100, 20 + 5 * HEAL]  # after 3 loops of start-up
    for _ in range(28):
        play(env, STOP)
    x, y = env.units["x"][0, 1:], env.units["y"][0, 1:]
    assert (np.hypot(x[:2] - 9, y[:2] - 16) <= 2.0 + 0.5).all()
    assert np.hypot(x[2] - x[0], y[2] - y[0]) < 3


def test_enemies_march_from_the_first_step_take_what_is_near_and_follow_it_without_a_leash() -> None:
    battle = arena(("stalker",), ("zealot",), attack_order=(6, 16), ally_race="protoss", enemy_race="protoss")
    env = stage(battle, ((2, 30), (28, 16)))
    play(env, STOP)
    assert env.units["x"][0, 1] == pytest.approx(28 - 2.25 / 2)
    assert env.units["target"][0, 1] == -1
    # 5 + 0.5 + 0.625 is how far a Zealot scans for a Stalker
    env.units["x"][0, 0], env.units["y"][0, 0] = env.units["x"][0, 1], 22.2
    play(env, STOP)
    assert env.units["target"][0, 1] == -1
    env.units["x"][0, 0] = env.units["x"][0, 1]
    env.units["y"][0, 0] = 22.0
    play(env, EAST)
    assert env.units["target"][0, 1] == 0
    while env.avail_actions[0, 0, EAST]:
        play(env, EAST)
    assert env.units["target"][0, 1] == 0  # the Stalker is faster, but not lost yet
    assert env.units["y"][0, 1] > 17  # and off its way
    env.units["x"][0, 0], env.units["y"][0, 0] = 2, 30  # farther than its sight of 9
    x = env.units["x"][0, 1]
    play(env, STOP)
    assert env.units["target"][0, 1] == -1
    assert env.units["x"][0, 1] < x


def test_agents_on_such_maps_fire_only_when_told() -> None:
    for order, damage in ((MARCH, 0), (None, 6)):
        env = stage(arena(("marine",), ("marine",), attack_order=order), ((10, 16), (12, 16)))
        make_passive(env, 1)
        play(env, STOP)
        assert 45 - env.units["health"][0, 1] == damage


def test_an_enemy_marches_around_a_wall_and_an_agent_attacks_around_it() -> None:
    # a wall at x 15 to 16 with a gap at the top, y 30 to 31
    walls = ((0, 0, 15, 32), (16, 0, 32, 32), (15, 30, 16, 31))
    battle = replace(arena(("zealot",), ("marauder",), attack_order=(5, 5)), open_rects=walls)
    env = stage(battle, ((1, 30), (20, 5)))
    for _ in range(150):
        if not env.running[0] or np.hypot(env.units["x"][0, 1] - 5, env.units["y"][0, 1] - 5) <= 2:
            break
        env.units["x"][0, 0], env.units["y"][0, 0] = 1, 30  # out of its way
        play(env, STOP)
    assert np.hypot(env.units["x"][0, 1] - 5, env.units["y"][0, 1] - 5) <= 2
    # straight there and back are 25 up, 15 west, 25 down at 1.125 a step: it took no great detour
    assert env.steps[0] <= 1.15 * 65 / 1.125
    env = stage(replace(battle, attack_order=MARCH), ((14, 25), (17, 25)))
    make_passive(env, 1)
    for _ in range(16):
        play(env, ATTACK)
    assert env.units["shield"][0, 1] + env.units["health"][0, 1] < 125  # 5 up, 3 across, 5 down


def test_routes_by_hand() -> None:
    # x across, y up: a wall in the middle column but for the top row
    cells = np.array([[1, 1, 1], [0, 0, 1], [1, 1, 1]], dtype=bool)
    routes = find_routes(cells)
    number = {(x, y): 3 * x + y for x in range(3) for y in range(3)}
    assert routes[number[2, 0], number[0, 0]] == number[0, 1]
    assert routes[number[2, 0], number[0, 1]] == number[0, 2]  # no cutting of the corner at (1, 1)
    assert routes[number[2, 0], number[0, 2]] == number[1, 2]
    assert routes[number[2, 0], number[2, 1]] == number[2, 0]
    assert routes[number[1, 1], number[0, 0]] == -1  # into the wall
    open_field = find_routes(np.ones((3, 3), dtype=bool))
    assert open_field[number[2, 2], number[0, 0]] == number[1, 1]


def test_a_colossus_and_a_zealot_may_overlap_and_two_colossi_may_not() -> None:
    for other, apart in (("zealot", 0.0), ("colossus", 1.9)):
        battle = arena((other, "colossus"), ("marine",), attack_order=MARCH)
        env = stage(battle, ((16, 10), (14.5, 10), (2, 30)))
        for _ in range(2):
            play(env, STOP, EAST)
        gap = np.hypot(env.units["x"][0, 0] - env.units["x"][0, 1], env.units["y"][0, 0] - env.units["y"][0, 1])
        assert gap >= apart
        assert (gap < 1.5) == (other == "zealot")


def test_57_bodies_do_not_stay_in_each_other() -> None:
    battle = arena(("marine",) * 27, ("marine",) * 30, attack_order=(9, 16))
    # they begin half a map unit apart, and both sides walk into each other
    places = [(8 + 0.5 * (k % 6), 14 + 0.5 * (k // 6)) for k in range(27)]
    places += [(20 + 0.5 * (k % 6), 14 + 0.5 * (k // 6)) for k in range(30)]
    env = stage(battle, places)
    for _ in range(6):
        play(env, *([EAST] * 27))
    live = env.units["health"][0] > 0
    x, y = env.units["x"][0, live], env.units["y"][0, live]
    gaps = np.hypot(x[:, None] - x, y[:, None] - y)[np.triu_indices(live.sum(), 1)]
    assert gaps.min() > 0.75 - 0.1  # two radii of 0.375


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"attack_order": (40, 2)}, r"attack_order \(40, 2\) is not on the map of 32 by 32"),
        ({"overrides": {"marauder": {"missile_speed": 2}}}, "missile of 'marauder' .* raise missile_speed"),
        ({"random_team": {"marine": 1.0}, "never_alone": ("marine",)}, "one above 0 of a unit that is not in never"),
        ({"random_team": {"zealot": 1.0}}, "no type bit for zealot of random_team; add it"),
    ],
)
def test_what_cannot_be_played_is_told(more: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stage(arena(("marine", "marauder"), ("marine",), **more))
    with pytest.raises(UnknownNameError, match="random_start of map 'arena' 'suround': did you mean 'surround'"):
        stage(arena(("marine",), ("marine",), random_start="suround"))
