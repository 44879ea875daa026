"""What messages are to reveal: state fields, and positions of units in the receiver's own frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.schema import Field, TaskSchema

__all__ = ["Target", "agent_entities", "target_values", "targets_of"]

_POSITION = re.compile(r"^(.*_)?(x|y|row|column)$")


@dataclass(frozen=True)
class Target:
    """One number to rebuild: a state column, minus (`relative_to` by agent) the receiver's own column.

    `present` is the state column above zero where it means anything, or -1.
    """

    name: str
    column: int
    present: int
    relative_to: tuple[int, ...] = ()
    weight: float = 1.0


def agent_entities(schema: TaskSchema) -> tuple[str, ...]:
    """Return the state entity of each agent, in agent order (`ally_0`, …), or nothing where none are recognised."""
    entities = dict.fromkeys(f.entity for f in schema.state_fields)
    for kind in ("ally", "agent", "player"):
        names = tuple(f"{kind}_{index}" for index in range(schema.n_agents))
        if set(names) <= set(entities):
            return names
    return ()


def targets_of(
    schema: TaskSchema, varies: Sequence[bool], *, opponent_weight: float, plain_weight: float, relative_weight: float
) -> list[Target]:
    """Return every state field that varies, and each position as the receiver would see it, with their weights."""
    present = {f.name: schema.state_index(f.present_if) if f.present_if else -1 for f in schema.state_fields}
    agents = agent_entities(schema)

    def weight(field: Field) -> float:
        if not agents:
            return 1.0
        if not _POSITION.match(field.quantity):
            return plain_weight
        return 1.0 if field.entity in agents else opponent_weight

    found = [
        Target(f.name, index, present[f.name], weight=weight(f))
        for index, f in enumerate(schema.state_fields)
        if varies[index]
    ]
    if relative_weight == 0 or not agents:
        return found
    names = {f.name for f in schema.state_fields}
    for index, f in enumerate(schema.state_fields):
        own = [f"{entity}.{f.quantity}" for entity in agents]
        if varies[index] and _POSITION.match(f.quantity) and set(own) <= names:
            columns = tuple(schema.state_index(name) for name in own)
            found.append(
                Target(f"{f.name} from the receiver", index, present[f.name], columns, relative_weight * weight(f))
            )
    return found


def target_values(
    targets: Sequence[Target], state: Float32Array, receivers: IntArray
) -> tuple[Float32Array, BoolArray]:
    """Return values and whether they mean anything, both `[R, F]`, for states `[R, S]` and their receivers `[R]`."""
    values = np.empty((len(state), len(targets)), dtype=np.float32)
    present = np.ones(values.shape, dtype=bool)
    rows = np.arange(len(state))
    for index, target in enumerate(targets):
        values[:, index] = state[:, target.column]
        if target.present >= 0:
            present[:, index] = state[:, target.present] > 0
        if target.relative_to:
            own = np.asarray(target.relative_to)[receivers]
            values[:, index] -= state[rows, own]
            present[:, index] &= own != target.column
    return values, present


def feedback_success(feedback: Mapping[str, object] | None, n_agents: int) -> dict[tuple[int, str], float]:
    """Return success per (agent, state field) from a brief's feedback; agents may be numbers or named with one."""
    table = (feedback or {}).get("success")
    found: dict[tuple[int, str], float] = {}
    if not isinstance(table, Mapping):
        return found
    for agent, row in table.items():
        number = re.search(r"\d+$", str(agent))
        if number is None or int(number.group()) >= n_agents or not isinstance(row, Mapping):
            continue
        for name, value in row.items():
            if isinstance(value, int | float) and np.isfinite(value):
                found[int(number.group()), str(name)] = float(value)
    return found
