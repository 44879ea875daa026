"""Fields as a prompt describes them: with the range that was measured, and who gets to see them how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from buffers.episodes import Float32Array
from buffers.schema import Field, TaskSchema
from sai import Episodes

__all__ = ["FieldView", "extended_views", "state_views"]

EPISODES_READ = 500
"""Ranges are measured on so many episodes, evenly spread."""


@dataclass(frozen=True)
class FieldView:
    """A field's description. `low` and `high` are measured, in stored values; `seen` is the share of an agent's steps
    in which it is not 0, by role (empty for state fields).
    """

    name: str
    meaning: str
    unit: str
    scale: float
    low: float
    high: float
    kind: str
    present_if: str
    seen: Mapping[str, float]


def extended_views(schema: TaskSchema, episodes: Episodes) -> list[FieldView]:
    """Return the fields of the extended observation, measured over the steps that agents lived."""
    few = _few(episodes)
    roles = np.array(schema.roles)
    rows = {role: few.extended[:, :, roles == role][few.valid[:, :, roles == role]] for role in dict.fromkeys(roles)}
    everything = np.concatenate(list(rows.values()))
    seen = {role: (values != 0).mean(axis=0) if len(values) else None for role, values in rows.items()}
    return [
        _view(
            field,
            everything[:, column],
            {str(role): round(float(share[column]), 3) for role, share in seen.items() if share is not None},
        )
        for column, field in enumerate(schema.extended_fields)
    ]


def state_views(schema: TaskSchema, episodes: Episodes) -> list[FieldView]:
    """Return the fields of the state, measured over the steps that were played."""
    few = _few(episodes)
    rows = few.state[few.valid.any(axis=2)]
    return [_view(field, rows[:, column], {}) for column, field in enumerate(schema.state_fields)]


def _few(episodes: Episodes) -> Episodes:
    count = len(episodes.state)
    return episodes.select(np.linspace(0, count - 1, min(count, EPISODES_READ)).astype(int))


def _view(field: Field, values: Float32Array, seen: Mapping[str, float]) -> FieldView:
    low, high = (float(values.min()), float(values.max())) if len(values) else (field.low, field.high)
    return FieldView(
        field.name,
        field.meaning,
        field.unit,
        field.scale,
        round(low, 4),
        round(high, 4),
        field.kind,
        field.present_if,
        seen,
    )
