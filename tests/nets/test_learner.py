"""The learner: targets worked by hand, padding, the target network, and runs that continue bit for bit."""

from __future__ import annotations

import io
from typing import Any, Literal

import numpy as np
import pytest
import torch
from toy_episodes import make_episodes, make_schema, poisoned

from buffers.episodes import EpisodeBatch
from marl_runtime.learner import Learner, LearnerConfig, RewardScale
from marl_runtime.methods import MethodInputs, build_method, method_names
from marl_runtime.networks import TensorBatch, build_mixer

SCHEMA = make_schema()
M = 2


def make_learner(name: str = "qmix", mixer: str = "qmix", seed: int = 0, **config: Any) -> Learner:
    method = build_method(name, MethodInputs.for_schema(SCHEMA, M))
    return Learner(method, build_mixer(mixer, SCHEMA), LearnerConfig(**config), seed=seed)


def weights(learner: Learner) -> list[torch.Tensor]:
    return [p.detach().clone() for p in (*learner.method.parameters(), *learner.mixer.parameters())]


# --- targets ---

PAIR = make_schema(n_agents=2)
BOOTSTRAPPED = {"timeout_is_terminal": False}


def three_steps(end: Literal["terminated", "truncated"]) -> EpisodeBatch:
    """Two agents, three steps with reward 1 each; action 0 is never available."""
    batch = make_episodes(PAIR, [3])
    batch.rewards[:] = 1.0
    batch.avail_actions[:] = [False, True, True, True]
    batch.actions[:] = 1
    batch.terminated[:] = batch.truncated[:] = False
    getattr(batch, end)[0, 2] = True
    return batch


def td_targets(batch: EpisodeBatch, online: list[float], target: list[float], **config: Any) -> list[float]:
    """Targets of networks of zeros but for the heads' biases: the utilities are `online` and `target` everywhere.

    With the VDN mixer Q_tot is the sum over both agents.
    """
    learner = Learner(
        build_method("qmix", MethodInputs.for_schema(PAIR)), build_mixer("vdn", PAIR), LearnerConfig(**config)
    )
    for network, utilities in ((learner.method, online), (learner._target_method, target)):
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.zero_()
            network.get_parameter("utility.head.bias").copy_(torch.tensor(utilities))
    tensors = TensorBatch.from_episodes(batch, PAIR)
    return learner.td_target(tensors, tensors.rewards, learner.method.unroll(tensors).q)[0].tolist()


@pytest.mark.parametrize(
    ("end", "config", "expected"),
    [
        # two agents whose best available utility is 5: next value 10, so 1 + 0.99 · 10 = 10.9; a terminal step is 1
        ("terminated", {}, [10.9, 10.9, 1.0]),
        ("terminated", BOOTSTRAPPED, [10.9, 10.9, 1.0]),
        ("truncated", {}, [10.9, 10.9, 1.0]),
        ("truncated", BOOTSTRAPPED, [10.9, 10.9, 10.9]),
        ("truncated", {**BOOTSTRAPPED, "double_q": False}, [10.9, 10.9, 10.9]),
        ("truncated", {**BOOTSTRAPPED, "gamma": 0.5}, [6.0, 6.0, 6.0]),
    ],
)
def test_targets_by_hand(end: Any, config: dict[str, Any], expected: list[float]) -> None:
    # the unavailable action 0 is planted with a utility of a million in both networks
    utilities = [1e6, 5.0, 2.0, 1.0]
    assert td_targets(three_steps(end), utilities, utilities, **config) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("end", "config", "expected"),
    [
        # V = 10. λ = 1 is the return that was played: 1 + 0.99 (1 + 0.99 · 1) = 2.9701 after a terminal end
        ("terminated", {"td_lambda": 1.0}, [2.9701, 1.99, 1.0]),
        ("truncated", {**BOOTSTRAPPED, "td_lambda": 1.0}, [1 + 0.99 * (1 + 0.99 * 10.9), 1 + 0.99 * 10.9, 10.9]),
        # λ = 0.5: step 1 is 1 + 0.99 (0.5 · 10 + 0.5 · 1) = 6.445, step 0 is 1 + 0.99 (0.5 · 10 + 0.5 · 6.445)
        ("terminated", {"td_lambda": 0.5}, [1 + 0.99 * 8.2225, 6.445, 1.0]),
    ],
)
def test_longer_returns_by_hand(end: Any, config: dict[str, Any], expected: list[float]) -> None:
    utilities = [1e6, 5.0, 2.0, 1.0]
    assert td_targets(three_steps(end), utilities, utilities, **config) == pytest.approx(expected)


def test_longer_returns_end_with_their_episode() -> None:
    """An episode of 2 steps beside one of 5: what is behind its end reaches no target of it."""
    both = make_episodes(SCHEMA, [2, 5])
    targets = []
    for batch in (both, both.select([0])):
        learner = make_learner(td_lambda=0.8)
        tensors = TensorBatch.from_episodes(batch, SCHEMA)
        targets.append(learner.td_target(tensors, tensors.rewards, learner.method.unroll(tensors).q)[0, :2])
    torch.testing.assert_close(*targets)


