"""smacv2's own code on units that a battle of the simulator, or a hand, has placed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from marl_runtime.environments.starcraft.maps import game_map, game_names
from marl_runtime.environments.starcraft.smacv2_game import capability_config, draw_episode, new_smacv2_game
from marl_runtime.tasks import find_task
from real_smac.fakes import NUMBERS, place, require_same, unit

pytestmark = pytest.mark.smac

COPIES = ("baneling", "colossus", "hydralisk", "marauder", "marine", "medivac", "stalker", "zealot", "zergling")
FIRST = 1991  # of 2000 unit types, nine copies are the last


def _game(name: str) -> Any:
    game = new_smacv2_game(game_map(name))
    place(game)
    game._controller = SimpleNamespace(data=lambda: SimpleNamespace(units=range(2000)))
    game._init_ally_unit_types(0)
    game.obs_enemies = np.zeros((game.n_enemies, game.n_agents))
    game.enemy_tags = [None] * game.n_enemies
    game.mask_enemies = False
    return game


@pytest.mark.parametrize(
    "name", [*(name for name in game_names() if name.startswith("sc2v2:")), "sc2v2:10gen_terran_6_vs_4-plain"]
)
def test_sizes_and_names_are_the_packages_own(name: str) -> None:
    schema, game = find_task(name).schema, _game(name)
    said = game.get_env_info()
    assert (said["n_agents"], said["n_actions"], said["episode_limit"]) == (
        schema.n_agents, schema.n_actions, schema.episode_limit,
    )  # fmt: skip
    assert (said["obs_shape"], said["state_shape"]) == (schema.obs_dim, schema.state_dim)
    words = {
        "shootable": "attackable", "attackable": "attackable", "pos_x": "x", "pos_y": "y", "cooldown": "cooldown",
    }  # fmt: skip
    for index, (theirs, ours) in enumerate(zip(game.get_obs_feature_names(), schema.obs_fields, strict=True)):
        entity, _, quantity = theirs.partition("_")
        assert ours.name.startswith({"move": "move", "enemy": "enemy", "ally": "ally", "own": "own"}[entity]), index
        quantity = words.get(quantity, quantity)
        for word in ("distance", "relative_x", "relative_y", "health", "shield", "visible"):
            assert (word in quantity) == (word in ours.name), (index, theirs, ours.name)
        assert ("type" in quantity) == ("type_" in ours.name), (index, theirs, ours.name)
        if entity == "own" and quantity in ("x", "y"):
            assert ours.name == f"own.{quantity}"


@pytest.mark.parametrize("race", ["terran", "protoss", "zerg"])
@pytest.mark.parametrize("size", ["5_vs_5", "10_vs_11"])
def test_plain_battles_look_as_in_the_simulator(race: str, size: str) -> None:
    """With one sight for all and without positions, every number is the simulator's, while units live and die."""
    game_of, rng = game_map(f"sc2v2:10gen_{race}_{size}-plain"), np.random.default_rng(3)
    ours = find_task(f"{race}_{size}")
    assert ours.schema.layout_hash == find_task(game_of.name).schema.layout_hash
    battle: Any = ours.environment(1)
    for seed in range(3):
        battle.reset(np.array([True]), np.array([seed]))
        game = _game(game_of.name)
        for _ in range(40):
            _show(game, battle)
            require_same(game, battle)
            avail = battle.avail_actions[0]
            result = battle.step((rng.random(avail.shape) * avail).argmax(axis=1)[None])
            if result.terminated[0] or result.truncated[0]:
                break


def _show(game: Any, battle: Any) -> None:
    game.agents, game.enemies = {}, {}
    n = len(battle.map.allies)
    for slot, record in enumerate(battle.units[0]):
        kind = battle.kinds[record["kind"]]
        number = FIRST + COPIES.index(kind.name) if slot < n else NUMBERS[kind.name]
        one = unit(
            slot, number, 1 if slot < n else 2, float(record["x"]), float(record["y"]),
            health=float(record["health"]), health_max=kind.health, shield=float(record["shield"]),
            shield_max=kind.shield, energy=float(record["energy"]),
            weapon_cooldown=max(float(record["cooldown"]), 0.0),
        )  # fmt: skip
        if slot < n:
            game.agents[slot] = one
        else:
            game.enemies[slot - n] = one


def _two_against_two() -> Any:
    game = _game("sc2v2:10gen_terran_2_vs_2")
    game.agents = {0: unit(0, FIRST + 4, 1, 10.0, 12.0), 1: unit(1, FIRST + 3, 1, 10.0, 16.0)}
    game.enemies = {0: unit(2, 48, 2, 16.0, 12.0), 1: unit(3, 48, 2, 31.0, 31.0)}
    return game


def test_own_ranges_by_hand() -> None:
    """A Marine at (10, 12), sight 9, range 5, sees the enemy 6 to the east at 6 / 9 and cannot attack it.

    The Marauder at (10, 16), sight 10, range 6: sqrt(36 + 16) = 7.211 away, over 10. Own position: 10 / 32, 12 / 32.
    """
    game, schema = _two_against_two(), find_task("sc2v2:10gen_terran_2_vs_2").schema
    marine, marauder = game.get_obs()
    at = schema.extended_index
    assert marine[at("enemy_0.attackable")] == 0
    assert marine[at("enemy_0.distance")] == pytest.approx(6 / 9)
    assert marauder[at("enemy_0.distance")] == pytest.approx(np.sqrt(52) / 10)
    assert marauder[at("ally_0.relative_y")] == pytest.approx(-4 / 10)
    assert (marine[at("own.x")], marine[at("own.y")]) == (pytest.approx(10 / 32), pytest.approx(12 / 32))
    assert marine[at("own.type_0")] == marauder[at("own.type_1")] == 1
    assert schema.obs_fields[at("enemy_0.distance")].unit == "share of one's own sight"


def test_stock_blanks_enemies_before_one_that_was_never_seen() -> None:
    """Enemy 1 is far away: stock shows the Marine no enemy at all, though enemy 0 is 6 away."""
    game, at = _two_against_two(), find_task("sc2v2:10gen_terran_2_vs_2").schema.extended_index
    stock = type(game).__mro__[2]
    assert stock.__module__.startswith("smacv2")
    assert stock.get_obs_agent(game, 0)[at("enemy_0.distance")] == 0
    assert game.get_obs_agent(0)[at("enemy_0.distance")] == pytest.approx(6 / 9)


def test_teams_and_starts_depend_on_the_seed_alone() -> None:
    config = capability_config(game_map("sc2v2:10gen_zerg_5_vs_6"))
    first, other, again = (draw_episode(config, seed) for seed in (1, 2, 1))
    assert first["team_gen"] == again["team_gen"]
    np.testing.assert_array_equal(first["ally_start_positions"]["item"], again["ally_start_positions"]["item"])
    np.testing.assert_array_equal(first["enemy_start_positions"]["item"], again["enemy_start_positions"]["item"])
    assert first["team_gen"] != other["team_gen"]
    for seed in range(300):
        team = draw_episode(config, seed)["team_gen"]
        assert set(team["ally_team"]) != {"baneling"}  # never alone
        assert list(team["enemy_team"][:5]) == list(team["ally_team"])
        assert len(team["enemy_team"]) == 6
