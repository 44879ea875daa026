"""Means over episodes with what each episode and each decoder seed contributes to their error."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import Float32Array
from sai.types import Z_95, Interval

__all__ = ["Estimates", "half_width", "ratio_and_influence"]

Float64Array = NDArray[np.float64]


def ratio_and_influence(numerator: Float64Array, denominator: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return ratios of sums over episodes `[…]`, NaN where there is nothing, and each episode's influence `[B, …]`.

    The influence is the ratio's first-order change when the episode is counted: squares add up to its variance.
    """
    total = denominator.sum(axis=0)
    safe = np.maximum(total, 1e-12)
    ratio = np.where(total > 0, numerator.sum(axis=0) / safe, np.nan)
    return ratio, (numerator - np.nan_to_num(ratio) * denominator) / safe


def half_width(per_seed: Float64Array, per_episode: Float64Array) -> Float64Array:
    """Return half of the 95 % interval of means over decoder seeds `[S, …]`, from influences `[B, …]` of episodes.

    Variances over episodes, the clusters, and over decoder seeds, which cross them, add.
    """
    episodes, seeds = len(per_episode), len(per_seed)
    variance = (per_episode.astype(np.float64) ** 2).sum(axis=0) * episodes / max(1, episodes - 1)
    if seeds > 1:
        variance = variance + per_seed.var(axis=0, ddof=1) / seeds
    return np.asarray(Z_95 * np.sqrt(variance))


@dataclass(frozen=True)
class Estimates:
    """One measure of K cells, each an agent and a field, from B episodes and S decoder seeds."""

    cells: tuple[str, ...]
    per_seed: Float64Array  # [S, K]
    per_episode: Float32Array  # [B, K], influences, averaged over decoder seeds

    @property
    def mean(self) -> float:
        """The mean over cells, 0 without any."""
        return float(self.per_seed.mean()) if self.cells else 0.0

    def less(self, other: Estimates) -> Interval:
        """Return the mean of self - other over the cells that both have, 0 if there is none, with its 95 % interval.

        Differences are taken within episodes and within decoder seeds. Their variances add: episodes are the clusters
        (steps and agents within one are not independent), crossed with decoder seeds.
        """
        if len(self.per_episode) != len(other.per_episode) or len(self.per_seed) != len(other.per_seed):
            raise ValueError(
                f"{len(self.per_episode)} episodes and {len(self.per_seed)} decoder seeds cannot be paired with "
                f"{len(other.per_episode)} and {len(other.per_seed)}"
            )
        places = {cell: place for place, cell in enumerate(other.cells)}
        mine = [place for place, cell in enumerate(self.cells) if cell in places]
        theirs = [places[self.cells[place]] for place in mine]
        if not mine:
            return Interval(0.0, 0.0, 0.0)
        seeds = (self.per_seed[:, mine] - other.per_seed[:, theirs]).mean(axis=1)
        episodes = (self.per_episode[:, mine] - other.per_episode[:, theirs]).mean(axis=1, dtype=np.float64)
        return Interval.around(float(seeds.mean()), float(half_width(seeds, episodes)) / Z_95)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; influences as compressed half floats, scaled by their largest."""
        largest = float(np.abs(self.per_episode).max(initial=0))
        halves = (self.per_episode / (largest or 1.0)).astype("<f2")
        return {
            "cells": list(self.cells),
            "per_seed": self.per_seed.tolist(),
            "episodes": len(self.per_episode),
            "largest": largest,
            "per_episode": base64.b64encode(zlib.compress(halves.tobytes())).decode(),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Estimates:
        """Read what `to_json` wrote."""
        cells = tuple(value["cells"])
        halves = np.frombuffer(zlib.decompress(base64.b64decode(value["per_episode"])), dtype="<f2")
        episodes = halves.astype(np.float32).reshape(value["episodes"], len(cells)) * np.float32(value["largest"])
        seeds = len(value["per_seed"])  # where nothing was scored there are seeds and no cells
        return cls(cells, np.array(value["per_seed"], dtype=np.float64).reshape(seeds, len(cells)), episodes)
