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


def padding_columns(battle_map: BattleMap, layout: Layout) -> int:
    """Return the always-zero columns that end each enemy's block: the published code counts its health twice."""
    return int(layout == "smac_plus" and battle_map.others_health)


def battle_schema(
    battle_map: BattleMap, kinds: Sequence[UnitType], layout: Layout, notes: tuple[str, ...]
) -> TaskSchema:
    """Return the schema of a map: roles, named fields with units, actions, limit. `kinds` has one entry per unit."""
    n_agents = len(battle_map.allies)
    return TaskSchema(
        name=battle_map.name,
        summary=battle_map.summary,
        roles=battle_map.allies,
        obs_fields=tuple(_obs_fields(battle_map, kinds[:n_agents], kinds[n_agents:], layout)),
        state_fields=tuple(_state_fields(battle_map, kinds[:n_agents], kinds[n_agents:])),
        action_names=(
            "no_op",
            "stop",
            *MOVES,
            *(f"attack_enemy_{j}" for j in range(len(battle_map.enemies))),
        ),
        episode_limit=battle_map.episode_limit,
        notes=notes,
    )


def _obs_fields(
    battle_map: BattleMap, allies: Sequence[UnitType], enemies: Sequence[UnitType], layout: Layout
) -> Iterator[Field]:
    ahead = {"north": "+y", "south": "-y", "east": "+x", "west": "-x"}
    for move in MOVES:
        yield Field(
            f"move.{move}",
            f"1 when one can walk {move} ({ahead[move]}): the ground 1 map unit away is open",
            kind="binary",
        )
    for j, enemy in enumerate(enemies):
        slot, who = f"enemy_{j}", f"enemy {j} ({enemy.name})"
        yield Field(
            f"{slot}.attackable",
            f"1 when {who} is within the shooting range of {battle_map.shoot:g} map units; being seen is "
            f"'{slot}.distance' above 0",
            kind="binary",
        )
        yield from _sighted(battle_map, slot, who, [enemy], seen=f"{slot}.distance")
        for column in range(padding_columns(battle_map, layout)):
            yield Field(f"{slot}.unused_{column}", "always 0; the published layout has this column")
    for s in range(len(allies) - 1):
        # slots skip oneself: slot s holds agent s or agent s + 1, by who looks
        slot, who = f"ally_{s}", f"the other agent in slot {s} (slots skip oneself)"
        yield Field(f"{slot}.visible", f"1 when {who} is within sight ({battle_map.sight:g} map units)", kind="binary")
        yield from _sighted(battle_map, slot, who, allies[s : s + 2], seen=f"{slot}.visible")
    yield _health("own", "one's own health", list(allies))
    yield from _type_bits("own", "this agent", battle_map, allies)


def _sighted(battle_map: BattleMap, slot: str, who: str, kinds: Sequence[UnitType], seen: str) -> Iterator[Field]:
    """What an agent sees of another unit: distance, direction, health, type; zeros when it does not see it."""
    sight, unit = battle_map.sight, "map units"
    yield Field(f"{slot}.distance", f"distance to {who}", unit, scale=sight, present_if=seen)
    yield Field(f"{slot}.relative_x", f"how far east of oneself {who} is", unit, -1, 1, sight, present_if=seen)
    yield Field(f"{slot}.relative_y", f"how far north of oneself {who} is", unit, -1, 1, sight, present_if=seen)
    if battle_map.others_health:
        yield _health(slot, f"health of {who}", kinds, present_if=seen)
    yield from _type_bits(slot, who, battle_map, kinds, present_if=seen)


def _health(entity: str, meaning: str, kinds: Sequence[UnitType], present_if: str = "") -> Field:
    """Health is stored as a share; it has hit points as its unit only where all that it can mean have equally many."""
    full = {kind.health for kind in kinds}
    if len(full) == 1:
        return Field(f"{entity}.health", meaning, "hit points", scale=full.pop(), present_if=present_if)
    return Field(f"{entity}.health", meaning, "share of full health", present_if=present_if)


def _type_bits(
    entity: str, who: str, battle_map: BattleMap, kinds: Sequence[UnitType], present_if: str = ""
) -> Iterator[Field]:
    for bit in range(battle_map.n_type_bits):
        names = [name for name, number in battle_map.type_bits.items() if number == bit]
        yield Field(
            f"{entity}.type_{bit}", f"1 when {who} is a {' or '.join(names)}", kind="binary", present_if=present_if
        )


def _state_fields(battle_map: BattleMap, allies: Sequence[UnitType], enemies: Sequence[UnitType]) -> Iterator[Field]:
    for i, kind in enumerate(allies):
        yield from _unit_state(battle_map, f"agent_{i}", f"agent {i} ({kind.name})", kind, with_cooldown=True)
    for j, kind in enumerate(enemies):
        yield from _unit_state(battle_map, f"enemy_{j}", f"enemy {j} ({kind.name})", kind, with_cooldown=False)


def _unit_state(
    battle_map: BattleMap, entity: str, who: str, kind: UnitType, *, with_cooldown: bool
) -> Iterator[Field]:
    lives = f"{entity}.health"
    yield Field(lives, f"health of {who}, 0 when it is dead", "hit points", scale=kind.health)
    if with_cooldown:
        longest = max(kind.period * LOOPS_PER_SECOND / kind.reward_cooldown, 1.0)
        yield Field(
            f"{entity}.cooldown",
            f"time until {who} can attack again",
            "game loops",
            high=longest,
            scale=kind.reward_cooldown,
            present_if=lives,
        )
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
    yield from _type_bits(entity, who, battle_map, [kind], present_if=lives)
