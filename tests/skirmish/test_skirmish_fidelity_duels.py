"""Every unit against every other that it can hit: hits, game loops and hit points, worked from the table of units."""

from __future__ import annotations

from itertools import product
from math import ceil, floor, hypot

import numpy as np
import pytest
from skirmish_stage import ATTACK, EAST, arena, play, stage

from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.units import PROFILES, UnitType

LOOPS = 16  # in a data-second
MARCH = (16.0, 16.0)  # an attack order, so that missiles fly and agents fire only when told to


def make_passive(env: SkirmishEnvironment, *slots: int) -> None:
    """Let `slots` stand and do nothing: they get kinds of their own, without weapon, speed and healing."""
    extra = env._kinds[env.units["kind"][0, list(slots)]].copy()
    for name in ("damage", "targets", "speed", "heal"):
        extra[name] = 0
    env.units["kind"][:, list(slots)] = len(env._kinds) + np.arange(len(slots))
    env._kinds = np.concatenate([env._kinds, extra])


def hit_loops(attacker: UnitType, distance: float) -> tuple[int, int]:
    """The game loop of the first hit, counted from 1, and the loops between hits.

    A wind-up of D loops ends in loop floor(D) + 1; the next begins after the rest of the period, ceil(P - D) loops
    later. A missile lands ceil(distance / speed) loops after its launch.
    """
    period, point = attacker.period * LOOPS, attacker.damage_point * LOOPS
    flight = ceil(distance * LOOPS / attacker.missile_speed) if attacker.missile_speed else 0
    return floor(point) + 1 + flight, ceil(period - point) + floor(point)


def take_hit(attacker: UnitType, victim: UnitType, health: float, shield: float) -> tuple[float, float]:
    """What an attack leaves: shields first, without armour, then health less armour, at least half a point a hit."""
    for _ in range(attacker.hits):
        amount = attacker.damage + (attacker.bonus if attacker.bonus_against in victim.attributes else 0)
        if shield > 0:
            absorbed = min(shield, amount)
            shield -= absorbed
            if amount > absorbed:
                health -= max(amount - absorbed - victim.armour, 0)
        else:
            health -= max(amount - victim.armour, 0.5)
    return health, shield


def expected(attacker: UnitType, victim: UnitType, distance: float) -> list[tuple[float, float]]:
    """Health and shield after each environment step of 8 game loops, to the death. Shields wait for 160 loops."""
    first, every = hit_loops(attacker, distance)
    assert every < 160
    health, shield, after = victim.health, victim.shield, []
    for loop in range(1, 100_000):
        if loop >= first and (loop - first) % every == 0:
            health, shield = take_hit(attacker, victim, health, shield)
        if health <= 0:
            return [*after, (0.0, 0.0)]
        health = min(health + victim.regeneration / LOOPS, victim.health)
        if loop % 8 == 0:
            after.append((health, shield))
    raise AssertionError("nobody died")


DUELS = [
    (profile, attacker, victim)
    for profile, units in PROFILES.items()
    for attacker, victim in product(units, units)
    if units[attacker].damage
    and not units[attacker].blast
    and (units[attacker].hits_air if units[victim].flies else units[attacker].hits_ground)
]


def test_there_are_duels_of_all_weapons() -> None:
    # 10 weapons on 11 ground units, 3 of them (hydralisk, stalker, marine) on the 2 that fly; in two profiles
    assert len(DUELS) == 2 * (10 * 11 + 3 * 2)


@pytest.mark.parametrize("profile", PROFILES)
def test_health_and_shield_of_every_duel_to_the_death(profile: str) -> None:
    units = PROFILES[profile]
    for _, attacker, victim in (duel for duel in DUELS if duel[0] == profile):
        distance = units[attacker].radius + units[victim].radius + 0.5 * units[attacker].range
        places = ((10, 16), (10 + distance, 16))
        env = stage(arena((attacker,), (victim,), attack_order=MARCH), places, profile=profile)
        env._rules["limit"] = 10_000
        make_passive(env, 1)
        seen = []
        while env.running[0]:
            play(env, ATTACK)
            seen.append((float(env.units["health"][0, 1]), float(env.units["shield"][0, 1])))
        wanted = expected(units[attacker], units[victim], distance)
        assert len(seen) == len(wanted), (attacker, victim)
        np.testing.assert_allclose(seen, wanted, atol=1e-6, err_msg=f"{attacker} on {victim}")


