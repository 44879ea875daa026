"""Statistics over seeds, with numbers worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from marl_runtime.statistics import (
    Equivalence,
    Estimate,
    StepsTo,
    equivalence,
    improvement_probability,
    median_steps,
    over_tasks,
    steps_to,
)


def test_the_probability_of_improvement_counts_pairs_and_halves_ties() -> None:
    # pairs (3, 1) (3, 2) (3, 3) (4, 1) (4, 2) (4, 3): five wins and one tie of six
    probability, p_value = improvement_probability([3, 4], [1, 2, 3])
    assert probability.value == pytest.approx(5.5 / 6)
    assert probability.low <= probability.value <= probability.high
    assert 0.05 < p_value < 0.5
    # all 9 pairs won; of the 20 ways to choose 3 ranks of 6, 2 are as extreme: p = 2 / 20
    apart, p_value = improvement_probability([7, 8, 9], [1, 2, 3])
    assert (apart.value, apart.low, apart.high) == (1, 1, 1)
    assert p_value == pytest.approx(0.1)
    back, _ = improvement_probability([1, 2, 3], [7, 8, 9])
    assert back.value == 0


def test_the_probability_of_improvement_of_nothing_is_not_known() -> None:
    probability, p_value = improvement_probability([], [1.0])
    assert math.isnan(probability.value)
    assert math.isnan(p_value)


def test_over_tasks_is_the_middle_half_of_all_runs_and_draws_within_tasks() -> None:
    # of 0, 0.1, 0.9, 1 the middle half is 0.1 and 0.9
    pooled = over_tasks([[0.0, 0.1], [0.9, 1.0]])
    assert pooled.value == pytest.approx(0.5)
    # within tasks, a resample is (a, b) of {0, 0.1} and (c, d) of {0.9, 1}: its middle half is the larger of a, b and
    # the smaller of c, d, so every resample lies between (0 + 0.9) / 2 and (0.1 + 1) / 2; drawn over all four runs it
    # would reach from 0 to 1
    assert 0.45 <= pooled.low <= pooled.high <= 0.55
    assert math.isnan(over_tasks([[0.5], [0.4, 0.6]]).low)  # one seed has no spread


def test_two_one_sided_tests_ask_for_the_whole_interval() -> None:
    assert Equivalence(Estimate(0.0, -0.05, 0.09), 0.1).verdict == "equivalent"
    assert Equivalence(Estimate(0.0, -0.10, 0.09), 0.1).verdict == "not shown"
    assert Equivalence(Estimate(-0.3, -0.40, -0.2), 0.1).verdict == "different"
    assert Equivalence(Estimate(0.0, math.nan, math.nan), 0.1).verdict == "not shown"
    with pytest.raises(ValueError, match="margin 0 is not above 0"):
        equivalence([1], [1], 0)


def test_the_equivalence_interval_is_the_90_percent_one_of_all_resamples() -> None:
    values, others = [0.70, 0.72, 0.80], [0.60, 0.75, 0.71]
    # with three seeds the interquartile mean is the mean; all 27 x 27 equally likely resamples, enumerated
    means = [np.mean(r) for r in itertools.product(values, repeat=3)]
    against = [np.mean(r) for r in itertools.product(others, repeat=3)]
    exact = np.quantile(np.subtract.outer(means, against).ravel(), [0.05, 0.95])
    tested = equivalence(values, others, 0.2)
    assert tested.difference.value == pytest.approx(2.22 / 3 - 2.06 / 3)
    assert [tested.difference.low, tested.difference.high] == pytest.approx(exact.tolist(), abs=0.01)
    assert tested.verdict == "equivalent"
    assert equivalence(values, others, 0.06).verdict == "not shown"


def test_a_curve_reaches_a_level_by_the_mean_of_evaluations_in_a_row() -> None:
    steps, values = [0, 10, 20, 30, 40], [0.0, 0.6, 0.1, 0.5, 0.7]
    assert steps_to(steps, values, 0.5) == StepsTo(10, True)
    # pairs: 0.3, 0.35, 0.3, 0.6
    assert steps_to(steps, values, 0.5, window=2) == StepsTo(40, True)
    assert steps_to(steps, values, 0.65, window=2) == StepsTo(40, False)
    assert str(steps_to(steps, values, 0.65, window=2)) == "> 40"
    assert steps_to([0, 1, 2], [0.1, 0.1, 0.1], 0.1, window=3).reached  # though 0.1 + 0.1 + 0.1 is not 0.3


def test_the_median_counts_censored_runs_as_later_than_all() -> None:
    reached = [StepsTo(steps, True) for steps in (10, 30)]
    late = StepsTo(100, False)
    assert median_steps([*reached, StepsTo(20, True)]) == StepsTo(20, True)
    assert median_steps([late, *reached]) == StepsTo(30, True)
    # half of them did not get there: all that is known is that it takes longer than they were watched
    assert median_steps([late, StepsTo(90, False), *reached]) == StepsTo(90, False)
    # the later of two in the middle
    assert median_steps(reached) == StepsTo(30, True)
