"""Padded episodes, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buffers.episodes import EpisodeBatch, episode_bytes, extend_observations
from buffers.schema import Field, TaskSchema
from tests.strategies import episode_batches, make_batch, schemas

SCHEMA = TaskSchema("pair", "", ("a", "b"), (Field("x.x", ""),), (Field("s.s", ""),), ("stay", "go", "run"), 3)


def test_the_extended_observation_by_hand() -> None:
    batch = make_batch(SCHEMA, [2], np.random.default_rng(0))
    batch.obs[0, :, :, 0] = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0, 0]]
    batch.actions[0] = [[2, 0], [1, 2], [0, 0]]
    extended = batch.extended_obs(SCHEMA)
    assert extended.shape == (1, 4, 2, 1 + 3 + 2)
    expected = [
        [[0.1, 0, 0, 0, 1, 0], [0.2, 0, 0, 0, 0, 1]],  # no last action yet
        [[0.3, 0, 0, 1, 1, 0], [0.4, 1, 0, 0, 0, 1]],
        [[0.5, 0, 1, 0, 1, 0], [0.6, 0, 0, 1, 0, 1]],  # the entry after the last step has one too
        [[0.0, 0, 0, 0, 1, 0], [0.0, 0, 0, 0, 0, 1]],  # padding
    ]
    np.testing.assert_allclose(extended[0], expected, atol=1e-7)


def test_lengths_returns_and_trimming_by_hand() -> None:
    batch = make_batch(SCHEMA, [1, 2], np.random.default_rng(0))
    batch.rewards[:] = [[5, 100, 100], [1, 2, 100]]  # what lies in the padding does not count
    assert batch.lengths.tolist() == [1, 2]
    assert batch.returns.tolist() == [5, 3]
    trimmed = batch.trimmed()
    assert trimmed.n_steps == 2
    assert trimmed.obs.shape[1] == 3
    assert batch.select([0]).trimmed().n_steps == 1


@given(schemas().flatmap(lambda s: st.tuples(st.just(s), st.integers(0, 3).flatmap(lambda m: episode_batches(s, m)))))
def test_trimming_keeps_every_played_step(case: tuple[TaskSchema, EpisodeBatch]) -> None:
    schema, batch = case
    trimmed = batch.trimmed()
    assert trimmed.n_steps == batch.lengths.max()
    np.testing.assert_array_equal(trimmed.lengths, batch.lengths)
    np.testing.assert_array_equal(trimmed.returns, batch.returns)
    t1 = trimmed.n_steps + 1
    np.testing.assert_array_equal(trimmed.extended_obs(schema), batch.extended_obs(schema)[:, :t1])


@given(schemas(), st.integers(0, 5))
def test_the_size_computed_is_the_size_taken(schema: TaskSchema, message_dim: int) -> None:
    batch = make_batch(schema, [1, 1], np.random.default_rng(0), message_dim)
    arrays = [getattr(batch, name) for name in EpisodeBatch.__dataclass_fields__]
    assert sum(a.nbytes for a in arrays if a is not None) == 2 * episode_bytes(schema, message_dim)


def test_a_wrong_shape_is_named() -> None:
    batch = make_batch(SCHEMA, [1, 2], np.random.default_rng(0))
    fields = {name: getattr(batch, name) for name in EpisodeBatch.__dataclass_fields__}
    with pytest.raises(ValueError, match=r"rewards has shape \(2, 2\), expected \(2, 3\)"):
        EpisodeBatch(**{**fields, "rewards": fields["rewards"][:, :2]})
    with pytest.raises(ValueError, match=r"alive has shape \(2, 3, 2\), expected \(2, 4, 2\)"):
        EpisodeBatch(**{**fields, "alive": fields["alive"][:, 1:]})


def test_ids_and_last_actions_follow_the_observation() -> None:
    obs, last = np.full((5, 2, 4), 7, dtype=np.float32), np.full((5, 2, 3), 8, dtype=np.float32)
    extended = extend_observations(obs, last)
    assert extended.shape == (5, 2, 9)
    assert (extended[..., :4] == 7).all()
    assert (extended[..., 4:7] == 8).all()
    np.testing.assert_array_equal(extended[3, :, 7:], np.eye(2))
