"""Names, indices and the layout hash."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from buffers.errors import LayoutMismatchError, UnknownNameError
from buffers.schema import Field, TaskSchema
from tests.strategies import schemas

SCHEMA = TaskSchema(
    name="hunt",
    summary="Two hunters.",
    roles=("scout", "archer"),
    obs_fields=(Field("own.x", "where", "cells"), Field("enemy_0.x", "where", "cells")),
    state_fields=(Field("enemy_0.alive", "1 alive"), Field("enemy_0.x", "where", "cells", present_if="enemy_0.alive")),
    action_names=("stay", "shoot"),
    episode_limit=10,
)


def test_extended_fields_have_names_and_indices() -> None:
    names = [f.name for f in SCHEMA.extended_fields]
    assert names == [
        "own.x", "enemy_0.x", "last_action.stay", "last_action.shoot", "agent_id.agent_0", "agent_id.agent_1",
    ]  # fmt: skip
    assert SCHEMA.extended_dim == 6
    assert SCHEMA.extended_index("last_action.shoot") == 3
    assert SCHEMA.state_index("enemy_0.x") == 1
    assert (SCHEMA.obs_fields[1].entity, SCHEMA.obs_fields[1].quantity) == ("enemy_0", "x")
    with pytest.raises(UnknownNameError, match=r"observation field 'enemy_0\.y': did you mean 'enemy_0\.x'"):
        SCHEMA.extended_index("enemy_0.y")
    with pytest.raises(UnknownNameError, match=r"state field 'zzz': valid: enemy_0\.alive, enemy_0\.x"):
        SCHEMA.state_index("zzz")


def test_ally_slots_skip_oneself() -> None:
    three = replace(SCHEMA, roles=("a", "b", "c"))
    assert [[three.ally_slot(i, j) for j in range(3) if j != i] for i in range(3)] == [[0, 1]] * 3
    with pytest.raises(ValueError, match="agent 1 has no ally slot"):
        three.ally_slot(1, 1)


@given(schemas())
def test_a_schema_survives_json(schema: TaskSchema) -> None:
    again = TaskSchema.from_json(json.loads(json.dumps(schema.to_json())))
    assert again == schema
    assert again.layout_hash == schema.layout_hash


@pytest.mark.parametrize(
    "change",
    [
        {"roles": ("archer", "scout")},
        {"roles_vary": True},
        {"obs_fields": SCHEMA.obs_fields[::-1]},
        {"obs_fields": (Field("own.x", "where", "metres"), SCHEMA.obs_fields[1])},
        {"state_fields": (SCHEMA.state_fields[0], Field("enemy_0.x", "where", "cells", scale=2.0))},
        {"action_names": ("stay", "hide")},
        {"episode_limit": 11},
    ],
)
def test_what_columns_mean_decides_the_layout(change: dict[str, object]) -> None:
    other = replace(SCHEMA, **change)  # type: ignore[arg-type]
    assert other.layout_hash != SCHEMA.layout_hash
    with pytest.raises(LayoutMismatchError, match="the file was made for"):
        SCHEMA.require_same_layout(other, "the file")


def test_wording_and_ranges_do_not() -> None:
    worded = replace(SCHEMA, name="chase", summary="Another text.", notes=("a note",))
    measured = worded.with_state_ranges(np.array([0, -5], np.float32), np.array([0, 5], np.float32))
    assert measured.layout_hash == SCHEMA.layout_hash
    measured.require_same_layout(SCHEMA, "the file")
    assert (measured.state_fields[0].low, measured.state_fields[0].high) == (0, 1)  # constant: unchanged
    assert (measured.state_fields[1].low, measured.state_fields[1].high) == (-5, 5)


def test_an_edited_or_future_schema_is_refused() -> None:
    value = SCHEMA.to_json()
    with pytest.raises(LayoutMismatchError, match="was edited"):
        TaskSchema.from_json({**value, "episode_limit": 99})
    with pytest.raises(LayoutMismatchError, match="version 2, this program reads 1"):
        TaskSchema.from_json({**value, "version": 2})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"roles": ()}, "has no agents"),
        ({"obs_fields": ()}, "has no observation fields"),
        ({"action_names": ("go", "go")}, "action names stand twice: go"),
        ({"episode_limit": 0}, "limit 0 is below 1"),
        ({"state_fields": SCHEMA.state_fields[1:]}, "present_if names 'enemy_0.alive', which does not exist"),
    ],
)
def test_a_schema_that_cannot_be(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SCHEMA, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "two words"}, "'two words' is not dotted identifiers"),
        ({"name": "x", "low": 1.0}, "low 1.0 is not below high 1.0"),
        ({"name": "x", "scale": 0.0}, "scale 0.0 is not above 0"),
    ],
)
def test_a_field_that_cannot_be(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Field(meaning="", **arguments)  # type: ignore[arg-type]
