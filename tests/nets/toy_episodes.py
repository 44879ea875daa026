"""A small task and random episodes of it, shared by the tests of the networks and the learner."""

from __future__ import annotations

import dataclasses

import numpy as np

from buffers.episodes import EpisodeBatch
from buffers.schema import Field, TaskSchema


def make_schema(n_agents: int = 3, obs_dim: int = 5, state_dim: int = 4, n_actions: int = 4) -> TaskSchema:
    return TaskSchema(
        name="toy",
        summary="a task that exists in tests alone",
        roles=("worker",) * n_agents,
        obs_fields=tuple(Field(f"own.o{i}", "a number", low=-3.0, high=3.0) for i in range(obs_dim)),
        state_fields=tuple(Field(f"world.s{i}", "a number", low=-2.0, high=4.0) for i in range(state_dim)),
        action_names=tuple(f"act_{i}" for i in range(n_actions)),
        episode_limit=20,
    )


def make_episodes(
    schema: TaskSchema, lengths: list[int], message_dim: int = 0, seed: int = 0, padded_to: int | None = None
) -> EpisodeBatch:
    """Random episodes that end at `lengths`: terminated where the length is odd, truncated where it is even."""
    rng = np.random.default_rng(seed)
    b, t, n = len(lengths), padded_to or max(lengths), schema.n_agents
    length = np.array(lengths)[:, None]
    filled = np.arange(t) < length
    observed = np.arange(t + 1) <= length
    last = np.arange(t) == length - 1
    alive = (rng.random((b, t + 1, n)) < 0.8) & observed[..., None]
    avail = rng.random((b, t + 1, n, schema.n_actions)) < 0.6
    avail[..., 1] |= ~avail.any(axis=-1)
    avail = avail & observed[..., None, None]
    avail[..., 0] |= ~observed[..., None]
    actions = (rng.random(avail.shape) * avail).argmax(axis=-1)[:, :t]

    def normal(*shape: int) -> np.ndarray:
        mask = observed.reshape(b, t + 1, *(1,) * len(shape))
        return (rng.normal(size=(b, t + 1, *shape)) * mask).astype(np.float32)

    return EpisodeBatch(
        obs=normal(n, schema.obs_dim),
        state=normal(schema.state_dim),
        actions=actions * filled[..., None],
        avail_actions=avail,
        alive=alive,
        rewards=(rng.normal(size=(b, t)) * filled).astype(np.float32),
        terminated=last & (length % 2 == 1),
        truncated=last & (length % 2 == 0),
        filled=filled,
        success=np.zeros(b, dtype=bool),
        messages=normal(n, message_dim) if message_dim else None,
    )


def poisoned(episodes: EpisodeBatch) -> EpisodeBatch:
    """The same episodes with NaN, true flags and an action of 3 wherever nothing was played."""
    filled = episodes.filled
    observed = np.concatenate([filled[:, :1], filled], axis=1)
    copied = {f.name: getattr(episodes, f.name) for f in dataclasses.fields(episodes)}
    copied = {name: None if array is None else array.copy() for name, array in copied.items()}
    for name in ("obs", "state", "messages"):
        if copied[name] is not None:
            copied[name][~observed] = np.nan
    copied["rewards"][~filled] = np.nan
    copied["actions"][~filled] = 3
    for name in ("terminated", "truncated"):
        copied[name][~filled] = True
    for name in ("alive", "avail_actions"):
        copied[name][~observed] = True
    return EpisodeBatch(**copied)
