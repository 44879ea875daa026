"""Messages that tell nothing new. A score that rewards one of them is wrong, whatever else it measures."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import Float32Array
from buffers.errors import UnknownNameError
from sai.types import Episodes, MessageSet

__all__ = ["Control", "control_messages", "from_other_episodes"]

Control = Literal["zero", "shuffled", "random", "own"]


def control_messages(kind: Control, episodes: Episodes, messages: MessageSet, seed: int = 0) -> MessageSet:
    """Return messages `[B, T, N, M]` that tell nothing new; each must score no gain.

    "zero": nothing is ever said. "shuffled": what the same receiver was told in another episode. "random": Gaussian
    noise. "own": one's own extended observation sent back, with and without an inbox (here M = D).
    """
    rng = np.random.default_rng([seed, 0xC0])
    nothing = np.zeros_like(messages.full)
    if kind == "zero":
        return MessageSet(nothing, nothing)
    if kind == "random":
        return MessageSet(rng.standard_normal(nothing.shape, dtype=np.float32), nothing)
    if kind == "own":
        own = np.where(episodes.valid[..., None], episodes.extended, 0).astype(np.float32)
        return MessageSet(own, own)
    if kind == "shuffled":
        return MessageSet(from_other_episodes(messages.full, episodes, rng), messages.empty)
    raise UnknownNameError("control", kind, get_args(Control))


def from_other_episodes(told: Float32Array, episodes: Episodes, rng: np.random.Generator) -> Float32Array:
    """Return `told` `[B, T, N, M]` with every episode's taken from another one, at the same step and receiver.

    Where the other episode was over, or its receiver dead, nothing is told: padding may hold anything.
    """
    other = _derangement(rng, len(told))
    return np.where(episodes.valid[other][..., None], told[other], 0).astype(np.float32)


def _derangement(rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return a permutation that leaves nothing in its place: one random cycle through all."""
    cycle = rng.permutation(count)
    following = np.empty_like(cycle)
    following[cycle] = np.roll(cycle, 1)
    return following
