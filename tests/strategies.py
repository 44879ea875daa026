"""Hypothesis strategies shared by the tests: task schemas and padded episode batches."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from buffers.episodes import EpisodeBatch
from buffers.schema import Field, TaskSchema

__all__ = ["episode_batches", "make_batch", "schemas"]


@st.composite
def schemas(draw: st.DrawFn) -> TaskSchema:
    """Small task schemas of every shape, widths of 1 included."""
    n_obs, n_state = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return TaskSchema(
        name="drawn",
        summary="a drawn task",
        roles=("agent",) * draw(st.integers(1, 3)),
        obs_fields=tuple(Field(f"thing_{k}.x", "a place", low=-1) for k in range(n_obs)),
        state_fields=tuple(Field(f"thing_{k}.x", "a place", low=-1) for k in range(n_state)),
        action_names=tuple(f"act_{k}" for k in range(draw(st.integers(1, 5)))),
        episode_limit=draw(st.integers(1, 6)),
    )


def make_batch(
    schema: TaskSchema, lengths: list[int], rng: np.random.Generator, message_dim: int = 0, padding: float = 0.0
) -> EpisodeBatch:
    """Random episodes of `lengths`, padded to the limit; float padding holds `padding`."""
    b, t, n = len(lengths), schema.episode_limit, schema.n_agents
    steps = np.arange(t + 1)
    entries = steps <= np.array(lengths)[:, None]
    filled = entries[:, 1:]

    def floats(places: np.ndarray, *shape: int) -> np.ndarray:
        values = rng.standard_normal((*places.shape, *shape)).astype(np.float32)
        values[~places] = padding
        return values

    def bools(places: np.ndarray, *shape: int) -> np.ndarray:
        return (rng.random((*places.shape, *shape)) < 0.5) & places.reshape(*places.shape, *(1 for _ in shape))

    avail = bools(entries, n, schema.n_actions)
    avail[..., 0] = True
    last = filled & ~np.pad(filled[:, 1:], ((0, 0), (0, 1)))
    success = rng.random(b) < 0.5
    return EpisodeBatch(
        obs=floats(entries, n, schema.obs_dim),
        state=floats(entries, schema.state_dim),
        actions=rng.integers(0, schema.n_actions, (b, t, n)) * filled[..., None],
        avail_actions=avail,
        alive=bools(entries, n),
        rewards=floats(filled),
        terminated=last & success[:, None],
        truncated=last & ~success[:, None],
        filled=filled,
        success=success,
        messages=floats(entries, n, message_dim) if message_dim else None,
    )


@st.composite
def episode_batches(draw: st.DrawFn, schema: TaskSchema, message_dim: int = 0, max_episodes: int = 6) -> EpisodeBatch:
    """Batches of one or more episodes, each of one step or more."""
    lengths = draw(st.lists(st.integers(1, schema.episode_limit), min_size=1, max_size=max_episodes))
    return make_batch(schema, lengths, np.random.default_rng(draw(st.integers(0, 2**32))), message_dim)
