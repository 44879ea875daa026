"""A map and its unit types as the records that the kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buffers.episodes import IntArray
from buffers.errors import UnknownNameError
from marl_runtime.skirmish.layout import Layout, padding_columns
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.records import ARC, KIND, LINE, REFLECT, RULES, SURROUND, Records
from marl_runtime.skirmish.units import LOOPS_PER_SECOND, UnitType

__all__ = ["check_map", "kind_records", "marches", "rules_record", "spawn_arrays"]

_ATTRIBUTE_BITS = {"light": 1, "armoured": 2, "biological": 4, "mechanical": 8, "air": 16}
_RANDOM_STARTS = {"": 0, "surround": SURROUND, "reflect": REFLECT, "surround_and_reflect": SURROUND + REFLECT}
_SCAN = 5.0  # the core data's default, for armed units that elsewhere do only as they are told


def marches(battle_map: BattleMap) -> bool:
    """Whether enemies attack-move, agents acquire nothing by themselves, and missiles fly.

    Maps without attack order and random teams keep the leash, and hits at once: results were recorded with them.
    """
    return battle_map.attack_order is not None or bool(battle_map.random_team)


def check_map(battle_map: BattleMap, kinds: Sequence[UnitType]) -> None:
    """Raise an error that names the value where the map asks for what cannot be played."""
    name, team = battle_map.name, battle_map.random_team
    if battle_map.random_start not in _RANDOM_STARTS:
        raise UnknownNameError(f"random_start of map {name!r}", battle_map.random_start, _RANDOM_STARTS)
    for unit in battle_map.never_alone:
        if unit not in team:
            raise UnknownNameError(f"never_alone unit of map {name!r}", unit, team)
    missing = [unit for unit in team if unit not in battle_map.type_bits]
    if missing:
        raise ValueError(f"map {name!r}: no type bit for {', '.join(missing)} of random_team; add it to type_bits")
    if team and (min(team.values()) < 0 or not sum(w for u, w in team.items() if u not in battle_map.never_alone) > 0):
        raise ValueError(
            f"map {name!r}: random_team {dict(team)} needs weights of 0 or more, and one above 0 of a unit that is not "
            f"in never_alone {battle_map.never_alone}"
        )
    order, size = battle_map.attack_order, battle_map.size
    if order is not None and not (0 <= order[0] <= size and 0 <= order[1] <= size):
        raise ValueError(f"map {name!r}: attack_order {order} is not on the map of {size} by {size}")
    widest = max(kind.radius for kind in kinds)
    for kind in kinds:
        if kind.missile_speed and (kind.range + kind.radius + widest) / kind.missile_speed > kind.period:
            raise ValueError(
                f"map {name!r}: the missile of {kind.name!r} (missile_speed {kind.missile_speed:g}) can fly longer "
                f"than its period of {kind.period:g} s, and a unit has one missile at a time; raise missile_speed"
            )


def kind_records(battle_map: BattleMap, kinds: Sequence[UnitType]) -> Records:
    """Return one record `[K]` per entry of `kinds`, times in game loops."""
    records = np.zeros(len(kinds), dtype=KIND)
    marching = marches(battle_map)
    total = sum(battle_map.random_team.values())
    for record, kind in zip(records, kinds, strict=True):
        for name in ("health", "armour", "radius", "damage", "hits", "bonus", "range", "scan", "blast", "shield"):
            record[name] = getattr(kind, name)
        for name in ("heal_range", "heal_cost", "energy", "energy_limit", "sight"):
            record[name] = getattr(kind, name)
        for name in ("splash_reach", "splash_width", "splash_share"):
            record[name] = getattr(kind, name)
        for name in ("speed", "regeneration", "heal", "energy_regeneration", "shield_regeneration"):
            record[name] = getattr(kind, name) / LOOPS_PER_SECOND
        for name in ("period", "damage_point", "shield_delay"):
            record[name] = getattr(kind, name) * LOOPS_PER_SECOND
        record["bonus_against"] = _ATTRIBUTE_BITS[kind.bonus_against]
        record["attributes"] = sum(_ATTRIBUTE_BITS[name] for name in kind.attributes)
        record["full_cooldown"] = kind.reward_cooldown
        record["flies"] = kind.flies
        record["heals_it"] = "biological" in kind.attributes
        record["type_bit"] = battle_map.type_bits[kind.name]
        record["plane"] = 2 if kind.flies else 1
        record["targets"] = kind.hits_ground + 2 * kind.hits_air if kind.damage > 0 else 0
        record["bodies"] = 0 if kind.flies else 2 if kind.strides else 1
        record["splash"] = {"": 0, "arc": ARC, "line": LINE}[kind.splash]
        if marching:
            record["missile_speed"] = kind.missile_speed / LOOPS_PER_SECOND
            record["scan"] = kind.scan or _SCAN
        record["weight"] = battle_map.random_team.get(kind.name, 0.0) / (total or 1.0)
        record["never_alone"] = kind.name in battle_map.never_alone
    return records


def rules_record(battle_map: BattleMap, layout: Layout, *, stock_reward: bool) -> Records:
    """Return the map's rules, one record in an array `[1]`."""
    rules = np.zeros(1, dtype=RULES)
    n_allies = len(battle_map.allies)
    march_x, march_y = battle_map.attack_order or (0.0, 0.0)
    values = {
        "n_allies": n_allies,
        "n_type_bits": battle_map.n_type_bits,
        "limit": battle_map.episode_limit,
        "others_health": battle_map.others_health,
        "padding": padding_columns(battle_map, layout),
        "medivac_slot": n_allies + battle_map.enemies.index("medivac") if battle_map.only_medivac_left_wins else -1,
        "stock_reward": stock_reward,
        "shortcut": True,
        "ally_shields": battle_map.ally_race == "protoss",
        "enemy_shields": battle_map.enemy_race == "protoss",
        "marches": marches(battle_map),
        "ordered": battle_map.attack_order is not None,
        "march_x": march_x,
        "march_y": march_y,
        "random_team": bool(battle_map.random_team),
        "random_start": _RANDOM_STARTS[battle_map.random_start],
        "sight": battle_map.sight,
        "shoot": battle_map.shoot,
        "move_amount": 2.0,
        "leash": battle_map.enemy_leash,
        "help": battle_map.enemy_help,
        "reward_kill": 10.0,
        "reward_win": 200.0,
    }
    for name, value in values.items():
        rules[name] = value
    return rules


