"""Episodes as tensors: trimmed, time first in memory, and padding that is zero whatever it held."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from toy_episodes import make_episodes, make_schema, poisoned

from marl_runtime.networks import TensorBatch
from marl_runtime.networks.batch import by_episode, by_row, masked_mean

SCHEMA = make_schema()


def test_what_was_played_is_kept_and_the_rest_is_cut_or_cleared() -> None:
    episodes = make_episodes(SCHEMA, [2, 4], message_dim=3, padded_to=9)
    batch = TensorBatch.from_episodes(episodes, SCHEMA)
    assert batch.extended.shape == (2, 5, 3, SCHEMA.extended_dim)
    np.testing.assert_array_equal(batch.extended[1, :, :, :5], episodes.obs[1, :5])
    np.testing.assert_array_equal(batch.state[0, :3], episodes.state[0, :3])
    assert not batch.extended[0, 3:].any()
    assert not batch.state[0, 3:].any()
    assert batch.messages is not None
    assert not batch.messages[0, 3:].any()
    assert batch.avail_actions[0, 3:].sum(dim=-1).eq(1).all()
    assert batch.avail_actions[0, 3:, :, 0].all()
    # the last action of t = 1 is what was played at t = 0
    last = batch.extended[1, 1, :, 5:9].argmax(dim=-1)
    np.testing.assert_array_equal(last, episodes.actions[1, 0])


def test_poisoned_padding_gives_the_same_tensors() -> None:
    episodes = make_episodes(SCHEMA, [3, 5, 1], message_dim=2, padded_to=8)
    clean = TensorBatch.from_episodes(episodes, SCHEMA)
    dirty = TensorBatch.from_episodes(poisoned(episodes), SCHEMA)
    for field in dataclasses.fields(TensorBatch):
        assert torch.equal(getattr(clean, field.name), getattr(dirty, field.name)), field.name


def test_receivers_live_at_a_step_that_was_played() -> None:
    episodes = make_episodes(SCHEMA, [2, 3])
    batch = TensorBatch.from_episodes(dataclasses.replace(episodes, alive=np.ones_like(episodes.alive)), SCHEMA)
    assert batch.receivers[0].all(dim=-1).tolist() == [True, True, False]
    assert batch.receivers[1].all()


def test_an_agent_without_any_action_is_refused_with_its_place() -> None:
    episodes = make_episodes(SCHEMA, [3])
    episodes.avail_actions[0, 2, 1] = False
    with pytest.raises(ValueError, match="episode 0, step 2: agent 1 has no available action"):
        TensorBatch.from_episodes(episodes, SCHEMA)


def test_rows_come_back_as_episodes() -> None:
    x = torch.randn(4, 5, 3, 2)
    rows = by_row(x)
    assert rows.shape == (5, 12, 2)
    assert torch.equal(rows[2, 1 * 3 + 2], x[1, 2, 2])
    assert torch.equal(by_episode(rows, 3), x)


def test_a_batch_is_laid_out_for_recurrences_without_a_copy() -> None:
    batch = TensorBatch.from_episodes(make_episodes(SCHEMA, [4, 4]), SCHEMA)
    assert by_row(batch.extended).data_ptr() == batch.extended.data_ptr()


def test_masked_mean_by_hand() -> None:
    values = torch.tensor([[1.0, 2.0], [6.0, 100.0]])
    assert masked_mean(values, torch.tensor([[True, True], [True, False]])).item() == 3.0
    assert masked_mean(values, torch.zeros(2, 2, dtype=torch.bool)).item() == 0.0
