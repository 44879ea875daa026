"""The State-Awareness Indicator and its kin, as sums over steps, so that ratios and their errors can be taken.

Axes: B episodes, T timesteps, N agents, F fields.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from sai.types import Episodes, SaiConfig

__all__ = ["PARTS", "Sums", "episode_parts", "indicator_sums"]

PARTS = 5
Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sums:
    """Per episode, part of the episode, agent and field, `[B, 5, N, F]`, each a sum over steps.

    `weight` counts steps, and `success` those within the tolerance, so that both values of a binary field weigh the
    same in total. `count` counts steps as they are, `chi` those within alpha; `error` is the squared error of stored
    values.
    """

    weight: Float64Array
    success: Float64Array
    chi: Float64Array
    count: Float64Array
    error: Float64Array


def episode_parts(valid: BoolArray) -> NDArray[np.int64]:
    """Return which fifth of its own episode each step lies in, `[B, T]`, from the steps that anyone lives through."""
    played: BoolArray = np.any(valid, axis=2)
    lengths = np.maximum(played.shape[1] - played[:, ::-1].argmax(axis=1), 1) * played.any(axis=1)
    steps = np.arange(valid.shape[1])
    return np.minimum(PARTS * steps // np.maximum(lengths, 1)[:, None], PARTS - 1)


def indicator_sums(
    schema: TaskSchema,
    episodes: Episodes,
    predicted: Float32Array,
    mask: BoolArray,
    fields: tuple[int, ...],
    config: SaiConfig,
) -> Sums:
    """Compare `predicted` `[B, T, N, F]` with the state where `mask` `[B, T, N, F]` is true."""
    part = episode_parts(episodes.valid)
    shape = (len(part), PARTS, *predicted.shape[2:])
    sums = {name: np.zeros(shape) for name in ("weight", "success", "chi", "count", "error")}
    for place, column in enumerate(fields):
        field = schema.state_fields[column]
        known = mask[..., place]
        truth = np.where(known, episodes.state[:, :, None, column], 0).astype(np.float64)
        error = np.where(known, predicted[..., place] - truth, 0)
        if field.kind == "binary":
            hit = (predicted[..., place] > 0.5) == (truth > 0.5)
            weight = _balanced(truth > 0.5, known)
        else:
            hit = np.abs(error) <= config.tolerance(field) + 1e-9
            weight = known.astype(np.float64)
        chi = (error / (field.high - field.low)) ** 2 <= config.alpha
        values = {
            "weight": weight,
            "success": weight * hit,
            "chi": known * chi,
            "count": known.astype(np.float64),
            "error": error**2,
        }
        for index in range(PARTS):
            here = (part == index)[..., None]
            for name, value in values.items():
                sums[name][:, index, :, place] = (value * here).sum(axis=1)
    return Sums(**sums)


def _balanced(positive: BoolArray, known: BoolArray) -> Float64Array:
    """Weigh steps `[B, T, N]` so that both classes count the same in total, per agent."""
    weight = np.zeros(known.shape)
    for cls in (positive & known, ~positive & known):
        total = cls.sum(axis=(0, 1), keepdims=True)
        weight += np.where(cls, known.sum(axis=(0, 1), keepdims=True) / (2 * np.maximum(total, 1)), 0)
    return weight
