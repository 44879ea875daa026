"""Positions and health out of a running environment: battles of the embedded simulator, and grids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.errors import UsageError
from marl_runtime.environment import VectorEnvironment
from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.records import Records
from marl_runtime.watching.recording import Scene, UnitCard

__all__ = ["Capture", "capture_of", "unit_kinds"]

LOOPS_PER_SECOND = 16
_CELL = re.compile(r"(agent|food)_(\d+)\.row")


class Capture(Protocol):
    """What the recorder asks of an environment, about its environment 0."""

    def scene(self) -> Scene:
        """Return what stays as it is in the episode that has just begun."""

    def look(self) -> dict[str, Float32Array]:
        """Return `x`, `y`, `health`, `shield`, `cooldown` and `target` of now, each `[U]`."""


def capture_of(environment: VectorEnvironment) -> Capture:
    """Return what reads positions out of `environment`; a task that has none raises `UsageError`."""
    if isinstance(environment, SkirmishEnvironment):
        return _BattleCapture(environment)
    schema = environment.schema
    entities = [found[0].rpartition(".")[0] for f in schema.state_fields if (found := _CELL.fullmatch(f.name))]
    if sum(name.startswith("agent_") for name in entities) == schema.n_agents:
        return _GridCapture(environment, entities)
    raise UsageError(
        f"task {schema.name!r} cannot be watched: its state has no positions (fields agent_0.row, agent_0.column …); "
        f"`design-protocol evaluate` plays it without a picture"
    )


def unit_kinds(kinds: Sequence[Any], units: Records) -> list[Any]:
    """Return the unit type of every slot of one battle, whose records are `units` `[U]`.

    A battle whose teams were drawn has the numbers of its kinds on record; of others, kinds are by slot.
    """
    if "kind" in (units.dtype.names or ()):
        return [kinds[number] for number in units["kind"]]
    return list(kinds)


@dataclass(frozen=True)
class _BattleCapture:
    environment: SkirmishEnvironment

    def scene(self) -> Scene:
        env = self.environment
        cards = tuple(
            UnitCard(
                name=kind.name,
                health=float(kind.health),
                radius=float(kind.radius),
                shield=float(getattr(kind, "shield", 0.0)),
                period=float(kind.period) * LOOPS_PER_SECOND if kind.damage > 0 else 0.0,
                range=float(kind.heal_range or kind.range),
                heals=kind.heal > 0,
            )
            for kind in unit_kinds(env.kinds, env.units[0])
        )
        return Scene(
            terrain=env.terrain.copy(),
            units=cards,
            n_agents=env.schema.n_agents,
            sight=float(env.map.sight),
            shoot=float(env.map.shoot),
        )

    def look(self) -> dict[str, Float32Array]:
        units = self.environment.units[0]
        found = {name: units[name].astype(np.float32) for name in ("x", "y", "health", "cooldown", "target")}
        held = "shield" in (units.dtype.names or ())
        found["shield"] = units["shield"].astype(np.float32) if held else np.zeros(len(units), np.float32)
        # the dead keep a cooldown and a target on record
        dead = found["health"] <= 0
        for name, value in (("health", 0), ("shield", 0), ("cooldown", 0), ("target", -1)):
            found[name][dead] = value
        return found


class _GridCapture:
    """Agents and foods of a grid, out of the state's named fields; the level is their health, 0 once it is eaten."""

    def __init__(self, environment: VectorEnvironment, entities: list[str]) -> None:
        schema = environment.schema
        self._environment, self._entities = environment, entities
        self._columns = {
            quantity: [schema.state_index(f"{name}.{quantity}") for name in entities]
            for quantity in ("row", "column", "level")
        }
        self._scale = np.array([f.scale for f in schema.state_fields], dtype=np.float32)
        # the widest coordinate is the last row's or column's
        self._side = 1 + int(max(self._scale[column] for column in self._columns["row"]))

    def scene(self) -> Scene:
        levels = self.look()["health"]
        cards = tuple(
            UnitCard(name=f"{'forager' if name.startswith('agent') else 'food'} of {level:g}",
                     health=float(level) or 1.0, radius=0.38)
            for name, level in zip(self._entities, levels, strict=True)
        )  # fmt: skip
        open_ground: BoolArray = np.ones((self._side, self._side), dtype=bool)
        return Scene(open_ground, cards, self._environment.schema.n_agents, fight=False)

    def look(self) -> dict[str, Float32Array]:
        state = self._environment.state[0] * self._scale
        row, column, level = (state[self._columns[name]] for name in ("row", "column", "level"))
        none = np.zeros(len(row), dtype=np.float32)
        return {
            "x": column + np.float32(0.5),
            "y": np.float32(self._side - 0.5) - row,
            "health": level,
            "shield": none,
            "cooldown": none,
            "target": none - 1,
        }
