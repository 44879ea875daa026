"""Intervals for rates and scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "difference_over_seeds", "interquartile_mean", "mean_over_episodes", "over_seeds", "wilson"]

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


def over_seeds(values: Sequence[float], seed: int = 0) -> Estimate:
    """Return the interquartile mean over seeds with its percentile bootstrap interval over seeds."""
    return _bootstrap(_middle, [values], seed)


def difference_over_seeds(values: Sequence[float], others: Sequence[float], seed: int = 0) -> Estimate:
    """Return the interquartile mean of `values` less that of `others`; the seeds of both are resampled."""
    return _bootstrap(lambda a, b, axis: _middle(a, axis) - _middle(b, axis), [values, others], seed)


def _middle(sample: NDArray[np.float64], axis: int) -> Any:
    from scipy import stats

    return stats.trim_mean(sample, 0.25, axis=axis)


def _bootstrap(statistic: Callable[..., Any], samples: list[Sequence[float]], seed: int) -> Estimate:
    from scipy import stats

    arrays = [np.asarray(sample, dtype=np.float64) for sample in samples]
    if any(len(array) == 0 for array in arrays):
        return Estimate(math.nan, math.nan, math.nan)
    value = float(statistic(*arrays, axis=-1))
    if any(len(array) < 2 for array in arrays):
        return Estimate(value, math.nan, math.nan)
    interval = stats.bootstrap(  # type: ignore[attr-defined]
        arrays,
        statistic,
        n_resamples=2_000,
        confidence_level=0.95,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Estimate(value, float(interval.low), float(interval.high))
