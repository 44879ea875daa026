"""The schema of a task of the real game: that of the simulator's map, with SMACv2's own columns where they are on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from buffers.schema import Field, TaskSchema
from marl_runtime.environments.starcraft.maps import GameMap, kinds_of
from marl_runtime.skirmish.layout import battle_schema

__all__ = ["game_schema"]

_SIGHTED = ("distance", "relative_x", "relative_y")


def game_schema(game: GameMap) -> TaskSchema:
    """Return the schema of `game`; its layout hash is that of the simulator's map where there is one."""
    schema = battle_schema(game.battle_map, kinds_of(game), game.layout, tuple(_notes(game)))
    if not game.own_ranges:
        return schema
    return replace(schema, obs_fields=tuple(_own_ranges(schema, game.battle_map.size)))


def _notes(game: GameMap) -> Iterator[str]:
    yield f"backend: StarCraft II through the package {game.package}; the opponent is its computer player, very hard"
    yield (
        "reward: enemy health lost (absolute value, as SMAC: recovery pays too), 10 a kill, 200 for the win, scaled to "
        "20 in all; a loss or a time-out adds nothing"
    )
    yield "hit points of a column are those of the game data; the real game's can differ, and then a warning says so"


def _own_ranges(schema: TaskSchema, size: int) -> Iterator[Field]:
    """SMACv2's observation: one's own position before one's own type, and distances as shares of one's own sight."""
    position = [
        Field(f"own.{axis}", f"how far {direction} of the map's {edge} edge one is", "map units", scale=size)
        for axis, direction, edge in (("x", "east", "west"), ("y", "north", "south"))
    ]
    for field in schema.obs_fields:
        if field.name == "own.type_0":
            yield from position
        if field.quantity in _SIGHTED:
            yield replace(field, unit="share of one's own sight", scale=1.0)
        elif field.quantity in ("attackable", "visible"):
            within = "one's own shooting range" if field.quantity == "attackable" else "one's own sight"
            who = field.meaning.removeprefix("1 when ").partition(" is within")[0]
            yield replace(field, meaning=f"1 when {who} is within {within}")
        else:
            yield field
