"""Controls: what they hear in place of the protocol's messages, how large they are, under which mixer they learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from toy_episodes import make_episodes, make_schema
from whisper_game import WhisperGame

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array
from buffers.errors import UsageError
from marl_runtime.assembly import build_learner, spoken_by
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import MethodConfig, MethodInputs, build_method
from marl_runtime.methods.observations import others_observations
from marl_runtime.networks import TensorBatch
from marl_runtime.rollout import Actor, Rollout, View
from marl_runtime.scrambling import Scrambled
from marl_runtime.training_config import TrainConfig

SCHEMA = make_schema()


class Says:
    """A protocol by which every receiver keeps the knower's coin and how many steps were played."""

    message_dim = 2

    def stepper(self, num_envs: int) -> Says:
        self._clock = np.zeros(num_envs, dtype=np.float32)
        return self

    def reset(self, mask: BoolArray) -> None:
        self._clock[mask] = 0

    def step(self, extended: Float32Array, alive: BoolArray, delivered: BoolArray | None = None) -> Float32Array:
        said = np.stack([extended[:, 0, 0], self._clock], axis=1)
        self._clock += 1
        return np.repeat(said[:, None], alive.shape[1], axis=1)


class Stays(Actor):
    def reset(self, environment: object) -> None:
        pass

    def act(self, view: View) -> np.ndarray:
        return np.zeros(view.environment.alive.shape, dtype=np.int64)


def play(kind: str, num_envs: int, count: int, first: int = 0) -> EpisodeBatch:
    protocol = Scrambled(Says(), kind) if kind else Says()
    return Rollout(WhisperGame(num_envs, steps=3), protocol).play(Stays(), 7, first, count)


def test_shuffled_messages_are_the_next_episodes_and_the_last_hears_the_first() -> None:
    honest, shuffled = play("", 8, 5), play("shuffled", 8, 5)
    assert np.array_equal(shuffled.obs, honest.obs)
    assert np.array_equal(shuffled.messages, honest.messages[[1, 2, 3, 4, 0]])
    assert not np.array_equal(shuffled.messages, honest.messages)
    assert shuffled.messages[0, :, 0, 1].tolist() == [0, 1, 2, 3]  # of the same step


def test_an_episode_alone_in_its_round_has_no_messages_of_another() -> None:
    with pytest.raises(UsageError, match=r"episode 4 is alone in its round.*play two episodes at once"):
        play("shuffled", 4, 5)


def test_random_messages_are_normal_noise_that_belongs_to_the_episode() -> None:
    together, apart = play("random", 64, 64), play("random", 7, 64)
    assert np.array_equal(together.messages, apart.messages)
    assert np.array_equal(play("random", 1, 1, first=9).messages[0], together.messages[9])
    # 64 episodes of 4 entries, 3 agents, 2 numbers: 1,536 draws, standard error 0.026
    assert together.messages.mean() == pytest.approx(0, abs=0.08)
    assert together.messages.std() == pytest.approx(1, abs=0.06)


def test_what_speaks_is_the_protocol_scrambled_where_the_method_says_so() -> None:
    inputs, protocol = MethodInputs.for_schema(SCHEMA, 2), Says()
    assert spoken_by(build_method("lmac", inputs), protocol) is protocol
    assert spoken_by(build_method("enc_zero", inputs), protocol) is None
    for name, kind in (("enc_random", "random"), ("enc_shuffled", "shuffled")):
        scrambled = spoken_by(build_method(name, inputs), protocol)
        assert isinstance(scrambled, Scrambled)
        assert scrambled.kind == kind
    with pytest.raises(ValueError, match="not 'mixed'"):
        Scrambled(protocol, "mixed")


def test_everybodys_observation_reaches_everybody_but_not_from_the_dead() -> None:
    """Observations of 5 numbers, all 10 i + 1 for agent i; agent 1 is dead."""
    batch = TensorBatch.from_episodes(make_episodes(SCHEMA, [2]), SCHEMA)
    batch.extended[..., :5] = torch.tensor([1.0, 11.0, 21.0])[:, None]
    batch.alive[:] = torch.tensor([True, False, True])
    heard = others_observations(batch.extended, batch.links, SCHEMA)[0, 0].view(3, 3, 5)[..., 0]
    assert heard.tolist() == [[0, 0, 21], [1, 0, 21], [1, 0, 0]]


def test_the_encoder_of_all_observations_equals_lmac_told_the_same() -> None:
    """`enc_full` is LMAC whose messages are the observations: the same weights give the same utilities and losses."""
    episodes = make_episodes(SCHEMA, [4, 6], message_dim=2)
    batch = TensorBatch.from_episodes(episodes, SCHEMA)
    heard = others_observations(batch.extended, batch.links, SCHEMA)
    full = build_method("enc_full", MethodInputs.for_schema(SCHEMA, 2), MethodConfig(dropout=0.0)).train()
    lmac = build_method("lmac", MethodInputs.for_schema(SCHEMA, 15), MethodConfig(dropout=0.0)).train()
    lmac.load_state_dict(full.state_dict())
    told = TensorBatch(**{**vars(batch), "messages": heard})
    one, two = full.unroll(batch), lmac.unroll(told)
    assert torch.equal(one.q, two.q)
    assert {k: v.item() for k, v in one.losses.items()} == {k: v.item() for k, v in two.losses.items()}


def test_the_wide_control_is_the_smallest_that_is_no_smaller_than_lmac() -> None:
    inputs = MethodInputs.for_schema(SCHEMA, 6)
    wide, lmac = build_method("qmix_wide", inputs), build_method("lmac", inputs)
    width, inputs_dim, actions = wide.utility_dim, SCHEMA.extended_dim + 1, SCHEMA.n_actions
    assert wide.executed_parameters >= lmac.executed_parameters
    narrower = width - 1
    assert narrower * inputs_dim + 6 * narrower * width + actions * width < lmac.executed_parameters
    # encoder: (12 + 6 + 1) 64, norm 128, 65 · 64, GRU 6 · 64 · 65, query 65 · 20, key and value 65 · 40;
    # utility network: (12 + 20 + 1) 64, GRU 6 · 64 · 65, head 65 · 4
    assert lmac.executed_parameters == 19 * 64 + 128 + 65 * 64 + 24960 + 65 * 60 + 33 * 64 + 24960 + 260


def test_methods_that_are_named_after_a_mixer_learn_under_it() -> None:
    for name, mixer in (("vdn", "vdn"), ("qplex", "qplex"), ("qmix", "qmix")):
        learner = build_learner(
            name, "qmix", MethodInputs.for_schema(SCHEMA), network=MethodConfig(), learner=LearnerConfig(),
            device=torch.device("cpu"), seed=0,
        )  # fmt: skip
        assert learner.mixer.name == mixer
    with pytest.raises(ValueError, match="method 'vdn' has the mixer 'vdn', not 'qplex'"):
        TrainConfig("bane_vs_hM", "vdn", mixer="qplex")


def test_lost_messages_are_lost_for_methods_that_learn_to_talk() -> None:
    """Without links `full_comm` hears zeros: a channel that loses everything is the same as everybody else dead."""
    method = build_method("full_comm", MethodInputs.for_schema(SCHEMA)).eval()
    rows = torch.randn(3, SCHEMA.extended_dim)
    silent, all_lost = rows.clone(), torch.zeros(1, 3, 3, dtype=torch.bool)
    q = method.step(rows, None, None, method.initial_state(3), all_lost)[0]
    silent[1:] = 7.0
    assert torch.equal(method.step(silent, None, None, method.initial_state(3), all_lost)[0][0], q[0])
