"""SMAC's observation, state and action layout with every column named; the order is that of the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from buffers.schema import Field, TaskSchema
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.units import LOOPS_PER_SECOND, UnitType

__all__ = ["MOVES", "Layout", "battle_schema", "padding_columns"]

MOVES = ("north", "south", "east", "west")
Layout = Literal["smac", "smac_plus"]
_Slot = tuple[UnitType, ...]  # the types that a unit slot may have: one, but of random teams all


def padding_columns(battle_map: BattleMap, layout: Layout) -> int:
    """Return the always-zero columns that end each enemy's block: the published code counts health and shield twice."""
    if layout == "smac" or not battle_map.others_health:
        return 0
    return 2 if battle_map.enemy_race == "protoss" else 1


def battle_schema(
    battle_map: BattleMap, kinds: Sequence[UnitType], layout: Layout, notes: tuple[str, ...]
) -> TaskSchema:
    """Return the schema of a map: roles, named fields with units, actions, limit.

    `kinds` has one entry per unit name. Where an agent may be a Medivac, there are actions enough for it to heal any
    other agent.
    """
    n_agents, n_enemies = len(battle_map.allies), len(battle_map.enemies)
    random = bool(battle_map.random_team)
    named = {kind.name: kind for kind in kinds}
    allies: list[_Slot] = [tuple(kinds) if random else (named[name],) for name in battle_map.allies]
    enemies: list[_Slot] = [tuple(kinds) if random else (named[name],) for name in battle_map.enemies]
    heals = any(kind.heals for slot in allies for kind in slot)
    n_targets = max(n_agents, n_enemies) if heals else n_enemies
    return TaskSchema(
        name=battle_map.name,
        summary=battle_map.summary,
        roles=("unit",) * n_agents if random else battle_map.allies,
        obs_fields=tuple(_obs_fields(battle_map, allies, enemies, layout)),
        state_fields=tuple(_state_fields(battle_map, allies, enemies)),
        action_names=("no_op", "stop", *MOVES, *(f"attack_enemy_{j}" for j in range(n_targets))),
        episode_limit=battle_map.episode_limit,
        roles_vary=random,
        notes=(*notes, *_notes(battle_map, heals)),
    )


def _notes(battle_map: BattleMap, heals: bool) -> Iterator[str]:
    if heals:
        yield (
            "an agent that is a Medivac does not attack: its action attack_enemy_k heals agent k, who has to live, to "
            "be no Medivac and to be within the shooting range; its enemy_k.attackable says whether it can, where it "
            "sees enemy k"
        )
    if battle_map.random_team:
        team = ", ".join(f"{name} {weight:g}" for name, weight in battle_map.random_team.items())
        yield (
            f"every battle draws the agents' types anew, by weight ({team}); enemy j has the type of agent j, further "
            "enemies are drawn alike; agents are not sorted"
        )


def _obs_fields(
    battle_map: BattleMap, allies: Sequence[_Slot], enemies: Sequence[_Slot], layout: Layout
) -> Iterator[Field]:
    ahead = {"north": "+y", "south": "-y", "east": "+x", "west": "-x"}
    for move in MOVES:
        yield Field(
            f"move.{move}",
            f"1 when one can walk {move} ({ahead[move]}): the ground 1 map unit away is open",
            kind="binary",
        )
    for j, enemy in enumerate(enemies):
        slot, who = f"enemy_{j}", f"enemy {j} ({_names(enemy)})"
        yield Field(
            f"{slot}.attackable",
            f"1 when {who} is within the shooting range of {battle_map.shoot:g} map units; being seen is "
            f"'{slot}.distance' above 0",
            kind="binary",
        )
        shields = battle_map.enemy_race == "protoss"
        yield from _sighted(battle_map, slot, who, enemy, seen=f"{slot}.distance", shields=shields)
        for column in range(padding_columns(battle_map, layout)):
            yield Field(f"{slot}.unused_{column}", "always 0; the published layout has this column")
    shields = battle_map.ally_race == "protoss"
    for s in range(len(allies) - 1):
        # slots skip oneself: slot s holds agent s or agent s + 1, by who looks
        slot, who = f"ally_{s}", f"the other agent in slot {s} (slots skip oneself)"
        yield Field(f"{slot}.visible", f"1 when {who} is within sight ({battle_map.sight:g} map units)", kind="binary")
        either = (*allies[s], *allies[s + 1])
        yield from _sighted(battle_map, slot, who, either, seen=f"{slot}.visible", shields=shields)
    anyone = tuple(kind for slot in allies for kind in slot)
    yield _share("own", "health", "one's own health", anyone)
    if shields:
        yield _share("own", "shield", "one's own shield", anyone)
    yield from _type_bits("own", "this agent", battle_map)