def test_a_soft_target_moves_by_its_share_after_every_update() -> None:
    learner = make_learner(target_tau=0.25)
    before = [p.clone() for p in learner._target_mixer.parameters()]
    learner.update(make_episodes(SCHEMA, [4, 3]))
    online = list(learner.mixer.parameters())
    for old, new, now in zip(before, learner._target_mixer.parameters(), online, strict=True):
        torch.testing.assert_close(new, 0.75 * old + 0.25 * now.detach())


def test_double_q_lets_the_online_network_choose_and_the_target_network_value() -> None:
    online, target = [1e6, 0.0, 3.0, 1.0], [1e6, 5.0, 2.0, 1.0]
    # online chooses action 2, which the target network values at 2 per agent: 1 + 0.99 · 4 = 4.96
    assert td_targets(three_steps("truncated"), online, target, **BOOTSTRAPPED) == pytest.approx([4.96] * 3)
    assert td_targets(three_steps("truncated"), online, target, **BOOTSTRAPPED, double_q=False) == pytest.approx(
        [10.9] * 3
    )


def test_a_value_that_is_not_finite_cannot_pass_a_terminal_step() -> None:
    batch = three_steps("terminated")
    batch.state[0, 3] = 1e30  # the state after the end overflows the mixer's product
    learner = Learner(build_method("qmix", MethodInputs.for_schema(PAIR)), build_mixer("qmix", PAIR), LearnerConfig())
    tensors = TensorBatch.from_episodes(batch, PAIR)
    target = learner.td_target(tensors, tensors.rewards, learner.method.unroll(tensors).q)
    assert target[0, 2].item() == 1.0


def test_targets_are_bounded_when_every_episode_is_cut() -> None:
    """Random masks, 32 episodes that all end at the limit: no forbidden utility may reach a target."""
    learner = make_learner(**BOOTSTRAPPED)
    batch = make_episodes(SCHEMA, [8] * 32)
    assert batch.truncated.any(axis=1).all()
    for _ in range(3):
        metrics = learner.update(batch)
        assert metrics["td_error_abs"] < 100


# --- padding ---


@pytest.mark.parametrize("name", method_names())
@pytest.mark.parametrize("reward_standardisation", ["off", "published"])
def test_padding_of_nan_changes_neither_loss_nor_gradient(name: str, reward_standardisation: str) -> None:
    episodes = make_episodes(SCHEMA, [6, 3, 1], message_dim=M, padded_to=9)
    results = []
    for batch in (episodes, poisoned(episodes)):
        learner = make_learner(name, reward_standardisation=reward_standardisation)
        torch.manual_seed(5)
        metrics = learner.update(batch)
        grads = [p.grad for p in (*learner.method.parameters(), *learner.mixer.parameters())]
        results.append((metrics, grads, weights(learner)))
    (metrics_a, grads_a, weights_a), (metrics_b, grads_b, weights_b) = results
    assert metrics_a == metrics_b
    assert np.isfinite(list(metrics_a.values())).all()
    for a, b in zip([*grads_a, *weights_a], [*grads_b, *weights_b], strict=True):
        assert a is not None
        assert b is not None
        assert torch.equal(a, b)


def test_each_played_step_weighs_the_same() -> None:
    """The loss of episodes of 6 and 2 steps together is (6 · L1 + 2 · L2) / 8."""
    both = make_episodes(SCHEMA, [6, 2])
    losses = [make_learner().update(batch)["td_loss"] for batch in (both, both.select([0]), both.select([1]))]
    assert losses[0] == pytest.approx((6 * losses[1] + 2 * losses[2]) / 8, rel=1e-5)


def test_another_episode_in_the_batch_changes_no_target() -> None:
    pair = make_episodes(SCHEMA, [4, 4])
    learner = make_learner()
    targets = []
    for reward in (0.0, 1000.0):
        pair.rewards[1] = reward
        tensors = TensorBatch.from_episodes(pair, SCHEMA)
        targets.append(learner.td_target(tensors, tensors.rewards, learner.method.unroll(tensors).q)[0])
    assert torch.equal(targets[0], targets[1])


# --- seeds, resuming, target network ---


@pytest.mark.parametrize("name", method_names())
@pytest.mark.parametrize("mixer", ["qmix", "vdn"])
def test_a_restored_learner_continues_bit_for_bit(name: str, mixer: str) -> None:
    # targets are renewed at updates 2 and 4: one before and one after the restoration
    config: dict[str, Any] = {"target_update_interval": 2, "reward_standardisation": "published"}
    batches = [make_episodes(SCHEMA, [5, 3], message_dim=M, seed=seed) for seed in range(6)]
    learner = make_learner(name, mixer, seed=1, **config)
    for batch in batches[:3]:
        learner.update(batch)
    file = io.BytesIO()
    torch.save({"learner": learner.state_dict(), "torch": torch.get_rng_state()}, file)
    expected = [learner.update(batch) for batch in batches[3:]]

    file.seek(0)
    saved = torch.load(file, weights_only=True)
    restored = make_learner(name, mixer, seed=99, **config)
    restored.load_state_dict(saved["learner"])
    torch.set_rng_state(saved["torch"])
    assert restored.updates == 3
    assert [restored.update(batch) for batch in batches[3:]] == expected
    assert all(torch.equal(a, b) for a, b in zip(weights(learner), weights(restored), strict=True))


