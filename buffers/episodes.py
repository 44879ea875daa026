"""Whole episodes as padded arrays.

Axes: B episodes, T timesteps, N agents, O observation, S state, A actions, M message; D = O + A + N is the extended
observation.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from buffers.schema import TaskSchema

__all__ = ["BoolArray", "EpisodeBatch", "Float32Array", "IntArray", "episode_bytes", "extend_observations"]

Float32Array = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class EpisodeBatch:
    """B episodes padded to T steps. Observations, states, masks and messages have one entry more: after the last step.

    `filled[b, t]` says that step t was played; padding is zero. `avail_actions` of padding allow action 0 alone.
    `truncated` marks a step cut by the time limit; `terminated` one that ended the task itself; never both.
    `success` is what the task calls success (`battle_won`), never a threshold on the return.
    """

    obs: Float32Array  # [B, T+1, N, O]
    state: Float32Array  # [B, T+1, S]
    actions: IntArray  # [B, T, N]
    avail_actions: BoolArray  # [B, T+1, N, A]
    alive: BoolArray  # [B, T+1, N]
    rewards: Float32Array  # [B, T]
    terminated: BoolArray  # [B, T]
    truncated: BoolArray  # [B, T]
    filled: BoolArray  # [B, T]
    success: BoolArray  # [B]
    messages: Float32Array | None = None  # [B, T+1, N, M], where a protocol ran

    def __post_init__(self) -> None:
        b, t1, n, _ = self.obs.shape
        t = t1 - 1
        expected: dict[str, tuple[int, ...]] = {
            "state": (b, t1),
            "actions": (b, t, n),
            "avail_actions": (b, t1, n),
            "alive": (b, t1, n),
            "rewards": (b, t),
            "terminated": (b, t),
            "truncated": (b, t),
            "filled": (b, t),
            "success": (b,),
            "messages": (b, t1, n),
        }
        for name, shape in expected.items():
            array = getattr(self, name)
            if array is not None and array.shape[: len(shape)] != shape:
                raise ValueError(f"{name} has shape {array.shape}, expected {shape} first (obs is {self.obs.shape})")

    @property
    def n_episodes(self) -> int:
        """B."""
        return self.obs.shape[0]

    @property
    def n_steps(self) -> int:
        """T, the padded length."""
        return self.actions.shape[1]

    @property
    def lengths(self) -> IntArray:
        """Steps played per episode, `[B]`."""
        return self.filled.sum(axis=1).astype(np.int64)

    @property
    def returns(self) -> Float32Array:
        """Undiscounted return per episode, `[B]`."""
        return (self.rewards * self.filled).sum(axis=1).astype(np.float32)

    def select(self, index: Any) -> EpisodeBatch:
        """Return the episodes at `index` (anything NumPy indexes the first axis with), untrimmed."""
        picked: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        picked = {name: None if array is None else array[index] for name, array in picked.items()}
        return EpisodeBatch(**picked)

    def trimmed(self) -> EpisodeBatch:
        """Return the batch cut to its longest filled length, at least one step."""
        t = max(1, int(self.lengths.max(initial=1)))
        cut: dict[str, Any] = {}
        for f in fields(self):
            array = getattr(self, f.name)
            if array is None or f.name == "success":
                cut[f.name] = array
            else:
                cut[f.name] = array[:, : t + 1 if f.name in _ONE_MORE else t]
        return EpisodeBatch(**cut)

    def extended_obs(self, schema: TaskSchema) -> Float32Array:
        """Return the extended observation `[B, T+1, N, D]`: observation, last action one-hot, agent id one-hot."""
        b, t1, n, _ = self.obs.shape
        last = np.zeros((b, t1, n, schema.n_actions), dtype=np.float32)
        played = np.eye(schema.n_actions, dtype=np.float32)[self.actions]
        last[:, 1:] = played * self.filled[..., None, None]
        return extend_observations(self.obs, last)


_ONE_MORE = {"obs", "state", "avail_actions", "alive", "messages"}


def extend_observations(obs: Float32Array, last_actions: Float32Array) -> Float32Array:
    """Append last-action one-hots `[..., N, A]` (zeros at t = 0) and agent-id one-hots to `obs` `[..., N, O]`."""
    n = obs.shape[-2]
    ids = np.broadcast_to(np.eye(n, dtype=np.float32), (*obs.shape[:-1], n))
    return np.concatenate([obs, last_actions, ids], axis=-1)


def episode_bytes(schema: TaskSchema, message_dim: int = 0) -> int:
    """Return the bytes that one padded episode takes in memory as an `EpisodeBatch`, messages included."""
    n, t = schema.n_agents, schema.episode_limit
    per_entry = 4 * (n * (schema.obs_dim + message_dim) + schema.state_dim) + n * schema.n_actions + n
    per_step = 8 * n + 4 + 3
    return (t + 1) * per_entry + t * per_step + 1
