"""Episodes as they are played: by themselves or together, with messages, exploration and a lossy channel."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array, IntArray
from buffers.errors import UsageError
from marl_runtime.assembly import build_learner, find_device, method_inputs
from marl_runtime.channel import Chance, Channel
from marl_runtime.environment import VectorEnvironment
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import MethodConfig
from marl_runtime.rollout import Actor, NetworkActor, Rollout, ScriptedActor, View
from marl_runtime.tasks import Task


class Waiting(Actor):
    """Everybody does nothing."""

    def reset(self, environment: VectorEnvironment) -> None:
        pass

    def act(self, view: View) -> IntArray:
        return np.zeros(view.environment.alive.shape, dtype=np.int64)


class Counting:
    """A protocol of M = 3: own first field, how many payloads arrived, and the steps since the episode began."""

    message_dim = 3

    def stepper(self, num_envs: int) -> CountingStepper:
        return CountingStepper(num_envs)


class CountingStepper:
    def __init__(self, num_envs: int) -> None:
        self.age = np.zeros(num_envs)

    def reset(self, mask: BoolArray) -> None:
        self.age[mask] = 0

    def step(self, extended: Float32Array, alive: BoolArray, delivered: BoolArray | None = None) -> Float32Array:
        e, n, _ = extended.shape
        messages = np.zeros((e, n, 3), dtype=np.float32)
        messages[..., 0] = extended[..., 0]
        messages[..., 1] = n if delivered is None else delivered.sum(axis=-1)
        messages[..., 2] = self.age[:, None]
        self.age += 1
        return messages


def network(task: Task) -> NetworkActor:
    learner = build_learner(
        "qmix", "qmix", method_inputs(task.schema, None), network=MethodConfig(), learner=LearnerConfig(),
        device=find_device("cpu"), seed=3,
    )  # fmt: skip
    return NetworkActor(learner.method)


def scripted(task: Task) -> ScriptedActor:
    return ScriptedActor(task.scripted["knowing"]())


def assert_same(a: EpisodeBatch, b: EpisodeBatch) -> None:
    for f in fields(EpisodeBatch):
        np.testing.assert_array_equal(getattr(a, f.name), getattr(b, f.name), err_msg=f.name)


@pytest.mark.parametrize("make", [network, scripted])
@pytest.mark.parametrize("envs", [1, 4, 16])
def test_an_episode_is_the_same_in_any_company(cue_game: Task, make: object, envs: int) -> None:
    source = Counting()
    alone = [
        Rollout(cue_game.make(1), source).play(make(cue_game), 7, number, 1, epsilon=0.4)  # type: ignore[operator]
        for number in range(10)
    ]
    together = Rollout(cue_game.make(envs), source).play(make(cue_game), 7, 0, 10, epsilon=0.4)  # type: ignore[operator]
    assert together.n_episodes == 10
    for number, single in enumerate(alone):
        assert_same(single, together.select(slice(number, number + 1)))
    later = Rollout(cue_game.make(envs), source).play(make(cue_game), 7, 6, 4, epsilon=0.4)  # type: ignore[operator]
    assert_same(later, together.select(slice(6, 10)))


def test_episodes_differ_by_number_and_by_seed(cue_game: Task) -> None:
    rollout = Rollout(cue_game.make(8))
    first, second = (rollout.play(Waiting(), seed, 0, 64, epsilon=1.0) for seed in (0, 1))
    assert len(np.unique(first.state[:, 0, 1:], axis=0)) == 3
    assert (first.actions != second.actions).any()


def test_what_was_played_is_recorded_and_padding_is_zero(cue_game: Task) -> None:
    batch = Rollout(cue_game.make(8)).play(scripted(cue_game), 0, 0, 8, epsilon=0.5)
    assert len(set(batch.lengths.tolist())) > 1
    for e, length in enumerate(batch.lengths):
        assert batch.filled[e].tolist() == [True] * length + [False] * (8 - length)
        ended = batch.terminated[e] | batch.truncated[e]
        assert np.flatnonzero(ended).tolist() == [length - 1]
        # the clock counts 0, 1/8, ... up to and including the entry after the last step
        np.testing.assert_allclose(batch.state[e, : length + 1, 0] * 8, np.arange(length + 1))
        for array in (batch.obs[e, length + 1 :], batch.state[e, length + 1 :], batch.alive[e, length + 1 :]):
            assert not array.any()
        assert not batch.rewards[e, length:].any()
        assert batch.avail_actions[e, length + 1 :, :, 0].all()
        assert not batch.avail_actions[e, length + 1 :, :, 1:].any()
    assert batch.success.tolist() == (batch.returns > 0.5).tolist()


def test_waiting_is_cut_at_the_limit(cue_game: Task) -> None:
    batch = Rollout(cue_game.make(2)).play(Waiting(), 0, 0, 2)
    assert batch.lengths.tolist() == [8, 8]
    assert batch.truncated[:, -1].all()
    assert not batch.terminated.any()
    assert batch.returns == pytest.approx([-0.08, -0.08])


def test_messages_are_stored_for_every_entry_and_begin_anew(cue_game: Task) -> None:
    rollout = Rollout(cue_game.make(4), Counting())
    for first in (0, 4):
        batch = rollout.play(scripted(cue_game), 0, first, 4, epsilon=0.5)
        assert batch.messages is not None
        for e, length in enumerate(batch.lengths):
            played = batch.messages[e, : length + 1]
            np.testing.assert_array_equal(played[..., 0], batch.obs[e, : length + 1, :, 0])
            np.testing.assert_array_equal(played[:, 0, 2], np.arange(length + 1))
            assert not batch.messages[e, length + 1 :].any()


class Spy(Waiting):
    """Keeps what it was shown."""

    def reset(self, environment: VectorEnvironment) -> None:
        self.seen: list[Float32Array] = []

    def act(self, view: View) -> IntArray:
        self.seen.append(view.extended.copy())
        return super().act(view)


def test_acting_sees_the_extended_observation_that_training_sees(cue_game: Task) -> None:
    spy = Spy()
    batch = Rollout(cue_game.make(3)).play(spy, 5, 0, 3, epsilon=0.7)
    extended = batch.extended_obs(cue_game.schema)
    for e, length in enumerate(batch.lengths):
        for t in range(length):
            np.testing.assert_array_equal(spy.seen[t][e], extended[e, t])


def test_exploration_is_uniform_over_available_actions(cue_game: Task) -> None:
    batch = Rollout(cue_game.make(50)).play(Waiting(), 0, 0, 3000, epsilon=np.full(3000, 0.6, dtype=np.float32))
    # the guesser may act from step 2 on: 4 actions, so each name is drawn with probability 0.6 / 4
    guesses = batch.actions[:, 2, 1][batch.filled[:, 2]]
    assert len(guesses) == 3000
    counts = np.bincount(guesses, minlength=4)
    assert all(abs(count - 450) < 80 for count in counts[1:]), counts  # standard deviation 20
    allowed = np.take_along_axis(batch.avail_actions[:, :-1], batch.actions[..., None], axis=-1)[..., 0]
    assert allowed[batch.filled].all()


def test_epsilon_is_each_episodes_own(cue_game: Task) -> None:
    epsilon = np.array([0.0, 1.0] * 20, dtype=np.float32)
    batch = Rollout(cue_game.make(8)).play(scripted(cue_game), 0, 0, 40, epsilon)
    assert batch.success[::2].all()
    assert batch.success[1::2].mean() < 0.7


def test_lost_payloads_are_lost_at_the_rate_asked_for(cue_game: Task) -> None:
    rollout = Rollout(cue_game.make(50), Counting(), Channel(loss=0.25))
    batch = rollout.play(Waiting(), 0, 0, 500)
    assert batch.messages is not None
    arrived = batch.messages[..., 1]
    # 500 episodes, 9 entries, 2 receivers, 2 senders: 18,000 payloads, standard deviation 58
    assert abs(arrived.sum() - 13_500) < 300
    again = rollout.play(Waiting(), 0, 0, 500)
    np.testing.assert_array_equal(again.messages, batch.messages)


def test_noise_and_delay_change_what_is_kept(cue_game: Task) -> None:
    plain = Rollout(cue_game.make(50), Counting()).play(Waiting(), 0, 0, 50).messages
    late = Rollout(cue_game.make(50), Counting(), Channel(delay=2)).play(Waiting(), 0, 0, 50).messages
    noisy = Rollout(cue_game.make(50), Counting(), Channel(noise=0.5)).play(Waiting(), 0, 0, 50).messages
    assert plain is not None
    assert late is not None
    assert noisy is not None
    np.testing.assert_array_equal(late[:, 2:], plain[:, :-2])
    assert not late[:, :2].any()
    noise = noisy - plain
    assert abs(noise.mean()) < 0.05
    assert noise.std() == pytest.approx(0.5, abs=0.03)  # of 2,700 values


def test_nothing_of_a_silent_agent_reaches_anybody(cue_game: Task) -> None:
    batch = Rollout(cue_game.make(20), Counting(), Channel(silent=(1,))).play(Waiting(), 0, 0, 20)
    assert batch.messages is not None
    # Counting keeps, at 1, how many of all payloads arrived: 2, and without agent 1's one
    plain = Rollout(cue_game.make(20), Counting()).play(Waiting(), 0, 0, 20)
    assert plain.messages is not None
    np.testing.assert_array_equal(batch.messages[..., 1], np.where(plain.messages[..., 1] == 2, 1, 0))
    assert batch.messages[..., 1].any()
    with pytest.raises(UsageError, match="silent agent 2 is not among the 2 agents, 0 to 1"):
        Rollout(cue_game.make(20), Counting(), Channel(silent=(2,)))


def test_what_is_heard_by_a_methods_own_network_is_noisy_and_late_in_the_same_way_again(cue_game: Task) -> None:
    def chance(channel: Channel, first: int = 0) -> Chance:
        return Chance(7, first, 40, schema=cue_game.schema, channel=channel, message_dim=0)

    heard = np.zeros((40, 2, 25), dtype=np.float32)
    noise = chance(Channel(noise=0.5)).hear(3, heard)
    assert noise.std() == pytest.approx(0.5, abs=0.03)  # of 2,000 values
    np.testing.assert_array_equal(chance(Channel(noise=0.5)).hear(3, heard), noise)
    # each episode's own, whatever stands beside it, and another one in every step
    np.testing.assert_array_equal(chance(Channel(noise=0.5), first=10).hear(3, heard)[:30], noise[10:])
    assert np.abs(chance(Channel(noise=0.5)).hear(4, heard) - noise).min() > 0
    late = chance(Channel(delay=1))
    assert not late.hear(0, heard + 1).any()
    np.testing.assert_array_equal(late.hear(1, heard + 2), heard + 1)


@pytest.mark.parametrize("wrong", [{"loss": 1.5}, {"noise": -0.1}, {"delay": -1}])
def test_a_channel_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        Channel(**wrong)  # type: ignore[arg-type]
