"""The maps of the real game, in the terms of our simulator's maps: so both have one schema and one layout hash.

A map that the simulator plays too is taken from its file. For the others sides, limit and type bits are SMAC's public
map parameters (oxwhirl/smac, smac_maps.py); `make test-smac` compares all sizes with the package's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from buffers.errors import UnknownNameError
from marl_runtime.skirmish.layout import Layout
from marl_runtime.skirmish.maps import MAPS, map_file
from marl_runtime.skirmish.maps.battle_map import BattleMap, Spawn
from marl_runtime.skirmish.units import PROFILES, UnitType, find_units
from marl_runtime.tasks import PUBLISHED_LAYOUT

__all__ = ["SMAC_COMM", "GameMap", "Package", "game_map", "game_names", "kinds_of", "registry_entry"]

Package = Literal["smac", "smacv2"]

SMAC_COMM: Mapping[str, str] = {
    "bane_vs_hM": "bZ_hM",
    "1o_2r_vs_4r": "overload_roach",
    "1o_10b_vs_1r": "overload_bane",
    "1o_10b_vs_1r_v2": "overload_bane",
    "2o_20b_vs_2r": "overload_bane",
    "5z_vs_1ul": "stalkers",
}
"""The maps that smac does not know: map → the `map_type` that those who made them gave them."""

_SHARED = ("3m", "8m", "5m_vs_6m", "27m_vs_30m", "MMM", "2s3z", "3s5z", "3s_vs_5z")  # SMAC's, which we play too
_PROTOSS, _TERRAN, _ZERG = "protoss", "terran", "zerg"
_SPREAD = {"marauder": 0, "marine": 1, "medivac": 2}
_PAIR = {"stalker": 0, "zealot": 1}
_Side = dict[str, int]
# agents in the order in which SMAC sorts them, enemies, limit, races, type bits
_OTHERS: Mapping[str, tuple[_Side, _Side, int, str, str, Mapping[str, int]]] = {
    "25m": ({"marine": 25}, {"marine": 25}, 150, _TERRAN, _TERRAN, {}),
    "8m_vs_9m": ({"marine": 8}, {"marine": 9}, 120, _TERRAN, _TERRAN, {}),
    "10m_vs_11m": ({"marine": 10}, {"marine": 11}, 150, _TERRAN, _TERRAN, {}),
    "2m_vs_1z": ({"marine": 2}, {"zealot": 1}, 150, _TERRAN, _PROTOSS, {}),
    "MMM2": (
        {"marauder": 2, "marine": 7, "medivac": 1},
        {"marauder": 3, "marine": 8, "medivac": 1},
        180,
        _TERRAN,
        _TERRAN,
        _SPREAD,
    ),
    "3s5z_vs_3s6z": ({"stalker": 3, "zealot": 5}, {"stalker": 3, "zealot": 6}, 170, _PROTOSS, _PROTOSS, _PAIR),
    "3s_vs_3z": ({"stalker": 3}, {"zealot": 3}, 150, _PROTOSS, _PROTOSS, {}),
    "3s_vs_4z": ({"stalker": 3}, {"zealot": 4}, 200, _PROTOSS, _PROTOSS, {}),
    "1c3s5z": (
        {"colossus": 1, "stalker": 3, "zealot": 5},
        {"colossus": 1, "stalker": 3, "zealot": 5},
        180,
        _PROTOSS,
        _PROTOSS,
        {"colossus": 0, "stalker": 1, "zealot": 2},
    ),
    "corridor": ({"zealot": 6}, {"zergling": 24}, 400, _PROTOSS, _ZERG, {}),
    "6h_vs_8z": ({"hydralisk": 6}, {"zealot": 8}, 150, _ZERG, _PROTOSS, {}),
    "2s_vs_1sc": ({"stalker": 2}, {"spine_crawler": 1}, 300, _PROTOSS, _ZERG, {}),
    "so_many_baneling": ({"zealot": 7}, {"baneling": 32}, 100, _PROTOSS, _ZERG, {}),
    "bane_vs_bane": (
        {"baneling": 4, "zergling": 20},
        {"baneling": 4, "zergling": 20},
        200,
        _ZERG,
        _ZERG,
        {"baneling": 0, "zergling": 1},
    ),
    "2c_vs_64zg": ({"colossus": 2}, {"zergling": 64}, 400, _PROTOSS, _ZERG, {}),
}
# a building that no map of ours has; its hit points are the scale of a column
_SPINE_CRAWLER = UnitType("spine_crawler", health=300, radius=1.125, speed=1e-9, attributes=("armoured", "biological"))
_V2 = re.compile(r"10gen_(terran|protoss|zerg)_(\d{1,2})_vs_(\d{1,2})(-plain)?")
_V2_EXAMPLES = tuple(f"10gen_{race}_{size}" for race in (_TERRAN, _PROTOSS, _ZERG) for size in ("5_vs_5", "10_vs_11"))


@dataclass(frozen=True)
class GameMap:
    """A map of the real game: what its package calls it, the file that the game loads, and what its columns mean.

    `own_ranges`: SMACv2's published setting, in which agents observe their own position and every type has its own
    sight and range; without it a map has the layout of the simulator's.
    """

    name: str
    package: Package
    map_name: str
    file_name: str
    battle_map: BattleMap
    layout: Layout = "smac"
    own_ranges: bool = False

    @property
    def has_smac_comm_file(self) -> bool:
        """Whether the map's file is not among those that its package ships."""
        return self.map_name in SMAC_COMM


