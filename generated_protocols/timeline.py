"""Where rows stand in time: whole episodes at once, or step by step. Both give the same histories.

Axes: L positions (episode and timestep in a batch, environment in a rollout), W history window.
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray

__all__ = ["BatchTimeline", "StepTimeline", "Timeline"]


class Timeline(abc.ABC):
    """Gives histories `[L, W, …]` of arrays `[L, …]`, oldest first, now last, 0 before the episode."""

    window: int

    @property
    @abc.abstractmethod
    def age(self) -> IntArray:
        """Real past steps in the window, `[L]`, 0 … W - 1."""

    @abc.abstractmethod
    def history(self, key: Any, now: Float32Array) -> Float32Array:
        """Return `[L, W, …]` of the array `now` `[L, …]`, which is known under `key`."""


class BatchTimeline(Timeline):
    """B whole episodes of T+1 entries: position l is entry (l // (T+1), l % (T+1))."""

    def __init__(self, n_episodes: int, n_entries: int, window: int) -> None:
        self.window = window
        self._shape = (n_episodes, n_entries)

    @property
    def age(self) -> IntArray:
        """Real past steps in the window, `[L]`."""
        episodes, entries = self._shape
        return np.tile(np.minimum(np.arange(entries), self.window - 1), episodes)

    def history(self, key: Any, now: Float32Array) -> Float32Array:
        """Return `[L, W, …]` by sliding a window over each episode."""
        rest = now.shape[1:]
        series = now.reshape(*self._shape, *rest)
        padded = np.pad(series, ((0, 0), (self.window - 1, 0), *((0, 0) for _ in rest)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.window, axis=1)
        return np.ascontiguousarray(np.moveaxis(windows, -1, 2)).reshape(-1, self.window, *rest)


class StepTimeline(Timeline):
    """E environments, one entry at a time; histories of the arrays that are pushed at every step.

    A history is a ring `[2 W, E, …]` that is written twice, W slots apart: its last W steps are a slice at any time.
    """

    def __init__(self, num_envs: int, window: int) -> None:
        self.window = window
        self._slot = 0
        self._age = np.zeros(num_envs, dtype=np.int64)
        self._fresh = np.ones(num_envs, dtype=bool)
        self._rings: dict[Any, Float32Array] = {}

    @property
    def age(self) -> IntArray:
        """Real past steps in the window, `[E]`."""
        return self._age

    def reset(self, mask: BoolArray) -> None:
        """A new episode begins where `mask` `[E]` is true."""
        self._fresh |= mask
        for ring in self._rings.values():
            ring[:, mask] = 0

    def tick(self) -> None:
        """One step passes everywhere; call it before the step's arrays are pushed."""
        self._age = np.where(self._fresh, 0, np.minimum(self._age + 1, self.window - 1))
        self._fresh[:] = False
        self._slot = (self._slot + 1) % self.window

    def push(self, key: Any, now: Float32Array) -> None:
        """Remember `now` `[E, …]` under `key`; to be called exactly once a step."""
        ring = self._rings.get(key)
        if ring is None:
            ring = self._rings[key] = np.zeros((2 * self.window, *now.shape), dtype=np.float32)
        ring[self._slot] = ring[self._slot + self.window] = now

    def history(self, key: Any, now: Float32Array) -> Float32Array:
        """Return the history `[E, W, …]` that was pushed under `key`, as a view."""
        return np.moveaxis(self._rings[key][self._slot + 1 : self._slot + 1 + self.window], 0, 1)
