"""Whether agents know what they know: the measures by hand, and estimates that are there at execution."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from test_controls import Says
from toy_episodes import make_episodes, make_schema
from whisper_game import WhisperGame

from marl_runtime.calibration import auroc, calibrate, measure
from marl_runtime.methods import MethodConfig, MethodInputs, build_method
from marl_runtime.methods.lmac import Lmac
from marl_runtime.networks import TensorBatch, initialise
from marl_runtime.rollout import NetworkActor, Rollout

SCHEMA = make_schema()


def lmac(schema=SCHEMA, message_dim: int = 2, **config: float) -> Lmac:
    method = build_method("lmac", MethodInputs.for_schema(schema, message_dim), MethodConfig(**config))
    assert isinstance(method, Lmac)
    initialise(method, torch.Generator().manual_seed(2))
    return method.train()


def test_auroc_by_hand() -> None:
    """Right: 0.9, 0.5; wrong: 0.5, 0.1. Of four pairs three are in order and one is a tie: 3.5 / 4."""
    scores, right = np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False])
    assert auroc(scores, right) == pytest.approx(0.875)
    assert auroc(scores, ~right) == pytest.approx(0.125)
    assert auroc(scores, np.ones(4, dtype=bool)) is None


def test_reliability_by_hand() -> None:
    """Two agents, two fields. Foretold (0.95, 0.25), (0.91, 0.21), right (1, 0), (0, 1).

    Bins [0.9, 1) and [0.2, 0.3): 0.93 against 1/2 and 0.23 against 1/2, so the error is (0.43 + 0.27) / 2 = 0.35.
    Brier: (0.0025 + 0.0625 + 0.8281 + 0.6241) / 4 = 0.3793. AUROC: right 0.95, 0.21; wrong 0.25, 0.91: 2 of 4 pairs.
    """
    foretold = np.array([[0.95, 0.25], [0.91, 0.21]])
    found = measure(foretold, np.array([[True, False], [False, True]]), np.array([0, 1]), ["x", "y"])
    assert found is not None
    assert [(b.low, b.count) for b in found.curve] == [(0.2, 2), (0.9, 2)]
    assert [(b.foretold, b.right) for b in found.curve] == [
        (pytest.approx(0.23), pytest.approx(0.5)),
        (pytest.approx(0.93), pytest.approx(0.5)),
    ]
    assert found.error == pytest.approx(0.35)
    assert found.brier == pytest.approx(0.3793)
    assert found.auroc == pytest.approx(0.5)
    assert found.by_field == {
        "x": {"foretold": pytest.approx(0.93), "right": 0.5},
        "y": {"foretold": pytest.approx(0.23), "right": 0.5},
    }
    assert [row["foretold"] for row in found.by_agent] == [pytest.approx(0.6), pytest.approx(0.56)]
    assert found.metrics()["sai/uncertainty"] == pytest.approx(1 - 0.58)


def test_a_probability_of_one_is_in_the_last_bin_and_nothing_is_no_calibration() -> None:
    found = measure(np.ones((3, 1)), np.ones((3, 1), dtype=bool), np.zeros(3, dtype=np.int64), ["x"])
    assert found is not None
    assert [(b.low, b.high, b.count) for b in found.curve] == [(0.9, 1.0, 3)]
    assert "sai/auroc" not in found.metrics()
    assert measure(np.ones((0, 1)), np.ones((0, 1), dtype=bool), np.zeros(0, dtype=np.int64), ["x"]) is None


def test_calibration_counts_living_receivers_and_leaves_the_method_as_it_was() -> None:
    """A decoder that answers the middle of the range, [-2, 4], and is sure by 0.75, of states that are 1 (right) or 4.

    Half of the range is off by 0.5, whose square is above alpha = 0.05.
    """
    method = lmac(dropout=0.5)
    with torch.no_grad():
        for parameter in method.communication.decoder.parameters():
            parameter.zero_()
        method.communication.decoder.head.bias.copy_(torch.tensor([0.5] * 4 + [np.log(3)] * 4))
    episodes = make_episodes(SCHEMA, [3, 5], message_dim=2)
    episodes.state[..., :2], episodes.state[..., 2:] = 1.0, 4.0
    generator = torch.get_rng_state()
    found = calibrate(method, episodes)
    assert found is not None
    receivers = int((episodes.alive[:, :-1] & episodes.filled[..., None]).sum())
    assert found.estimates == 4 * receivers
    assert (found.right, found.foretold) == (pytest.approx(0.5), pytest.approx(0.75))
    assert found.by_field["world.s0"]["right"] == 1.0
    assert found.by_field["world.s3"]["right"] == 0.0
    assert method.training
    assert torch.equal(torch.get_rng_state(), generator)
    assert calibrate(build_method("qmix", MethodInputs.for_schema(SCHEMA)), episodes) is None


def test_estimates_are_there_at_execution_and_are_those_of_the_whole_episode() -> None:
    game, protocol = WhisperGame(4, steps=3), Says()
    method = lmac(game.schema)
    actor, seen = NetworkActor(method, watch=True), []
    act = actor.act

    def watched(view):
        actions = act(view)
        assert actor.estimate is not None
        seen.append(actor.estimate)
        return actions

    actor.act = watched
    episodes = Rollout(game, protocol).play(actor, 3, 0, 4)
    plain = Rollout(WhisperGame(4, steps=3), Says()).play(NetworkActor(method), 3, 0, 4)
    assert np.array_equal(episodes.actions, plain.actions)
    method.eval()
    z = method.features(TensorBatch.from_episodes(episodes, game.schema)).parts["z"]
    whole = method.estimate(z)
    for name in ("z", "fields", "known"):
        steps = torch.stack([getattr(estimate, name) for estimate in seen])
        torch.testing.assert_close(steps, getattr(whole, name)[:3].detach(), rtol=1e-4, atol=1e-5)
    assert 0 < whole.known.min() < whole.known.max() < 1
