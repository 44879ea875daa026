"""What a card says about a hidden beacon that one agent saw, with and without being told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from beacon import play, tell

from buffers.errors import UnknownNameError
from buffers.schema import TaskSchema
from sai import Control, Episodes, MessageSet, SaiConfig, Scorecard, control_messages, paired_difference, score

Pair = tuple[MessageSet, MessageSet]
NO_GAIN = 0.02
"""Far under what the beacon gives (about 0.29), above what the order of batches does to 200 episodes."""


@pytest.fixture(scope="module")
def card(schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig) -> Scorecard:
    return score(schema, fit, select, *told, config)


@pytest.fixture(scope="module")
def silent(schema: TaskSchema, fit: Episodes, select: Episodes, config: SaiConfig) -> Scorecard:
    return score(schema, fit, select, None, None, config)


def cell(card: Scorecard, agent: int, field: str) -> pd.Series:
    return card.table.set_index(["agent", "field"]).loc[(agent, field)]


def test_who_is_told_knows_and_who_is_not_does_not(card: Scorecard) -> None:
    for agent in (1, 2):
        known = cell(card, agent, "beacon.x")
        assert known.success_full > 0.85
        # 2 map units of 20 on either side: a constant in the middle is right a fifth of the time
        assert known.success_empty == pytest.approx(0.2, abs=0.08)
        assert known.skill_full > 0.9
        assert abs(known.r2_empty) < 0.1
        assert cell(card, agent, "beacon.red").success_full > 0.9
        assert cell(card, agent, "beacon.red").success_empty == pytest.approx(0.5, abs=0.08)
    assert card.gain.low > 0.1
    assert card.skill_gain.low > 0.1


def test_a_rows_error_bar_is_the_interval_of_that_cell_alone(card: Scorecard) -> None:
    known = card.estimates["success_full"]
    for place, name in enumerate(known.cells):
        agent, field = name.removeprefix("agent_").split("/")
        row = cell(card, int(agent), field)
        seeds, episodes = known.per_seed[:, place], known.per_episode[:, place].astype(float)
        variance = (episodes**2).sum() * len(episodes) / (len(episodes) - 1) + seeds.var(ddof=1) / len(seeds)
        assert row.success_full == pytest.approx(seeds.mean())
        assert row.success_full_ci == pytest.approx(1.959964 * variance**0.5, rel=1e-4)
    assert 0 < cell(card, 1, "beacon.x").success_empty_ci < 0.1


def test_the_typical_error_is_in_the_fields_own_unit(schema: TaskSchema, card: Scorecard) -> None:
    """`skill` is one less the ratio of squared errors, so the two error columns stand in the same ratio."""
    row = cell(card, 1, "beacon.x")
    ratio = (1 - row.skill_full) / (1 - row.skill_empty)
    assert (row.rmse_full / row.rmse_empty) ** 2 == pytest.approx(ratio)
    # unseen, it is anywhere on 20 map units, or 0 when unlit
    assert 4 < row.rmse_empty < 7


def test_what_cannot_be_scored_is_named(card: Scorecard) -> None:
    assert cell(card, 0, "world.size").reason == "constant"
    assert "headroom" in cell(card, 1, "agent_1.x").reason
    assert not cell(card, 1, "agent_1.x").scored
    assert cell(card, 0, "agent_1.x").scored
    assert "world.size" not in card.summary()["scored"]


def test_a_card_of_no_protocol_has_no_gain_and_the_same_cells_can_be_paired(card: Scorecard, silent: Scorecard) -> None:
    assert (silent.gain.mean, silent.gain.low, silent.gain.high) == (0, 0, 0)
    assert silent.message_dim == 0
    assert paired_difference(card, silent).low > 0.1
    same = paired_difference(card, card)
    assert (same.mean, same.low, same.high) == (0, 0, 0)


@pytest.mark.parametrize("kind", ["zero", "shuffled", "random", "own"])
def test_messages_that_tell_nothing_score_no_gain(
    kind: Control, schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig
) -> None:
    pair = [control_messages(kind, e, m, seed) for seed, (e, m) in enumerate(zip((fit, select), told, strict=True))]
    found = score(schema, fit, select, *pair, replace(config, decoder_seeds=1))
    assert found.gain.low <= 0 or found.gain.mean < NO_GAIN
    assert found.skill_gain.low <= 0 or found.skill_gain.mean < NO_GAIN


def test_shuffled_messages_come_from_another_episode(fit: Episodes, told: Pair) -> None:
    shuffled = control_messages("shuffled", fit, told[0], 0)
    both = fit.valid & (shuffled.full[..., 0] != 0)
    both[:, :, 0] = False
    assert both.sum() > 1000
    assert not (shuffled.full[..., 0] == told[0].full[..., 0])[both].any()


def test_an_unknown_control_names_the_known(fit: Episodes, told: Pair) -> None:
    with pytest.raises(UnknownNameError, match="shuffled"):
        control_messages("shufled", fit, told[0], 0)  # type: ignore[arg-type]


def test_padding_may_hold_anything(schema: TaskSchema, config: SaiConfig) -> None:
    small = replace(config, updates=20, decoder_seeds=1)
    cards = []
    for padding in (0.0, np.nan):
        fit, test = play(schema, 100, 1, padding), play(schema, 60, 2, padding)
        cards.append(score(schema, fit, test, tell(schema, fit, padding), tell(schema, test, padding), small))
    pd.testing.assert_frame_equal(cards[0].table, cards[1].table)
    pd.testing.assert_frame_equal(cards[0].imbalance, cards[1].imbalance)


def test_the_same_seed_gives_the_same_card(schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair) -> None:
    small = SaiConfig(updates=20, decoder_seeds=1, cpu_seconds=600.0)
    one, two = (score(schema, fit, select, *told, small) for _ in range(2))
    other = score(schema, fit, select, *told, replace(small, seed=1))
    pd.testing.assert_frame_equal(one.table, two.table)
    assert not one.table.success_full.equals(other.table.success_full)


def test_a_time_budget_that_is_hit_is_reported(schema: TaskSchema, fit: Episodes, select: Episodes) -> None:
    found = score(schema, fit, select, None, None, SaiConfig(cpu_seconds=1e-6, decoder_seeds=1))
    assert found.stopped == ("time",)


def test_separate_decoders_say_the_same(
    schema: TaskSchema, fit: Episodes, select: Episodes, told: Pair, config: SaiConfig
) -> None:
    found = score(schema, fit, select, *told, replace(config, updates=60, separate_decoders=True, decoder_seeds=1))
    assert len(found.stopped) == 3
    assert found.gain.low > 0.1


def test_a_card_survives_json_and_csv(card: Scorecard, silent: Scorecard, tmp_path) -> None:
    again = Scorecard.from_json(json.loads(json.dumps(card.to_json(), allow_nan=False)))
    pd.testing.assert_frame_equal(again.table, card.table, check_dtype=False)
    pd.testing.assert_frame_equal(again.parts, card.parts)
    assert again.gain.mean == pytest.approx(card.gain.mean)
    assert paired_difference(again, silent).low == pytest.approx(paired_difference(card, silent).low, abs=1e-4)
    assert again.summary()["scored"] == card.summary()["scored"]
    card.save_csv(tmp_path)
    assert len(pd.read_csv(tmp_path / "table.csv")) == len(card.table)
    assert set(pd.read_csv(tmp_path / "parts.csv").part) == {0, 1, 2, 3, 4}


def test_agents_that_know_unequally_are_told_apart(card: Scorecard) -> None:
    by_field = card.imbalance.set_index("field")
    # without messages agent 0 alone knows: variance of about (0.9, 0.2, 0.2) is 0.11
    assert by_field.spread_empty["beacon.x"] > 0.5
    assert by_field.variance_empty["beacon.x"] > 0.06
    assert by_field.variance_full["beacon.x"] < 0.02


def test_only_the_fields_asked_for_are_looked_at(schema: TaskSchema, fit: Episodes, select: Episodes) -> None:
    found = score(schema, fit, select, None, None, SaiConfig(updates=20, decoder_seeds=1), fields=[0, 4])
    assert set(found.table.field) == {"beacon.x", "agent_1.x"}
