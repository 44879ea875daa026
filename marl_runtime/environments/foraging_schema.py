"""The names of every number in a foraging task: the observed grid, and the state in both its forms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from buffers.schema import Field, TaskSchema
from marl_runtime.environments.foraging_settings import ForagingSettings

__all__ = ["ACTION_NAMES", "LAYERS", "foraging_schema"]

ACTION_NAMES = ("stay", "north", "south", "west", "east", "load")
LAYERS = ("agent_level", "food_level", "accessible")


def foraging_schema(settings: ForagingSettings) -> TaskSchema:
    """Name every number of the task.

    3 x (2 s + 1)² observation fields; in the state 3 per agent and per food, or 3 x (rows + 2 s) x (columns + 2 s).
    """
    around = range(-settings.sight, settings.sight + 1)
    state = _grid_fields(settings) if settings.state == "grid" else _compact_fields(settings)
    rows, columns = settings.field_size
    return TaskSchema(
        name=settings.name,
        summary=(
            f"{settings.players} foragers on a {rows} x {columns} grid with {settings.max_num_food} foods, "
            f"each seeing {settings.sight} cell(s) around. A food is loaded when foragers beside it, whose levels "
            "add up to its level, choose 'load' in the same step" + _cooperation(settings)
        ),
        roles=("forager",) * settings.players,
        obs_fields=tuple(
            _layer_field(settings, layer, _cell(row, column), _place(row, column))
            for layer, row, column in itertools.product(LAYERS, around, around)
        ),
        state_fields=tuple(state),
        action_names=ACTION_NAMES,
        episode_limit=settings.max_episode_steps,
        notes=(
            "Played by the lbforaging package; "
            + (
                "rewards are normalised, so that a whole episode is worth 1."
                if settings.normalize_reward
                else "a food pays each forager that loads it the product of their levels."
            ),
        ),
    )


def _cooperation(settings: ForagingSettings) -> str:
    if not settings.force_coop:
        return "."
    if settings.players <= 3 and settings.max_food_level is None:
        return "; cooperation is forced: every food needs all of them together."
    return "; cooperation is forced: every food has the highest level, of up to three foragers together."


def _compact_fields(settings: ForagingSettings) -> Iterator[Field]:
    for entity, what, top in (
        *((f"agent_{i}", f"agent {i}", settings.top_player_level) for i in range(settings.players)),
        *((f"food_{k}", f"food {k}", settings.top_food_level) for k in range(settings.max_num_food)),
    ):
        eaten = "; all zero once it is eaten" if entity.startswith("food") else ""
        for axis, side, cells in zip(("row", "column"), ("north", "west"), settings.field_size, strict=True):
            meaning = f"{axis} of {what}, from the {side}{eaten}"
            yield Field(f"{entity}.{axis}", meaning, "cells", scale=float(cells - 1), present_if=f"{entity}.level")
        yield Field(f"{entity}.level", f"level of {what}{eaten}", "levels", scale=float(top), kind="count")


def _grid_fields(settings: ForagingSettings) -> Iterator[Field]:
    """The published form: three layers of the grid with a rim as wide as the sight, most of which never varies."""
    rows, columns = settings.field_size
    pad = settings.sight
    cells = itertools.product(LAYERS, range(-pad, rows + pad), range(-pad, columns + pad))
    for layer, row, column in cells:
        outside = not (0 <= row < rows and 0 <= column < columns)
        place = f"the cell in row {row} from the north and column {column} from the west" + (
            " (beyond the grid: always 0)" if outside else ""
        )
        yield _layer_field(settings, layer, f"row_{_signed(row)}_column_{_signed(column)}", place)


def _signed(number: int) -> str:
    return f"m{-number}" if number < 0 else str(number)


def _cell(row: int, column: int) -> str:
    north_south = f"{'n' if row < 0 else 's'}{abs(row)}" if row else ""
    west_east = f"{'w' if column < 0 else 'e'}{abs(column)}" if column else ""
    return "cell_" + ("_".join(filter(None, (north_south, west_east))) or "here")


def _place(row: int, column: int) -> str:
    return f"the cell {row:+d} rows (south is positive) and {column:+d} columns (east is positive) from oneself"


def _layer_field(settings: ForagingSettings, layer: str, cell: str, place: str) -> Field:
    # these scales are whole numbers, not floats: layout hashes of shipped protocols know them as such
    name = f"{cell}.{layer}"
    if layer == "accessible":
        return Field(name, f"1 when {place} is on the grid and empty", kind="binary")
    if layer == "food_level":
        top = settings.top_food_level
        return Field(name, f"level of the food in {place}, 0 for none", "levels", scale=top, kind="count")
    if not settings.observe_agent_levels:
        return Field(name, f"1 when an agent is in {place}", kind="binary")
    top = settings.top_player_level
    return Field(name, f"level of the agent in {place}, 0 for none", "levels", scale=top, kind="count")
