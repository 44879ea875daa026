"""Observations, states, masks and rewards of Protoss sides and of ally Medivacs, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from skirmish_stage import ATTACK, STOP, arena, play, stage
from test_skirmish_fidelity_duels import MARCH, make_passive

from marl_runtime.skirmish.maps import BattleMap

EVERYONE = np.ones(1, dtype=bool)
S = 9.0  # sight


def protoss(ally_race: str = "protoss", enemy_race: str = "protoss") -> BattleMap:
    """Stalker and Zealot against Zealot and Stalker, with a type bit each."""
    battle = arena(("stalker", "zealot"), ("zealot", "stalker"), attack_order=MARCH)
    return replace(battle, type_bits={"stalker": 0, "zealot": 1}, ally_race=ally_race, enemy_race=enemy_race)


PLACES = ((10, 16), (11, 18), (13, 12), (18, 22))


def test_an_observation_of_protoss_by_hand() -> None:
    env = stage(protoss(), PLACES)
    env.units["health"][0] = 40, 100, 25, 80
    env.units["shield"][0] = 20, 10, 40, 60
    env.observe(EVERYONE)
    by_hand = [
        *(1, 1, 1, 1),
        *(1, 5 / S, 3 / S, -4 / S, 0.25, 40 / 50, 0, 1),  # Zealot at distance 5, in shooting range
        *(0, 0, 0, 0, 0, 0, 0, 0),  # Stalker at distance 10, out of sight
        *(1, np.sqrt(5) / S, 1 / S, 2 / S, 1, 10 / 50, 0, 1),  # the other agent
        *(0.5, 20 / 80, 1, 0),  # own health, shield, type
    ]
    np.testing.assert_allclose(env.obs[0, 0], by_hand, rtol=1e-6)
    # no-op, stop, four moves; the Zealot at 5 is in range, the Stalker at 10 is not
    assert env.avail_actions[0, 0].tolist() == [False, True, True, True, True, True, True, False]
    # the agent at (11, 18): Zealot at sqrt(40) = 6.3, Stalker at sqrt(65) = 8.1: seen, both out of range
    assert env.avail_actions[0, 1].tolist() == [False, True, True, True, True, True, False, False]
    assert env.obs[0, 1, [4, 12]].tolist() == [0, 0]
    np.testing.assert_allclose(env.obs[0, 1, [5, 13]], [np.sqrt(40) / S, np.sqrt(65) / S], rtol=1e-6)


def test_a_state_of_protoss_by_hand() -> None:
    env = stage(protoss(), PLACES)
    env.units["health"][0] = 40, 100, 25, 80
    env.units["shield"][0] = 20, 10, 40, 60
    env.units["cooldown"][0, :2] = 14, 11
    env.observe(EVERYONE)
    by_hand = [
        *(0.5, 14 / 35, -6 / 32, 0, 20 / 80, 1, 0),  # health, cooldown, x, y, shield, type
        *(1, 11 / 22, -5 / 32, 2 / 32, 10 / 50, 0, 1),
        *(0.25, -3 / 32, -4 / 32, 40 / 50, 0, 1),
        *(1, 2 / 32, 6 / 32, 60 / 80, 1, 0),
    ]
    np.testing.assert_allclose(env.state[0], by_hand, rtol=1e-6)
    env.units["health"][0, 1] = 0
    env.observe(EVERYONE)
    assert not env.state[0, 7:14].any()


@pytest.mark.parametrize(
    ("ally_race", "enemy_race", "layout", "obs", "state"),
    [
        # moves 4; an enemy 4 + health + shield + 2 bits + padding, twice; an ally 4 + health + shield + 2; own likewise
        ("protoss", "protoss", "smac", 4 + 2 * 8 + 8 + 4, 2 * 7 + 2 * 6),
        ("protoss", "protoss", "smac_plus", 4 + 2 * 10 + 8 + 4, 2 * 7 + 2 * 6),
        ("protoss", "zerg", "smac", 4 + 2 * 7 + 8 + 4, 2 * 7 + 2 * 5),
        ("protoss", "zerg", "smac_plus", 4 + 2 * 8 + 8 + 4, 2 * 7 + 2 * 5),
        ("", "protoss", "smac_plus", 4 + 2 * 10 + 7 + 3, 2 * 6 + 2 * 6),
        ("", "", "smac", 4 + 2 * 7 + 7 + 3, 2 * 6 + 2 * 5),
    ],
)
def test_widths_follow_the_races(ally_race: str, enemy_race: str, layout: str, obs: int, state: int) -> None:
    env = stage(protoss(ally_race, enemy_race), PLACES, layout=layout)
    assert (env.schema.obs_dim, env.schema.state_dim) == (obs, state)
    named = [f.name for f in env.schema.obs_fields if f.name.endswith(".shield")]
    wanted = ["enemy_0.shield", "enemy_1.shield"] if enemy_race == "protoss" else []
    assert named == wanted + (["ally_0.shield", "own.shield"] if ally_race == "protoss" else [])


@pytest.mark.parametrize("layout", ["smac", "smac_plus"])
@pytest.mark.parametrize("enemy_race", ["protoss", ""])
def test_one_units_shield_changes_exactly_the_columns_that_name_it(layout: str, enemy_race: str) -> None:
    near = ((10, 16), (11, 17), (13, 14), (14, 18))
    env = stage(protoss("protoss", enemy_race), near, layout=layout)
    obs, state = env.obs.copy(), env.state.copy()
    for slot, (entity, seen_by) in enumerate(
        ((("agent_0"), "ally_0"), ("agent_1", "ally_0"), ("enemy_0", "enemy_0"), ("enemy_1", "enemy_1"))
    ):
        env = stage(protoss("protoss", enemy_race), near, layout=layout)
        env.units["shield"][0, slot] *= 0.5
        env.observe(EVERYONE)
        changed = [env.schema.state_fields[c].name for c in np.flatnonzero(env.state[0] != state[0])]
        shown = slot < 2 or enemy_race == "protoss"
        assert changed == ([f"{entity}.shield"] if shown else [])
        for agent in range(2):
            names = [env.schema.obs_fields[c].name for c in np.flatnonzero(env.obs[0, agent] != obs[0, agent])]
            assert names == ([("own" if agent == slot else seen_by) + ".shield"] if shown else [])


def test_rewards_of_protoss_count_shields() -> None:
    env = stage(protoss(), ((10, 16), (2, 30), (12, 16), (30, 2)))
    make_passive(env, 2, 3)
    result = play(env, ATTACK, STOP)
    # the Stalker's missile takes 10 of the shield; (10 * 2 + 200 + (100 + 50) + (80 + 80)) / 20 = 26.5
    assert result.rewards[0] == pytest.approx(10 / 26.5)


def test_without_type_bits_there_are_no_columns() -> None:
    battle = replace(arena(("marine",) * 3, ("marine",) * 3, attack_order=(9, 16)), type_bits={"marine": -1})
    env = stage(battle)
    # SMAC's sizes of 3m: observation 30, state 48 with the last actions of 3 agents, 9 each; 9 actions
    assert (env.schema.obs_dim, env.schema.state_dim, env.schema.n_actions) == (30, 48 - 27, 9)


def mmm(n_marines: int = 2) -> BattleMap:
    """Marines, Marauder and Medivac against a Marine and a Medivac; types as in MMM: three bits."""
    battle = arena((*["marine"] * n_marines, "marauder", "medivac"), ("marine", "medivac"), attack_order=MARCH)
    return replace(battle, type_bits={"marauder": 0, "marine": 1, "medivac": 2}, ally_race="terran")


def test_what_an_ally_medivac_sees_and_may_do_by_hand() -> None:
    env = stage(mmm(), ((10, 16), (10, 22.5), (11, 16), (10, 17), (13, 17), (14, 17)))
    env.units["health"][0, 2] = 75
    env.units["energy"][0, 3] = 120
    env.observe(EVERYONE)
    # two enemies, four agents, of whom a Medivac may heal any: 6 + 4 actions
    assert env.schema.action_names[6:] == ("attack_enemy_0", "attack_enemy_1", "attack_enemy_2", "attack_enemy_3")
    moves = [False, True, True, True, True, True]
    # heals: agents 0 (1 away), 1 (5.5) and 2 (1.4), not itself
    assert env.avail_actions[0, 3].tolist() == [*moves, True, True, True, False]
    # attacks: enemies 0 and 1, at 3.2 and 4.1; a Marauder may ask to attack what flies, too
    assert env.avail_actions[0, 0].tolist() == [*moves, True, True, False, False]
    # Marine 1 is at 6.3 and 6.8
    assert env.avail_actions[0, 1].tolist() == [*moves, False, False, False, False]
    by_hand = [
        *(1, 1, 1, 1),
        *(1, 3 / S, 3 / S, 0, 1, 0, 1, 0),  # enemy Marine; the first column: whether it can heal agent 0
        *(1, 4 / S, 4 / S, 0, 1, 0, 0, 1),  # enemy Medivac; whether it can heal agent 1
        *(1, 1 / S, 0, -1 / S, 1, 0, 1, 0),
        *(1, 5.5 / S, 0, 5.5 / S, 1, 0, 1, 0),
        *(1, np.sqrt(2) / S, 1 / S, -1 / S, 0.6, 1, 0, 0),
        *(1, 0, 0, 1),
    ]
    np.testing.assert_allclose(env.obs[0, 3], by_hand, rtol=1e-6)
    # a Medivac's energy stands in the cooldown's column, over 200
    assert env.state[0, env.schema.state_index("agent_3.cooldown")] == np.float32(0.6)
    assert env.schema.state_fields[env.schema.state_index("agent_3.cooldown")].unit == "energy"
    assert sum("heals agent k" in note for note in env.schema.notes) == 1
    env.units["health"][0, 1], env.units["dead"][0, 1] = 0, 1
    env.observe(EVERYONE)
    assert env.avail_actions[0, 3, 6:].tolist() == [True, False, True, False]
    assert env.obs[0, 3, 12] == 0  # enemy 1's first column
    with pytest.raises(ValueError, match="agent 3: action 'attack_enemy_1' is not available"):
        env.step(np.array([[1, 0, 1, 7]]))


def test_an_ally_medivac_may_be_told_to_heal_who_is_whole_and_changes_nothing() -> None:
    env = stage(mmm(), ((10, 16), (10, 22.5), (11, 16), (10, 17), (30, 3), (30, 3)))
    make_passive(env, 4, 5)
    play(env, STOP, STOP, STOP, ATTACK)
    assert env.units["health"][0, :4].tolist() == [45, 45, 125, 150]
    assert env.units["energy"][0, 3] == pytest.approx(50 + 8 * 0.5625 / 16)


def test_actions_are_counted_by_enemies_where_no_agent_heals() -> None:
    assert stage(arena(("marine",) * 5, ("marine",) * 2)).schema.n_actions == 8
    assert stage(mmm(7)).schema.n_actions == 6 + 9
