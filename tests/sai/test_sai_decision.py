"""A part stays when it tells something, and not when it only seems to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from beacon import play, tell

from buffers.schema import TaskSchema
from sai import Episodes, MessageSet, SaiConfig, control_messages, decide_part

Pair = tuple[MessageSet, MessageSet]


def beside(before: MessageSet, part: MessageSet) -> MessageSet:
    return MessageSet(
        np.concatenate([before.full, part.full], axis=-1), np.concatenate([before.empty, part.empty], axis=-1)
    )


def test_a_part_that_tells_is_kept(
    schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig
) -> None:
    decision = decide_part(schema, fit, select, None, told, config)
    assert decision.keep
    assert decision.gain.low > 0.1
    assert abs(decision.best_shuffled) < 0.1


@pytest.mark.parametrize("kind", ["zero", "random", "own"])
def test_a_part_that_tells_nothing_is_not(
    kind: str, schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig
) -> None:
    splits = ((fit, told[0], 0), (select, told[1], 1))
    part_fit, part_select = (control_messages(kind, *split) for split in splits)  # type: ignore[arg-type]
    decision = decide_part(schema, fit, select, None, (part_fit, part_select), config)
    assert not decision.keep
    assert decision.gain.mean < 0.05


def test_saying_again_what_was_said_is_not_kept(
    schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig
) -> None:
    again = (beside(told[0], told[0]), beside(told[1], told[1]))
    decision = decide_part(schema, fit, select, told, again, config)
    assert not decision.keep
    assert "gain in success" in decision.reason


def test_padding_may_hold_anything(schema: TaskSchema, config: SaiConfig) -> None:
    small = replace(config, decision_updates=20, decision_shuffles=1)
    decisions = []
    for padding in (0.0, np.nan):
        fit, test = play(schema, 100, 1, padding), play(schema, 60, 2, padding)
        pair = (tell(schema, fit, padding), tell(schema, test, padding))
        decisions.append(decide_part(schema, fit, test, None, pair, small))
    assert decisions[0] == decisions[1]


def test_nothing_to_score_keeps_nothing(
    schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig
) -> None:
    decision = decide_part(schema, fit, select, None, told, config, fields=[schema.state_index("world.size")])
    assert (decision.keep, decision.reason) == (False, "no state field can be scored")
