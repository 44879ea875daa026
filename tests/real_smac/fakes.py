"""Units as the game would report them, made from a battle of the simulator, and a game of the package around them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from marl_runtime.environments.starcraft.maps import GameMap, game_map
from marl_runtime.skirmish.environment import BattleOptions, SkirmishEnvironment

# the game's own numbers; SMAC's agents are copies with numbers of the map's, in the order of their names
NUMBERS = {
    "colossus": 4, "baneling": 9, "marine": 48, "reaper": 49, "marauder": 51, "medivac": 54, "zealot": 73,
    "stalker": 74, "spine_crawler": 98, "zergling": 105, "hydralisk": 107, "ultralisk": 109, "roach": 110,
}  # fmt: skip
FIRST_COPY = 1970


def unit(tag: int, number: int, owner: int, x: float, y: float, **more: float) -> Any:
    """One unit of the game, with 45 hit points where nothing else is said."""
    values = {"health": 45.0, "health_max": 45.0, "shield": 0.0, "shield_max": 0.0, "energy": 0.0, **more}
    return SimpleNamespace(
        tag=tag,
        unit_type=number,
        owner=owner,
        pos=SimpleNamespace(x=x, y=y),
        weapon_cooldown=values.pop("weapon_cooldown", 0.0),
        **values,
    )


def battle_of(game: GameMap, num_envs: int = 1) -> SkirmishEnvironment:
    return SkirmishEnvironment(game.battle_map, num_envs, BattleOptions(layout=game.layout))


def units_of(battle: SkirmishEnvironment, env: int = 0) -> list[Any]:
    """The living units of one battle; enemies of the last type first, as the game promises no order."""
    battle_map = battle.map
    n_agents = len(battle_map.allies)
    copies = list(dict.fromkeys(battle_map.allies))
    found = []
    for slot, record in enumerate(battle.units[env]):
        kind = battle.kinds[record["kind"]]
        if record["health"] <= 0:
            continue
        agent = slot < n_agents
        found.append(
            unit(
                100 + slot,
                FIRST_COPY + copies.index(kind.name) if agent else NUMBERS[kind.name],
                1 if agent else 2,
                float(record["x"]),
                float(record["y"]),
                health=float(record["health"]),
                health_max=kind.health,
                shield=float(record["shield"]),
                shield_max=kind.shield,
                energy=float(record["energy"]),
                weapon_cooldown=max(float(record["cooldown"]), 0.0),
            )
        )
    order = list(dict.fromkeys(battle_map.enemies))
    enemies = [one for one in found if one.owner == 2]
    enemies.sort(key=lambda one: -order.index(next(name for name in order if NUMBERS[name] == one.unit_type)))
    return [one for one in found if one.owner == 1] + enemies


def show(game: Any, units: list[Any]) -> None:
    """Let `units` be what the game reports."""
    game._obs = SimpleNamespace(observation=SimpleNamespace(raw_data=SimpleNamespace(units=units)))


def place(game: Any, terrain: np.ndarray | None = None) -> None:
    """Give a game that was not launched the map that a launch would read."""
    game.map_x = game.map_y = game.max_distance_x = game.max_distance_y = 32
    game.pathing_grid = np.ones((32, 32), dtype=bool) if terrain is None else terrain


def find(name: str) -> GameMap:
    return game_map(name)


def require_same(game: Any, battle: Any) -> None:
    """Compare every observation, the state and every mask with those of the simulator's battle.

    One difference is known and put right here: the package cuts the coordinate of the cell ahead towards 0, so that
    whoever stands less than 1 from the west or the south rim may walk on towards it where its own cell is open.
    """
    obs, avail = battle.obs[0].copy(), battle.avail_actions[0].copy()
    for agent in np.flatnonzero(battle.alive[0]):
        x, y = battle.units["x"][0, agent], battle.units["y"][0, agent]
        for move, at, cell in ((3, x, (0, int(y))), (1, y, (int(x), 0))):
            if 0 < at < 1:
                obs[agent, move] = avail[agent, 2 + move] = battle.terrain[cell]
    np.testing.assert_allclose(np.stack(game.get_obs()), obs, atol=2e-6)
    np.testing.assert_allclose(game.get_state(), battle.state[0], atol=2e-6)
    np.testing.assert_array_equal(np.array(game.get_avail_actions(), dtype=bool), avail)
