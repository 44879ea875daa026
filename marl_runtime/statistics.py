"""Intervals for rates and scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "interquartile_mean", "mean_over_episodes", "over_seeds", "wilson"]

Z_95 = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval; the interval is (nan, nan) where nothing can be said."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def wilson(successes: int, trials: int) -> Estimate:
    """Return the share of successes with its Wilson score interval (Wilson 1927)."""
    if trials < 1:
        return Estimate(math.nan, math.nan, math.nan)
    share = successes / trials
    centre = (share + Z_95**2 / (2 * trials)) / (1 + Z_95**2 / trials)
    half = Z_95 * math.sqrt(share * (1 - share) / trials + Z_95**2 / (4 * trials**2)) / (1 + Z_95**2 / trials)
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half))


def mean_over_episodes(values: Sequence[float] | NDArray[Any]) -> Estimate:
    """Return the mean of independent episodes' figures with its normal interval."""
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean())
    half = Z_95 * float(array.std(ddof=1)) / math.sqrt(len(array)) if len(array) > 1 else math.nan
    return Estimate(mean, mean - half, mean + half)


def interquartile_mean(values: Sequence[float]) -> float:
    """Return the mean of the middle half (Agarwal et al. 2021); with fewer than four values, the mean of all."""
    from scipy import stats

    return float(stats.trim_mean(np.asarray(values, dtype=np.float64), 0.25))


def over_seeds(values: Sequence[float], seed: int = 0, resamples: int = 2_000) -> Estimate:
    """Return the interquartile mean over seeds with its percentile bootstrap interval over seeds."""
    from scipy import stats

    array = np.asarray(values, dtype=np.float64)
    middle = interquartile_mean(values)
    if len(array) < 2:
        return Estimate(middle, math.nan, math.nan)
    if np.ptp(array) == 0:
        return Estimate(middle, middle, middle)
    interval = stats.bootstrap(  # type: ignore[attr-defined]
        (array,),
        lambda sample, axis: stats.trim_mean(sample, 0.25, axis=axis),
        n_resamples=resamples,
        confidence_level=0.95,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Estimate(middle, float(interval.low), float(interval.high))
