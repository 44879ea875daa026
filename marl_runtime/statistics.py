"""Intervals for rates and scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Equivalence",
    "Estimate",
    "StepsTo",
    "difference_over_seeds",
    "equivalence",
    "improvement_probability",
    "interquartile_mean",
    "mean_over_episodes",
    "median_steps",
    "over_seeds",
    "over_tasks",
    "steps_to",
    "wilson",
]

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


def over_tasks(values: Sequence[Sequence[float]], seed: int = 0) -> Estimate:
    """Return the interquartile mean over all runs of all tasks, `values` having the seeds of each task.

    The bootstrap is stratified: seeds are drawn within each task (Agarwal et al. 2021).
    """
    return _bootstrap(lambda *samples, axis: _middle(np.concatenate(samples, axis=axis), axis), list(values), seed)


def improvement_probability(values: Sequence[float], others: Sequence[float], seed: int = 0) -> tuple[Estimate, float]:
    """Return how likely a run of `values` is better than one of `others`, ties counting half, and a p-value.

    The probability is Mann and Whitney's U over the number of pairs (Agarwal et al. 2021), its interval the percentile
    bootstrap's over the seeds of both, the p-value that of the two-sided Mann-Whitney test that it is 1/2.
    """
    from scipy import stats

    if not len(values) or not len(others):
        return Estimate(math.nan, math.nan, math.nan), math.nan
    test = stats.mannwhitneyu(values, others, alternative="two-sided")  # type: ignore[attr-defined]
    bounds = _bootstrap(_share_above, [values, others], seed)
    return Estimate(float(test.statistic) / (len(values) * len(others)), bounds.low, bounds.high), float(test.pvalue)


def _share_above(a: NDArray[np.float64], b: NDArray[np.float64], axis: int) -> Any:
    """Return the share of pairs in which the one of `a` is larger."""
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    pairs = np.sign(a[..., :, None] - b[..., None, :])
    return (pairs.mean(axis=(-2, -1)) + 1) / 2


@dataclass(frozen=True)
class Equivalence:
    """The difference of two interquartile means with its 90 % interval, and what follows for a margin.

    `verdict`: "equivalent" when the interval lies within ± margin, which is two one-sided tests at 5 % each
    (Schuirmann 1987) by the bootstrap; "different" when it lies outside; else "not shown".
    """

    difference: Estimate
    margin: float

    @property
    def verdict(self) -> str:
        """What can be said."""
        low, high = self.difference.low, self.difference.high
        if -self.margin < low and high < self.margin:
            return "equivalent"
        return "different" if low >= self.margin or high <= -self.margin else "not shown"


def equivalence(values: Sequence[float], others: Sequence[float], margin: float, seed: int = 0) -> Equivalence:
    """Return whether the interquartile means of `values` and `others` differ by less than `margin`, at 5 %."""
    if not margin > 0:
        raise ValueError(f"margin {margin} is not above 0")
    return Equivalence(
        _bootstrap(lambda a, b, axis: _middle(a, axis) - _middle(b, axis), [values, others], seed, confidence=0.90),
        margin,
    )


@dataclass(frozen=True)
class StepsTo:
    """The steps at which a curve reached a level; where it did not, `reached` is False and `steps` is its end.

    Such a run is censored: it would have taken more than `steps`.
    """

    steps: float
    reached: bool

    def __str__(self) -> str:
        return f"{self.steps:,.0f}" if self.reached else f"> {self.steps:,.0f}"


def steps_to(steps: Sequence[float], values: Sequence[float], level: float, window: int = 1) -> StepsTo:
    """Return when the mean of the last `window` evaluations of a curve was first at `level` or above."""
    if not len(steps) or len(steps) != len(values):
        raise ValueError(f"a curve of {len(steps)} steps and {len(values)} values")
    array = np.asarray(values, dtype=np.float64)
    for end in range(window, len(array) + 1):
        # rounded, so that three times 0.1 is 0.3
        if round(float(array[end - window : end].mean()), 12) >= level:
            return StepsTo(float(steps[end - 1]), True)
    return StepsTo(float(steps[-1]), False)


def median_steps(runs: Sequence[StepsTo]) -> StepsTo:
    """Return the median over runs, the later of two in the middle; censored where half of the runs or more are.

    A run that did not get there counts as later than every run that did: how much later is not known, and does not
    matter to the median. A censored median is the shortest that a censored run was watched.
    """
    if not runs:
        raise ValueError("no run to take a median of")
    ranked = sorted(runs, key=lambda run: (not run.reached, run.steps))
    middle = ranked[len(ranked) // 2]
    return middle if middle.reached else StepsTo(min(run.steps for run in runs if not run.reached), False)


def _middle(sample: NDArray[np.float64], axis: int) -> Any:
    from scipy import stats

    return stats.trim_mean(sample, 0.25, axis=axis)


def _bootstrap(
    statistic: Callable[..., Any], samples: list[Sequence[float]], seed: int, confidence: float = 0.95
) -> Estimate:
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
        confidence_level=confidence,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Estimate(value, float(interval.low), float(interval.high))