def spawn_arrays(
    battle_map: BattleMap, kinds: Sequence[UnitType]
) -> tuple[IntArray, IntArray, np.ndarray, np.ndarray, IntArray]:
    """Return the fixed teams and the spawn groups as arrays.

    Kinds `[U]`, members `[G, U]` (-1 fills), offsets `[G, U, 2]`, regions `[G, R, 4]`, number of regions `[G]`.
    """
    spawns = battle_map.spawns
    members = np.full((len(spawns), battle_map.n_units), -1, dtype=np.int64)
    offsets = np.zeros((len(spawns), battle_map.n_units, 2))
    regions = np.zeros((len(spawns), max((len(spawn.regions) for spawn in spawns), default=0), 4))
    for g, spawn in enumerate(spawns):
        members[g, : len(spawn.units)] = spawn.units
        if spawn.offsets:
            offsets[g, : len(spawn.units)] = spawn.offsets
        regions[g, : len(spawn.regions)] = spawn.regions
    names = [kind.name for kind in kinds]
    team = [0 if battle_map.random_team else names.index(name) for name in (*battle_map.allies, *battle_map.enemies)]
    return (
        np.array(team, dtype=np.int64),
        members,
        offsets,
        regions,
        np.array([len(spawn.regions) for spawn in spawns], dtype=np.int64),
    )
