"""The ring: what goes in comes out, slot for slot, also after a restart."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buffers.episodes import EpisodeBatch
from buffers.errors import LayoutMismatchError
from buffers.packing import concatenate, pack, unpack
from buffers.replay import ReplayBuffer
from buffers.schema import TaskSchema
from tests.strategies import episode_batches, make_batch, schemas


def assert_same(a: EpisodeBatch, b: EpisodeBatch) -> None:
    for f in fields(EpisodeBatch):
        mine, theirs = getattr(a, f.name), getattr(b, f.name)
        assert (mine is None) == (theirs is None), f.name
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs, err_msg=f.name)
            assert mine.dtype == theirs.dtype, f.name


@st.composite
def ring_cases(draw: st.DrawFn) -> tuple[TaskSchema, int, int, list[EpisodeBatch]]:
    schema, message_dim = draw(schemas()), draw(st.integers(0, 2))
    capacity = draw(st.integers(1, 8))
    one = episode_batches(schema, message_dim, max_episodes=capacity)
    return schema, message_dim, capacity, draw(st.lists(one, min_size=1, max_size=6))


@given(ring_cases())
@settings(max_examples=60, deadline=None)
def test_the_ring_holds_the_last_episodes_unchanged(case: tuple[TaskSchema, int, int, list[EpisodeBatch]]) -> None:
    schema, message_dim, capacity, batches = case
    buffer = ReplayBuffer(schema, capacity, message_dim)
    for batch in batches:
        buffer.add(batch)
    everything = concatenate(batches)
    assert buffer.added == everything.n_episodes
    assert len(buffer) == min(capacity, everything.n_episodes)
    assert_same(buffer.since(0), everything.select(slice(-len(buffer), None)).trimmed())


@given(ring_cases(), st.data())
@settings(max_examples=60, deadline=None)
def test_segments_restore_every_slot(
    case: tuple[TaskSchema, int, int, list[EpisodeBatch]], data: st.DataObject
) -> None:
    schema, message_dim, capacity, batches = case
    buffer, segments, written = ReplayBuffer(schema, capacity, message_dim), [], 0
    for batch in batches:
        buffer.add(batch)
        if data.draw(st.booleans()):
            first = max(written, buffer.added - len(buffer))
            segments.append((first, pack(buffer.since(first), schema)))
            written = buffer.added
    if written < buffer.added:
        first = max(written, buffer.added - len(buffer))
        segments.append((first, pack(buffer.since(first), schema)))
    # what a checkpoint keeps: segments with an episode that is still in the ring
    kept = [(f, p) for f, p in segments if f + len(p["lengths"]) > buffer.added - len(buffer)]
    unpacked = [(f, unpack(p, schema, schema.episode_limit)) for f, p in kept]
    again = ReplayBuffer.restored(schema, capacity, message_dim, unpacked)
    assert again.added == buffer.added
    size = len(buffer)
    assert_same(buffer.sample(np.random.default_rng(3), size), again.sample(np.random.default_rng(3), size))


@given(schemas().flatmap(lambda schema: st.tuples(st.just(schema), episode_batches(schema, 2))), st.data())
@settings(max_examples=60, deadline=None)
def test_packing_keeps_played_steps_and_drops_padding(
    case: tuple[TaskSchema, EpisodeBatch], data: st.DataObject
) -> None:
    schema, batch = case
    packed = pack(batch, schema)
    assert len(packed["rewards"]) == batch.filled.sum()
    assert len(packed["obs"]) == batch.filled.sum() + batch.n_episodes
    assert_same(unpack(packed, schema, schema.episode_limit), batch)
    index = np.array(data.draw(st.lists(st.integers(0, batch.n_episodes - 1), max_size=4)), dtype=np.int64)
    assert_same(unpack(packed, schema, schema.episode_limit, index), batch.select(index))


def small_schema(limit: int = 5) -> TaskSchema:
    from buffers.schema import Field

    return TaskSchema(
        "small",
        "",
        ("a", "b"),
        (Field("x.x", ""), Field("y.y", "")),
        (Field("x.x", ""),),
        ("stay", "go", "run"),
        limit,
    )


def test_sampling_is_uniform_without_repeats_and_cut_to_the_longest() -> None:
    schema, rng = small_schema(), np.random.default_rng(0)
    buffer = ReplayBuffer(schema, 4)
    batch = make_batch(schema, [1, 2, 2, 3], rng)
    batch.rewards[:, 0] = [10, 20, 30, 40]
    buffer.add(batch)
    counts = {10.0: 0, 20.0: 0, 30.0: 0, 40.0: 0}
    for _ in range(2000):
        drawn = buffer.sample(rng, 2)
        first = drawn.rewards[:, 0].tolist()
        assert first[0] != first[1]
        assert drawn.n_steps == drawn.lengths.max()
        for reward in first:
            counts[reward] += 1
    # each is drawn with probability 1/2: 1,000 of 2,000, standard deviation 22
    assert all(abs(count - 1000) < 110 for count in counts.values()), counts


def test_a_slot_used_again_shows_nothing_of_the_longer_episode_before() -> None:
    schema, rng = small_schema(), np.random.default_rng(1)
    buffer = ReplayBuffer(schema, 2)
    buffer.add(make_batch(schema, [5, 5], rng))
    short = make_batch(schema, [2, 5], rng).select(slice(0, 1)).trimmed()
    buffer.add(short)
    held = buffer.since(0)
    assert held.lengths.tolist() == [5, 2]
    assert not held.obs[1, 3:].any()
    assert held.avail_actions[1, 3:].sum(axis=-1).max() == 1
    assert held.avail_actions[1, 3:, :, 0].all()


def test_what_does_not_fit_is_refused() -> None:
    schema, rng = small_schema(), np.random.default_rng(2)
    buffer = ReplayBuffer(schema, 3)
    with pytest.raises(LayoutMismatchError, match="message width 2"):
        buffer.add(make_batch(schema, [1], rng, message_dim=2))
    with pytest.raises(ValueError, match="4 episodes at once into a replay buffer of 3"):
        buffer.add(make_batch(schema, [1, 1, 1, 1], rng))
    buffer.add(make_batch(schema, [1], rng))
    with pytest.raises(ValueError, match="2 different episodes from 1"):
        buffer.sample(rng, 2)
    with pytest.raises(ValueError, match="0 episodes"):
        ReplayBuffer(schema, 0)