@pytest.mark.parametrize(
    ("profile", "attacker", "victim", "hits", "loop"),
    [
        # 9 of 6 take the shield of 50 and 4 - 1 of health; 20 more of 5 take 97; first in loop 1, every 13 loops
        ("liberty", "marine", "zealot", 29, 1 + 28 * 13),
        # two blows of 8 - 0: 45 hit points in 3 attacks; loop 3, every ceil(19.2 - 2.672) + 2 = 19 loops
        ("liberty", "zealot", "marine", 3, 3 + 2 * 19),
        # 10 + 4 on the shield of 80: 5 attacks take 70, the sixth 10 and 4 - 1; 13 each of the other 77: 6 more;
        # launch in loop 3, every ceil(23.04 - 2.672) + 2 = 23; the missile takes 4 loops over 0.625 * 2 + 3 = 4.25
        ("liberty", "stalker", "stalker", 12, 3 + 4 + 11 * 23),
        # 20 - 1 on 125: 7; loop 3, every ceil(35.2 - 2.672) + 2 = 35
        ("liberty", "colossus", "marauder", 7, 3 + 6 * 35),
        # 10 twice less 1 on 125: 18 each: 7 attacks; every ceil(24 - 2.672) + 2 = 24
        ("ladder-4.10", "colossus", "marauder", 7, 3 + 6 * 24),
        # 35 on 45: 2; wind-up 5.328: loop 6, every ceil(13.776 - 5.328) + 5 = 14
        ("ladder-4.10", "ultralisk", "marine", 2, 6 + 14),
    ],
)
def test_hits_to_kill_worked_by_hand(profile: str, attacker: str, victim: str, hits: int, loop: int) -> None:
    one, other = PROFILES[profile][attacker], PROFILES[profile][victim]
    health, shield = other.health, other.shield
    needed = 0
    while health > 0:
        health, shield = take_hit(one, other, health, shield)
        needed += 1
    assert needed == hits
    distance = one.radius + other.radius + 0.5 * one.range
    first, every = hit_loops(one, distance)
    assert first + (hits - 1) * every == loop
    assert len(expected(one, other, distance)) == ceil(loop / 8)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_step_is_half_a_data_second_of_walking(profile: str) -> None:
    for name, kind in PROFILES[profile].items():
        env = stage(arena((name,), ("overseer",), attack_order=MARCH), ((4, 16), (30, 30)), profile=profile)
        play(env, EAST)
        assert env.units["x"][0, 0] == pytest.approx(4 + kind.speed / 2), name
        assert env.units["y"][0, 0] == 16


@pytest.mark.parametrize("victim", PROFILES["liberty"])
def test_a_baneling_does_its_blast_to_every_ground_unit_and_to_none_that_flies(victim: str) -> None:
    kind = PROFILES["liberty"][victim]
    env = stage(arena(("baneling", "baneling"), ("marauder", victim)), ((10, 16), (30, 30), (11, 16), (10, 17)))
    make_passive(env, 2, 3)
    play(env, ATTACK, 1)
    amount = 20 + (15 if "light" in kind.attributes else 0)
    left = 0 if kind.flies else amount
    shield = max(kind.shield - left, 0)
    left = left - kind.shield + shield
    health = kind.health - (max(left - kind.armour, 0) if left else 0)
    # after the blast come at most 8 loops of regeneration
    assert env.units["shield"][0, 3] == shield
    health = max(health, 0)
    assert health <= env.units["health"][0, 3] <= min(health + kind.regeneration / 2, kind.health)


def test_a_missile_needs_time_by_its_distance_and_is_lost_with_its_target() -> None:
    # a Marauder 5.9 map units away: launch in loop 3, 5.9 / (18.75 / 16) = 5.03 loops: 6 more
    for distance, loop in ((5.9, 9), (2.0, 5)):
        env = stage(arena(("marauder",), ("zealot",), attack_order=MARCH), ((10, 16), (10 + distance, 16)))
        make_passive(env, 1)
        play(env, ATTACK)
        assert (env.units["shield"][0, 1] < 50) == (loop <= 8)
        play(env, 1)  # what flies lands, whatever the shooter does
        assert env.units["shield"][0, 1] == 40
    env = stage(arena(("marauder",), ("zealot", "zealot"), attack_order=MARCH), ((10, 16), (15.9, 16), (30, 30)))
    make_passive(env, 1, 2)
    play(env, ATTACK)
    assert env.units["flight"][0, 0] > 0
    env.units["health"][0, 1], env.units["dead"][0, 1] = 0, 1
    play(env, 1)
    assert env.units["flight"][0, 0] == 0
    assert env.units["shield"][0].tolist() == [0, 50, 50]


def test_maps_without_attack_order_hit_at_once() -> None:
    env = stage(arena(("marauder",), ("zealot",)), ((10, 16), (15.9, 16)))
    make_passive(env, 1)
    play(env, ATTACK)
    assert env.units["shield"][0, 1] == 40
    assert hypot(*(env.units[axis][0, 1] - env.units[axis][0, 0] for axis in "xy")) == pytest.approx(5.9)


def test_the_cooldown_in_the_state_is_loops_left_over_smacs_divisor() -> None:
    # period, wind-up and divisor: what is left after the shot in loop floor(D) + 1, 8 loops into the step
    for name, divisor in (("marine", 15), ("zealot", 22), ("stalker", 35), ("colossus", 24), ("zergling", 11)):
        kind = PROFILES["liberty"][name]
        env = stage(arena((name,), ("ultralisk",), attack_order=MARCH), ((10, 16), (11.05 + kind.radius, 16)))
        make_passive(env, 1)
        play(env, ATTACK)
        point = kind.damage_point * LOOPS
        left = kind.period * LOOPS - point - (8 - floor(point) - 1)
        column = env.schema.state_index("agent_0.cooldown")
        assert env.state[0, column] == pytest.approx(left / divisor), name
        assert env.schema.state_fields[column].scale == divisor