def _names(slot: _Slot) -> str:
    return " or ".join(kind.name for kind in slot)


def _sighted(battle_map: BattleMap, slot: str, who: str, kinds: _Slot, *, seen: str, shields: bool) -> Iterator[Field]:
    """What an agent sees of another unit: distance, direction, health, type; zeros when it does not see it."""
    sight, unit = battle_map.sight, "map units"
    yield Field(f"{slot}.distance", f"distance to {who}", unit, scale=sight, present_if=seen)
    yield Field(f"{slot}.relative_x", f"how far east of oneself {who} is", unit, -1, 1, sight, present_if=seen)
    yield Field(f"{slot}.relative_y", f"how far north of oneself {who} is", unit, -1, 1, sight, present_if=seen)
    if battle_map.others_health:
        yield _share(slot, "health", f"health of {who}", kinds, present_if=seen)
        if shields:
            yield _share(slot, "shield", f"shield of {who}", kinds, present_if=seen)
    yield from _type_bits(slot, who, battle_map, present_if=seen)


def _share(
    entity: str, quantity: Literal["health", "shield"], meaning: str, kinds: Sequence[UnitType], present_if: str = ""
) -> Field:
    """Health is stored as a share; it has hit points as its unit only where all that it can mean have equally many."""
    full = {getattr(kind, quantity) for kind in kinds}
    if len(full) == 1 and min(full) > 0:
        unit = "hit points" if quantity == "health" else "shield points"
        return Field(f"{entity}.{quantity}", meaning, unit, scale=full.pop(), present_if=present_if)
    return Field(f"{entity}.{quantity}", meaning, f"share of full {quantity}", present_if=present_if)


def _type_bits(entity: str, who: str, battle_map: BattleMap, present_if: str = "") -> Iterator[Field]:
    for bit in range(battle_map.n_type_bits):
        names = [name for name, number in battle_map.type_bits.items() if number == bit]
        yield Field(
            f"{entity}.type_{bit}", f"1 when {who} is a {' or '.join(names)}", kind="binary", present_if=present_if
        )


def _state_fields(battle_map: BattleMap, allies: Sequence[_Slot], enemies: Sequence[_Slot]) -> Iterator[Field]:
    for i, slot in enumerate(allies):
        shields = battle_map.ally_race == "protoss"
        yield from _unit_state(battle_map, f"agent_{i}", f"agent {i} ({_names(slot)})", slot, True, shields)
    for j, slot in enumerate(enemies):
        shields = battle_map.enemy_race == "protoss"
        yield from _unit_state(battle_map, f"enemy_{j}", f"enemy {j} ({_names(slot)})", slot, False, shields)


def _unit_state(
    battle_map: BattleMap, entity: str, who: str, slot: _Slot, with_cooldown: bool, shields: bool
) -> Iterator[Field]:
    lives = f"{entity}.health"
    yield _share(entity, "health", f"health of {who}, 0 when it is dead", slot)
    if with_cooldown:
        yield _cooldown(entity, who, slot, present_if=lives)
    for axis, direction in (("x", "east"), ("y", "north")):
        yield Field(
            f"{entity}.{axis}",
            f"how far {direction} of the map's centre {who} is",
            "map units",
            -0.5,
            0.5,
            battle_map.size,
            present_if=lives,
        )
    if shields:
        yield _share(entity, "shield", f"shield of {who}", slot, present_if=lives)
    yield from _type_bits(entity, who, battle_map, present_if=lives)


def _cooldown(entity: str, who: str, slot: _Slot, present_if: str) -> Field:
    """SMAC divides the cooldown by a figure of the type's own, and shows a Medivac's energy instead."""
    if len(slot) == 1 and slot[0].heals:
        (kind,) = slot
        return Field(
            f"{entity}.cooldown",
            f"energy that {who} has for healing (in SMAC's column for the cooldown)",
            "energy",
            high=max(kind.energy_limit / kind.reward_cooldown, 1.0),
            scale=kind.reward_cooldown,
            present_if=present_if,
        )
    longest = max([1.0, *(kind.period * LOOPS_PER_SECOND / kind.reward_cooldown for kind in slot if not kind.heals)])
    if len(slot) == 1:
        return Field(
            f"{entity}.cooldown",
            f"time until {who} can attack again",
            "game loops",
            high=longest,
            scale=slot[0].reward_cooldown,
            present_if=present_if,
        )
    energy = "; of a Medivac, its energy" if any(kind.heals for kind in slot) else ""
    return Field(
        f"{entity}.cooldown",
        f"time until {who} can attack again{energy}",
        "share of its type's most",
        high=longest,
        present_if=present_if,
    )
