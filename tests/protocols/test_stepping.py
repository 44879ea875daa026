"""Rollouts play the protocol that was scored: whatever its parts do, step by step equals whole episodes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buffers.schema import Field, TaskSchema
from generated_protocols.protocol import Protocol

N, WINDOW = 3, 4
SCHEMA = TaskSchema(
    "toy",
    "three agents on a line",
    ("scout", "roach", "roach"),
    (
        Field("enemy_0.relative_x", "x", low=-1),
        Field("enemy_1.relative_x", "x", low=-1),
        *(Field(f"ally_{slot}.relative_x", "x", low=-1) for slot in range(N - 1)),
        Field("own.health", "health", low=-1),
    ),
    (Field("enemy_0.x", "x", low=-1),),
    ("stay", "go"),
    12,
)
SENT = {
    "now": 'own["enemy_0.relative_x"]',
    "group": 'own.group("enemy_*.relative_x")',
    "bit": 'own["own.health"] > 0',
    "each": 'own.allies("relative_x")',
    "role": 'own.is_role("scout") * own["own.health"]',
    "mean": 'own.past("enemy_0.relative_x").mean(axis=1)',
    "first": 'own.past("enemy_*.relative_x")[:, 0]',
    "moves": 'own.past("last_action.*").sum(axis=1)',
    "age": "own.age",
    "who": "own.agent_id + own.n_agents",
    "rare": 'np.where(own["own.health"] > 0.8, own["own.health"], 0)',
}
KEPT = {
    "sum": 'inbox["{0}"].sum(axis=1)',
    "came": "inbox.delivered",
    "past": 'inbox.past("{0}").sum(axis=1).reshape(len(own.age), -1)',
    "oldest": 'inbox.past("{0}")[:, 0].sum(axis=1)',
    "mine": 'own.past("own.health").max(axis=1)',
    "age": "own.age",
}
parts = st.tuples(
    st.lists(st.sampled_from(sorted(SENT)), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from(sorted(KEPT)), max_size=3, unique=True),
)


def source_of(sent: list[str], kept: list[str]) -> str:
    lines = ["import numpy as np", "def send(own):", "    return {"]
    lines += [f"        {name!r}: {SENT[name]}," for name in sent]
    lines += ["    }"]
    if kept:
        lines += ["def receive(own, inbox):", "    return {"]
        lines += [f"        {name!r}: {KEPT[name].format(sent[0])}," for name in kept]
        lines += ["    }"]
    return "\n".join(lines)


@settings(max_examples=40, deadline=None)
@given(st.lists(parts, min_size=1, max_size=3), st.integers(0, 2**32 - 1), st.booleans())
def test_step_by_step_equals_whole_episodes_with_episodes_of_any_length(
    chosen: list[tuple[list[str], list[str]]], seed: int, lossy: bool
) -> None:
    rng = np.random.default_rng(seed)
    envs, steps = 3, 14
    protocol = Protocol.from_sources([source_of(*part) for part in chosen], SCHEMA, window=WINDOW)
    extended = rng.uniform(-1, 1, size=(envs, steps, N, SCHEMA.extended_dim)).astype(np.float32)
    alive = rng.random((envs, steps, N)) > 0.2
    delivered = rng.random((envs, steps, N, N)) > 0.3 if lossy else None
    begins = rng.random((envs, steps)) < 0.2
    begins[:, 0] = True
    stepper = protocol.stepper(envs)
    played = np.zeros((envs, steps, N, protocol.message_dim), dtype=np.float32)
    for t in range(steps):
        stepper.reset(begins[:, t])
        played[:, t] = stepper.step(extended[:, t], alive[:, t], None if delivered is None else delivered[:, t])
    for env in range(envs):
        starts = [*np.flatnonzero(begins[env]), steps]
        for first, last in pairwise(starts):
            episode = slice(env, env + 1), slice(first, last)
            whole = protocol.messages(
                extended[episode], alive[episode], delivered=None if delivered is None else delivered[episode]
            )
            np.testing.assert_allclose(played[episode], whole, atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(parts, st.integers(0, 2**32 - 1))
def test_an_empty_inbox_leaves_what_one_knows_oneself(part: tuple[list[str], list[str]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    protocol = Protocol.from_sources([source_of(*part)], SCHEMA, window=WINDOW)
    extended = rng.uniform(-1, 1, size=(2, 6, N, SCHEMA.extended_dim)).astype(np.float32)
    alive = np.ones((2, 6, N), dtype=bool)
    empty = protocol.messages(extended, alive, inbox="empty")
    others = extended.copy()
    others[:, :, 1:, : SCHEMA.obs_dim] += 1  # whatever others see
    np.testing.assert_array_equal(empty[:, :, 0], protocol.messages(others, alive, inbox="empty")[:, :, 0])
    nobody = np.zeros((2, 6, N, N), dtype=bool)
    np.testing.assert_array_equal(empty, protocol.messages(extended, alive, delivered=nobody))


def test_episodes_that_do_not_fit_one_chunk_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    protocol = Protocol.from_sources([source_of(["each", "mean"], ["past", "mine"])], SCHEMA, window=WINDOW)
    extended = rng.uniform(-1, 1, size=(7, 5, N, SCHEMA.extended_dim)).astype(np.float32)
    alive = rng.random((7, 5, N)) > 0.2
    at_once = protocol.messages(extended, alive), protocol.payloads(extended, alive)
    monkeypatch.setattr("generated_protocols.protocol.CHUNK_VALUES", 400)
    np.testing.assert_array_equal(protocol.messages(extended, alive), at_once[0])
    np.testing.assert_array_equal(protocol.payloads(extended, alive), at_once[1])