def game_names() -> list[str]:
    """Return the task names of the real game; of SMACv2's, which have any number of units, some."""
    published = [f"sc2:{name}{PUBLISHED_LAYOUT}" for name in (*SMAC_COMM, *_SHARED) if map_file(name).published_layout]
    fixed = [f"sc2:{name}" for name in (*SMAC_COMM, *_SHARED, *_OTHERS)]
    return [*fixed, *published, *(f"sc2v2:{name}" for name in _V2_EXAMPLES)]


@cache
def game_map(name: str) -> GameMap:
    """Return the map of the task `name`, as sc2:bane_vs_hM or sc2v2:10gen_zerg_5_vs_5.

    An unknown one raises `UnknownNameError` with the nearest.
    """
    package, _, rest = name.partition(":")
    if package == "sc2v2":
        return _random_teams(name, rest)
    base = rest.removesuffix(PUBLISHED_LAYOUT)
    if base in (*SMAC_COMM, *_SHARED) and (base == rest or map_file(base).published_layout):
        layout: Layout = "smac" if base == rest else "smac_plus"
        return GameMap(name, "smac", base, base, replace(MAPS[base], name=name), layout)
    if rest in _OTHERS:
        return GameMap(name, "smac", rest, rest, _other(name, rest))
    raise UnknownNameError("task", name, game_names())


def kinds_of(game: GameMap) -> tuple[UnitType, ...]:
    """Return the unit types of a map, one per name."""
    battle_map = game.battle_map
    names = tuple(battle_map.random_team) or tuple(dict.fromkeys((*battle_map.allies, *battle_map.enemies)))
    ours = tuple(unit for unit in names if unit in PROFILES["liberty"])
    found = {kind.name: kind for kind in find_units("liberty", ours, battle_map.overrides)}
    return tuple(found.get(unit, _SPINE_CRAWLER) for unit in names)


def registry_entry(map_name: str) -> dict[str, Any]:
    """Return what smac's registry has to know of a SMAC-Comm map."""
    battle_map = MAPS[map_name]
    ally, enemy = battle_map.ally_race or _ZERG, battle_map.enemy_race or _ZERG
    return {
        "n_agents": len(battle_map.allies),
        "n_enemies": len(battle_map.enemies),
        "limit": battle_map.episode_limit,
        "a_race": ally[0].upper(),
        "b_race": "T" if map_name == "bane_vs_hM" else enemy[0].upper(),
        "unit_type_bits": battle_map.n_type_bits,
        "map_type": SMAC_COMM[map_name],
    }


def _other(name: str, map_name: str) -> BattleMap:
    allies, enemies, limit, ally_race, enemy_race, bits = _OTHERS[map_name]
    return BattleMap(
        name=name,
        summary=f"SMAC's map {map_name} on the real game: {_sides(allies)} against {_sides(enemies)}. {_SEEN}",
        source="SMAC's public map parameters (oxwhirl/smac, smac_maps.py)",
        allies=_listed(allies),
        enemies=_listed(enemies),
        episode_limit=limit,
        open_rects=(),  # the ground is the game's own
        spawns=(Spawn(tuple(range(sum(allies.values()) + sum(enemies.values()))), ((16, 16, 16, 16),)),),
        type_bits=bits or dict.fromkeys((*allies, *enemies), -1),
        ally_race=ally_race,
        enemy_race=enemy_race,
    )


_SEEN = (
    "Agents see 9 map units far, both what they fight and each other, with health; they can attack within 6. They know "
    "no positions: where one is shows only in which directions one can move."
)
_SEEN_V2 = (
    "Types and starts are drawn anew in every battle. Every type has a sight and a range of its own; distances are "
    "shares of the sight of the one who looks. Agents know their own position."
)


def _random_teams(name: str, rest: str) -> GameMap:
    found = _V2.fullmatch(rest)
    if found is None or min(int(found[2]), int(found[3])) < 1:
        raise UnknownNameError("task", name, game_names())
    race, n_agents, n_enemies, plain = found[1], int(found[2]), int(found[3]), bool(found[4])
    ours = MAPS[f"{race}_5_vs_5"]
    battle_map = replace(
        ours,
        name=name,
        summary=f"SMACv2 on the real game: {n_agents} {race} units against {n_enemies}, of which the first have the "
        f"agents' types. {_SEEN if plain else _SEEN_V2}",
        allies=(ours.allies[0],) * n_agents,
        enemies=(ours.enemies[0],) * n_enemies,
        spawns=(Spawn(tuple(range(n_agents + n_enemies)), ((16, 16, 16, 16),)),),
    )
    # the three maps of the package share one file
    return GameMap(name, "smacv2", f"10gen_{race}", "32x32_flat", battle_map, own_ranges=not plain)


def _listed(side: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(unit for unit, count in side.items() for _ in range(count))


def _sides(side: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {unit.replace('_', ' ')}" for unit, count in side.items())
