"""The learner's replay buffer: a ring of whole episodes in memory."""

from __future__ import annotations

import numpy as np

from buffers.episodes import EpisodeBatch
from buffers.packing import action_dtype, require_schema
from buffers.schema import TaskSchema

__all__ = ["ReplayBuffer"]

_ENTRIES = ("obs", "state", "avail_actions", "alive", "messages")
_STEPS = ("actions", "rewards", "terminated", "truncated")


class ReplayBuffer:
    """The last `capacity` episodes, sampled uniformly.

    Episodes are numbered in the order in which they were added; number k lies in slot k mod capacity. So the episodes
    since a number are an immutable segment, and a checkpoint writes only the segment since the checkpoint before it.
    """

    def __init__(self, schema: TaskSchema, capacity: int, message_dim: int = 0) -> None:
        if capacity < 1:
            raise ValueError(f"a replay buffer of {capacity} episodes holds nothing")
        self.schema = schema
        self.capacity = capacity
        self.message_dim = message_dim
        self.added = 0
        c, t, n = capacity, schema.episode_limit, schema.n_agents
        # np.zeros commits pages only when they are written, so an unfilled ring costs what it holds
        self._arrays = {
            "obs": np.zeros((c, t + 1, n, schema.obs_dim), dtype=np.float32),
            "state": np.zeros((c, t + 1, schema.state_dim), dtype=np.float32),
            "avail_actions": np.zeros((c, t + 1, n, schema.n_actions), dtype=bool),
            "alive": np.zeros((c, t + 1, n), dtype=bool),
            "actions": np.zeros((c, t, n), dtype=action_dtype(schema.n_actions)),
            "rewards": np.zeros((c, t), dtype=np.float32),
            "terminated": np.zeros((c, t), dtype=bool),
            "truncated": np.zeros((c, t), dtype=bool),
        }
        if message_dim:
            self._arrays["messages"] = np.zeros((c, t + 1, n, message_dim), dtype=np.float32)
        self._success = np.zeros(c, dtype=bool)
        self._lengths = np.zeros(c, dtype=np.int64)

    def __len__(self) -> int:
        """Episodes held."""
        return min(self.added, self.capacity)

    def add(self, batch: EpisodeBatch) -> None:
        """Add the episodes of `batch`, overwriting the oldest; another layout raises `LayoutMismatchError`."""
        require_schema(batch, self.schema, self.message_dim, "a replay buffer")
        if batch.n_episodes > self.capacity:
            raise ValueError(f"{batch.n_episodes} episodes at once into a replay buffer of {self.capacity}")
        slots = (self.added + np.arange(batch.n_episodes)) % self.capacity
        for name, array in self._arrays.items():
            new = getattr(batch, name)
            array[slots, : new.shape[1]] = new
            # a slot is used again: what was longer before must not show
            array[slots, new.shape[1] :] = 0
        self._arrays["avail_actions"][slots, batch.n_steps + 1 :, :, 0] = True
        self._success[slots] = batch.success
        self._lengths[slots] = batch.lengths
        self.added += batch.n_episodes

    def sample(self, rng: np.random.Generator, batch_size: int) -> EpisodeBatch:
        """Return `batch_size` different episodes, uniformly drawn, cut to the longest of them."""
        if batch_size > len(self):
            raise ValueError(f"cannot sample {batch_size} different episodes from {len(self)}")
        return self._take(rng.choice(len(self), size=batch_size, replace=False))

    def since(self, number: int) -> EpisodeBatch:
        """Return the episodes numbered `number` and above that are still held, oldest first; none is an empty batch."""
        first = max(number, self.added - self.capacity, 0)
        return self._take(np.arange(first, self.added) % self.capacity)

    @classmethod
    def restored(
        cls, schema: TaskSchema, capacity: int, message_dim: int, segments: list[tuple[int, EpisodeBatch]]
    ) -> ReplayBuffer:
        """Return a buffer filled from segments (number of the first episode, episodes), oldest first, without gaps."""
        buffer = cls(schema, capacity, message_dim)
        for first, batch in segments:
            if buffer.added not in (0, first):
                raise ValueError(f"a replay segment starts at episode {first}, expected {buffer.added}")
            buffer.added = first
            for start in range(0, batch.n_episodes, capacity):
                buffer.add(batch.select(slice(start, start + capacity)))
        return buffer

    def _take(self, slots: np.ndarray[tuple[int], np.dtype[np.int64]]) -> EpisodeBatch:
        lengths = self._lengths[slots]
        t = max(1, int(lengths.max(initial=1)))
        entries = {n: self._arrays[n][slots, : t + 1] for n in _ENTRIES if n in self._arrays}
        steps = {n: self._arrays[n][slots, :t] for n in _STEPS}
        steps["actions"] = steps["actions"].astype(np.int64)
        return EpisodeBatch(**entries, **steps, filled=np.arange(t) < lengths[:, None], success=self._success[slots])
