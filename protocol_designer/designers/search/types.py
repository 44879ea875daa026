"""What the search is given from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from buffers.episodes import BoolArray, Float32Array

__all__ = ["EpisodeArrays", "Rescore", "RunParts"]


class EpisodeArrays(Protocol):
    """One split of the data set, as `sai.Episodes` holds it."""

    @property
    def extended(self) -> Float32Array:
        """Extended observations, `[B, T, N, D]`."""

    @property
    def state(self) -> Float32Array:
        """Global states, `[B, T, S]`."""

    @property
    def valid(self) -> BoolArray:
        """Where the step was played and the agent lives, `[B, T, N]`."""


Rescore = Callable[[Sequence[str]], float]
"""The communication gain of the sources together, by the real decoder (larger is better)."""

RunParts = Callable[[Sequence[str], Float32Array, BoolArray], Float32Array]
"""Messages `[B, T, N, M]` of accepted sources on extended observations `[B, T, N, D]` and alive masks `[B, T, N]`."""