def test_the_seed_decides_the_weights() -> None:
    batch = make_episodes(SCHEMA, [5, 3], message_dim=M)
    runs = []
    for seed, noise in ((7, 1), (7, 2), (8, 1)):
        torch.manual_seed(noise)  # draws no weight
        learner = make_learner("direct", seed=seed)
        runs.append([learner.update(batch)["loss"] for _ in range(3)])
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_the_target_network_is_renewed_every_so_many_updates() -> None:
    learner = make_learner("lmac", target_update_interval=3)
    batch = make_episodes(SCHEMA, [4], message_dim=M)

    def same() -> bool:
        pairs = zip(learner.method.parameters(), learner._target_method.parameters(), strict=True)
        mixers = zip(learner.mixer.parameters(), learner._target_mixer.parameters(), strict=True)
        return all(torch.equal(a, b) for a, b in (*pairs, *mixers))

    assert same()
    observed = []
    for _ in range(6):
        learner.update(batch)
        observed.append(same())
    assert observed == [False, False, True, False, False, True]


def test_gradients_are_clipped_per_group() -> None:
    learner = make_learner("lmac", grad_clip=1e-3)
    metrics = learner.update(make_episodes(SCHEMA, [5, 5], message_dim=M))
    assert metrics["grad_norm_utility"] > 1e-3
    assert metrics["grad_norm_communication"] > 1e-3
    groups = learner.method.parameter_groups()
    for name, extra in (("utility", list(learner.mixer.parameters())), ("communication", [])):
        squares = [p.grad.square().sum() for p in (*groups[name], *extra) if p.grad is not None]
        assert torch.stack(squares).sum().sqrt().item() == pytest.approx(1e-3, rel=1e-3)


def test_loss_is_the_weighted_sum_of_its_terms() -> None:
    learner = make_learner("lmac", reconstruction_coef=2.0, sai_coef=0.5, cycle_coef=3.0)
    metrics = learner.update(make_episodes(SCHEMA, [5, 5], message_dim=M))
    terms = metrics["td_loss"] + 2 * metrics["reconstruction_loss"] + 0.5 * metrics["sai_loss"]
    assert metrics["loss"] == pytest.approx(terms + 3 * metrics["cycle_loss"], rel=1e-5)


def test_a_loss_that_is_not_finite_is_an_error() -> None:
    batch = make_episodes(SCHEMA, [3])
    batch.obs[0, 1] = np.nan
    with pytest.raises(FloatingPointError, match="the loss of update 1 is nan"):
        make_learner().update(batch)


def test_a_method_that_needs_messages_says_so_when_the_batch_has_none() -> None:
    with pytest.raises(ValueError, match="'direct' needs messages"):
        make_learner("direct").update(make_episodes(SCHEMA, [3]))


# --- rewards and configuration ---


def test_reward_standardisation_by_hand() -> None:
    """Played rewards 1, 3, 5 (mean 3, variance 8/3, mean square 35/3); padding does not count."""
    batch = make_episodes(SCHEMA, [2, 1])
    batch.rewards[:] = [[1.0, 3.0], [5.0, 0.0]]
    tensors = TensorBatch.from_episodes(batch, SCHEMA)
    played = np.array([1.0, 3.0, 5.0])
    published = RewardScale("published")
    np.testing.assert_allclose(published(tensors)[tensors.filled], (played - 3) / np.sqrt(8 / 3), rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(RewardScale("scale")(tensors)[tensors.filled], played / np.sqrt(35 / 3), rtol=1e-3)
    assert torch.equal(RewardScale("off")(tensors), tensors.rewards)
    # over two batches the statistics are those of all rewards together
    batch.rewards[:] = [[7.0, 9.0], [11.0, 0.0]]
    published(TensorBatch.from_episodes(batch, SCHEMA))
    assert published.mean == pytest.approx(6.0, rel=1e-3)
    assert published.variance == pytest.approx(np.var([1, 3, 5, 7, 9, 11]), rel=1e-3)


def test_a_reward_that_never_varies_is_scaled_to_one() -> None:
    batch = make_episodes(SCHEMA, [4])
    batch.rewards[:] = -0.01
    scaled = RewardScale("scale")(TensorBatch.from_episodes(batch, SCHEMA))
    assert scaled.abs().max().item() < 2.0


@pytest.mark.parametrize(
    ("config", "quoted"),
    [
        ({"gamma": 1.5}, "gamma 1.5"),
        ({"lr": 0.0}, "lr 0.0"),
        ({"target_update_interval": 0}, "target_update_interval 0"),
        ({"reward_standardisation": "on"}, "'on'"),
        ({"sai_coef": -1.0}, "sai_coef -1.0"),
    ],
)
def test_a_wrong_configuration_quotes_the_value(config: dict[str, Any], quoted: str) -> None:
    with pytest.raises(ValueError, match=quoted):
        LearnerConfig(**config)
