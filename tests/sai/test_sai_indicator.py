"""The indicator by hand: two agents, one field, a handful of steps."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from buffers.schema import Field, TaskSchema
from sai import Episodes, Estimates, SaiConfig
from sai.indicator import episode_parts, indicator_sums


def one_field(field: Field) -> TaskSchema:
    return TaskSchema("toy", "", ("a", "b"), (Field("x", ""),), (field,), ("stay",), 4)


def test_alpha_and_tolerance_by_hand() -> None:
    # range 2, alpha .05: right within sqrt(.05) * 2 = .447; 2 map units at 10 per stored unit: within .2
    schema = one_field(Field("x", "", "map units", -1, 1, scale=10))
    state = np.zeros((1, 4, 1), dtype=np.float32)
    valid = np.array([[[True, True], [True, True], [True, False], [True, False]]])
    episodes = Episodes(np.zeros((1, 4, 2, 4), dtype=np.float32), state, valid)
    predicted = np.array([[[0.1, 0.3], [0.3, 0.3], [0.5, 0.0], [0.0, 0.0]]], dtype=np.float32)[..., None]
    sums = indicator_sums(schema, episodes, predicted, valid[..., None], (0,), SaiConfig())
    assert sums.success.sum(axis=(0, 1))[:, 0].tolist() == [2, 0]
    assert sums.chi.sum(axis=(0, 1))[:, 0].tolist() == [3, 2]
    assert sums.count.sum(axis=(0, 1))[:, 0].tolist() == [4, 2]
    assert sums.error.sum(axis=(0, 1))[:, 0] == pytest.approx([0.01 + 0.09 + 0.25, 0.18])


def test_a_binary_field_is_scored_by_balanced_accuracy() -> None:
    # agent a: one of one ones, one of three zeros: (1 + 1/3) / 2; agent b: none and all: 1/2
    schema = one_field(Field("on", "", kind="binary"))
    state = np.array([[[1], [0], [0], [0]]], dtype=np.float32)
    valid = np.ones((1, 4, 2), dtype=bool)
    episodes = Episodes(np.zeros((1, 4, 2, 4), dtype=np.float32), state, valid)
    predicted = np.array([[[0.9, 0.4], [0.9, 0.1], [0.2, 0.1], [0.7, 0.1]]], dtype=np.float32)[..., None]
    sums = indicator_sums(schema, episodes, predicted, valid[..., None], (0,), SaiConfig())
    rate = sums.success.sum(axis=(0, 1)) / sums.weight.sum(axis=(0, 1))
    assert rate[:, 0] == pytest.approx([2 / 3, 1 / 2])


def test_parts_are_fifths_of_each_episode() -> None:
    valid = np.zeros((2, 10, 1), dtype=bool)
    valid[0] = True
    valid[1, :5] = True
    assert episode_parts(valid)[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert episode_parts(valid)[1, :5].tolist() == [0, 1, 2, 3, 4]


def test_an_interval_counts_episodes_and_not_steps_and_adds_decoder_seeds() -> None:
    # influences of ±1/4 in four episodes: variance 4/16 * 4/3; seeds 0.4 and 0.6 add 0.02 / 2
    a = Estimates(("c",), np.array([[0.4], [0.6]]), np.array([[1], [-1], [1], [-1]], dtype=np.float32) / 4)
    b = Estimates(("other", "c"), np.zeros((2, 2)), np.zeros((4, 2), dtype=np.float32))
    difference = a.less(b)
    assert difference.mean == pytest.approx(0.5)
    assert difference.high - difference.mean == pytest.approx(1.96 * (1 / 3 + 0.01) ** 0.5, rel=1e-3)


def test_other_episodes_or_seeds_cannot_be_paired() -> None:
    a = Estimates(("c",), np.zeros((2, 1)), np.zeros((4, 1), dtype=np.float32))
    with pytest.raises(ValueError, match="4 episodes and 2 decoder seeds cannot be paired with 3 and 2"):
        a.less(Estimates(("c",), np.zeros((2, 1)), np.zeros((3, 1), dtype=np.float32)))


def test_tolerances_are_in_the_fields_own_unit() -> None:
    config = SaiConfig()
    assert config.tolerance(Field("x", "", "cells", 0, 8)) == 1
    assert config.tolerance(Field("x", "", "map units", 0, 1, scale=32)) == pytest.approx(2 / 32)
    assert config.tolerance(Field("x", "", "share", 0, 1)) == pytest.approx(0.1)


@pytest.mark.parametrize(("name", "value"), [("alpha", 0.0), ("decoder_seeds", 0), ("cpu_seconds", float("nan"))])
def test_a_setting_out_of_range_is_quoted(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} {value}"):
        SaiConfig(**{name: value})  # type: ignore[arg-type]


def test_importing_loads_no_torch() -> None:
    code = "import sai, sys; sys.exit('torch' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
