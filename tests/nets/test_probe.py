"""The probe: distances by hand, and what it finds where the answer is known."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from toy_episodes import make_episodes, make_schema

from buffers.errors import UsageError
from buffers.schema import Field, TaskSchema
from marl_runtime.methods import MethodInputs, build_method
from marl_runtime.probe import ProbeConfig, known_features, position_errors, positions, probe
from marl_runtime.rollout import NetworkActor
from sai.types import Episodes


def schema_with_positions() -> TaskSchema:
    """Positions of an agent and of an enemy that lives where its health is above 0; 8 map units are stored as 1."""
    unit = {"unit": "map units", "low": -3.0, "high": 3.0, "scale": 8.0}
    return dataclasses.replace(
        make_schema(n_agents=2),
        state_fields=(
            Field("agent_0.x", "where agent 0 is", **unit),
            Field("enemy_0.health", "its health"),
            Field("enemy_0.x", "where it is", **unit, present_if="enemy_0.health"),
            Field("enemy_0.y", "where it is", **unit, present_if="enemy_0.health"),
        ),
    )


SCHEMA = schema_with_positions()


def test_positions_are_those_of_what_is_not_an_agent() -> None:
    assert positions(SCHEMA) == {"enemy_0": (2, 3)}
    with pytest.raises(UsageError, match=r"task 'toy' has no positions to read.*map units or cells"):
        positions(make_schema())


def test_distances_by_hand() -> None:
    """Off by (3/8, 4/8) in stored values is 5 map units. Dead agents and dead enemies count nowhere."""
    state = np.zeros((1, 3, 4), dtype=np.float32)
    state[0, :2, 1] = 1.0  # the enemy is dead at the last step
    valid = np.array([[[True, True], [True, False], [True, True]]])
    truth = Episodes(np.zeros((1, 3, 2, 1), dtype=np.float32), state, valid)
    found = np.broadcast_to(np.array([0.375, -0.5], dtype=np.float32), (1, 3, 2, 2))
    errors = position_errors(SCHEMA, {"enemy_0": (2, 3)}, found, truth)
    assert errors.shape == (1, 3, 2, 1)
    assert errors[0, :2, :, 0].ravel()[:3].tolist() == pytest.approx([5.0, 5.0, 5.0])
    assert np.isnan(errors[0, 1, 1]).all()
    assert np.isnan(errors[0, 2]).all()


def test_features_are_what_the_utility_network_gets_and_zero_in_padding() -> None:
    episodes = make_episodes(SCHEMA, [5, 3], padded_to=8)
    method = build_method("qmix_state", MethodInputs.for_schema(SCHEMA)).train()
    known = known_features(method, episodes)
    assert known.shape == (2, 8, 2, SCHEMA.extended_dim + 4)
    assert np.array_equal(known[0, :5, 1, -4:], episodes.state[0, :5])
    assert not known[1, 4:].any()
    assert method.training


def test_a_method_that_gets_the_state_knows_positions_and_one_that_does_not_cannot() -> None:
    """Observations are noise, so nobody can do better from them than a constant; the state's own numbers can be read.

    Positions are standard normal, 8 map units a piece: the mean distance from their mean is 8 √(π / 2) = 10.03.
    """
    episodes = make_episodes(SCHEMA, [4] * 150, seed=3)
    episodes.state[..., 1] = np.abs(episodes.state[..., 1]) + 0.1
    config = ProbeConfig(episodes=150, updates=100)
    inputs = MethodInputs.for_schema(SCHEMA)
    blind, told = (
        probe(NetworkActor(build_method(name, inputs)), episodes, 0, config) for name in ("qmix", "qmix_state")
    )
    assert blind.constant.value == pytest.approx(10.03, abs=0.8)
    assert blind.error.value == blind.own.value
    assert blind.error.value > 0.9 * blind.constant.value
    assert told.error.value < 0.3 * told.own.value
    assert (told.unit, told.features_dim) == ("map units", SCHEMA.extended_dim + 4)
    assert told.spread < 0.8
    assert np.mean(told.by_agent) == pytest.approx(told.error.value, rel=0.1)


def test_a_configuration_that_measures_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="5 episodes are too few"):
        ProbeConfig(episodes=5)
    with pytest.raises(ValueError, match=r"epsilon 1\.5"):
        ProbeConfig(epsilon=1.5)
