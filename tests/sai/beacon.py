"""A beacon stands somewhere on a line; agent 0 sees it once, at the first step, and agents 1 and 2 never do."""

from __future__ import annotations

import numpy as np

from buffers.schema import TaskSchema
from sai import Episodes, MessageSet

__all__ = ["STEPS", "play", "tell"]

STEPS = 8


def play(schema: TaskSchema, count: int, seed: int, padding: float = 0.0) -> Episodes:
    """Episodes of 4 to 8 steps; what is after their end, or belongs to the dead, holds `padding`."""
    rng = np.random.default_rng(seed)
    n = schema.n_agents
    place = rng.uniform(-1, 1, count).astype(np.float32)
    lit = (rng.random((count, STEPS)) < 0.9).astype(np.float32)
    own = rng.uniform(-1, 1, (count, STEPS, n)).astype(np.float32)
    extended = np.zeros((count, STEPS, n, schema.extended_dim), dtype=np.float32)
    extended[:, 0, 0, schema.extended_index("beacon.x")] = place
    extended[..., schema.extended_index("own.x")] = own
    for agent in range(n):
        extended[:, :, agent, schema.extended_index(f"agent_id.agent_{agent}")] = 1
    state = np.zeros((count, STEPS, schema.state_dim), dtype=np.float32)
    state[..., 0] = place[:, None] * lit
    state[..., 1] = lit
    state[..., 2] = place[:, None] > 0
    state[..., 3] = 0.5
    state[..., 4] = own[:, :, 1]
    filled = np.arange(STEPS) < rng.integers(4, STEPS + 1, count)[:, None]
    valid = np.repeat(filled[..., None], n, axis=2)
    valid[:, 5:, 2] &= rng.random((count, 1)) < 0.5
    extended[~valid] = padding
    state[~filled] = padding
    return Episodes(extended, state, valid)


def tell(schema: TaskSchema, episodes: Episodes, padding: float = 0.0) -> MessageSet:
    """Agent 0 tells the others every step where the beacon is."""
    full = np.zeros((*episodes.valid.shape, 1), dtype=np.float32)
    full[:, :, 1:, 0] = episodes.extended[:, 0, 0, schema.extended_index("beacon.x")][:, None, None]
    full[~episodes.valid] = padding
    empty = np.zeros_like(full)
    empty[~episodes.valid] = padding
    return MessageSet(full, empty)
