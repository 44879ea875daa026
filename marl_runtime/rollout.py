"""Whole episodes, E at a time: one forward of the network and one step of the protocol for all of them.

What is drawn at random in an episode depends on (root seed, episode number) alone: its spawn, its exploration, its lost
messages. So an episode does not change with the number of environments, and a stopped run needs no generator of the
rollout to go on.
"""

from __future__ import annotations

import abc
import warnings
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array, IntArray
from buffers.errors import UsageError
from buffers.packing import concatenate
from buffers.schema import TaskSchema
from marl_runtime.environment import EpisodesLostError, ScriptedPolicy, VectorEnvironment, episode_seeds
from marl_runtime.methods.base import Method, Now
from marl_runtime.methods.lmac import Estimate, Lmac
from marl_runtime.scrambling import Scrambled

__all__ = ["Actor", "Channel", "MessageSource", "MessageStepper", "NetworkActor", "Rollout", "ScriptedActor", "View"]


class MessageStepper(Protocol):
    """A protocol played step by step in E environments."""

    def reset(self, mask: BoolArray) -> None:
        """Forget the history of the environments where `mask` `[E]` is true."""

    def step(self, extended: Float32Array, alive: BoolArray, delivered: BoolArray | None = None) -> Float32Array:
        """Return what every receiver keeps now, `[E, N, M]`; `delivered` is `[E, N receiver, N sender]`."""


class MessageSource(Protocol):
    """What a rollout needs of a communication protocol; a control's is a `marl_runtime.scrambling.Scrambled`."""

    @property
    def message_dim(self) -> int:
        """M, the width of what one receiver keeps."""

    def stepper(self, num_envs: int) -> MessageStepper:
        """Return a stepper for E environments."""


@dataclass(frozen=True)
class View:
    """What acts may look at, now; the arrays are written again at the next step."""

    environment: VectorEnvironment
    extended: Float32Array  # [E, N, D]
    messages: Float32Array | None  # [E, N, M]
    delivered: BoolArray | None = None  # [E, N receiver, N sender]: what is not lost on the way; None for all


class Actor(abc.ABC):
    """Chooses the greedy joint action of E environments; exploration is the rollout's own."""

    @abc.abstractmethod
    def reset(self, environment: VectorEnvironment) -> None:
        """Forget everything: a new round begins, and `environment` has been reset."""

    @abc.abstractmethod
    def act(self, view: View) -> IntArray:
        """Return available actions `[E, N]`; called exactly once before each step."""


class NetworkActor(Actor):
    """The greedy policy of a method: the available action of the highest utility, one forward for all environments.

    With `watch`, `estimate` is what each row believes of the state at the step that it just acted on, and how sure it
    is, for methods whose agents make such estimates; it costs a second pass through their encoder.
    """

    def __init__(self, method: Method, device: torch.device | str = "cpu", *, watch: bool = False) -> None:
        self.method = method
        self.watch = watch
        self.estimate: Estimate | None = None
        self.utilities: Float32Array | None = None
        """Of the step that was just acted on, `[E, N, A]`."""
        self.device = torch.device(device)
        self._carry: Any = None

    def reset(self, environment: VectorEnvironment) -> None:
        """Start from the initial recurrent state."""
        rows = environment.num_envs * environment.schema.n_agents
        with torch.inference_mode():
            self._carry = self.method.initial_state(rows, self.device)

    def act(self, view: View) -> IntArray:
        """Return argmax over available actions of the utilities, `[E, N]`."""
        environment = view.environment
        n_envs, n_agents = environment.alive.shape
        messages = None if view.messages is None else self._rows(view.messages)
        state = self._rows(np.repeat(environment.state[:, None], n_agents, axis=1))
        links = self._links(view) if self.method.needs_links else None
        with torch.inference_mode():
            extended = self._rows(view.extended)
            if self.watch and isinstance(self.method, Lmac):
                self.estimate = self.method.estimate_now(Now(extended, messages, state, links), self._carry)
            q, self._carry = self.method.step(extended, messages, state, self._carry, links)
        utilities = self.utilities = q.cpu().numpy().reshape(n_envs, n_agents, -1)
        return np.where(environment.avail_actions, utilities, -np.inf).argmax(axis=-1)

    def _links(self, view: View) -> torch.Tensor:
        """Return `[E, N, N]`: which sender (last axis) reaches which receiver by the method's own network."""
        alive = view.environment.alive
        links = alive[:, None, :] & ~np.eye(alive.shape[1], dtype=bool)
        if view.delivered is not None:
            links = links & view.delivered
        return torch.from_numpy(links).to(self.device)

    def _rows(self, array: Float32Array) -> torch.Tensor:
        return torch.from_numpy(array.reshape(-1, array.shape[-1])).to(self.device)


class ScriptedActor(Actor):
    """A policy written by hand."""

    def __init__(self, policy: ScriptedPolicy) -> None:
        self.policy = policy

    def reset(self, environment: VectorEnvironment) -> None:
        """Begin new episodes everywhere."""
        self.policy.reset(environment, np.ones(environment.num_envs, dtype=bool))

    def act(self, view: View) -> IntArray:
        """Ask the policy."""
        return self.policy.act(view.environment)


@dataclass(frozen=True)
class Channel:
    """How messages suffer on the way, in evaluation.

    `loss`: probability that a sender's payload does not reach a receiver in a step. `noise`: standard deviation of
    Gaussian noise on each value that a receiver keeps. `delay`: steps by which what a receiver keeps is late; before
    them it is zero.
    """

    loss: float = 0.0
    noise: float = 0.0
    delay: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.loss <= 1:
            raise ValueError(f"message loss {self.loss} is not a probability")
        if self.noise < 0 or self.delay < 0:
            raise ValueError(f"message noise {self.noise} and delay {self.delay} cannot be negative")

    @property
    def perfect(self) -> bool:
        """True when every message arrives as it was sent."""
        return self == Channel()


class Rollout:
    """Plays numbered episodes of one task in rounds of E, with the protocol inside where one is given."""

    def __init__(
        self, environment: VectorEnvironment, protocol: MessageSource | None = None, channel: Channel | None = None
    ) -> None:
        self.environment = environment
        self.schema = environment.schema
        self.message_dim = 0 if protocol is None else protocol.message_dim
        self._channel = channel or Channel()
        self._stepper = None if protocol is None else protocol.stepper(environment.num_envs)
        self._scrambles = protocol.kind if isinstance(protocol, Scrambled) else ""
        n, schema = self.schema.n_agents, self.schema
        self._extended = np.zeros((environment.num_envs, n, schema.extended_dim), dtype=np.float32)
        self._extended[:, :, schema.obs_dim + schema.n_actions :] = np.eye(n, dtype=np.float32)
        self._own_obs = self._extended[:, :, : schema.obs_dim]
        self._last_actions = self._extended[:, :, schema.obs_dim : schema.obs_dim + schema.n_actions]

    def play(
        self, actor: Actor, root_seed: int, first_episode: int, count: int, epsilon: float | Float32Array = 0.0
    ) -> EpisodeBatch:
        """Return `count` episodes from number `first_episode` on, in order, padded to the episode limit.

        `epsilon` is the probability, per agent and step, of a random available action: one number, or one per episode
        `[count]`.
        """
        epsilons = np.broadcast_to(np.asarray(epsilon, dtype=np.float32), (count,))
        size = self.environment.num_envs
        rounds = [
            self._whole_round(actor, root_seed, first_episode + start, epsilons[start : start + size])
            for start in range(0, count, size)
        ]
        return rounds[0] if len(rounds) == 1 else concatenate(rounds)

    def _whole_round(self, actor: Actor, root_seed: int, first_episode: int, epsilon: Float32Array) -> EpisodeBatch:
        """Play a round, again from its start where the environment lost it: it gives up by itself in the end."""
        while True:
            try:
                return self._play_round(actor, root_seed, first_episode, epsilon)
            except EpisodesLostError as lost:
                warnings.warn(str(lost), RuntimeWarning, stacklevel=3)

    def _play_round(self, actor: Actor, root_seed: int, first_episode: int, epsilon: Float32Array) -> EpisodeBatch:
        env, limit, count = self.environment, self.schema.episode_limit, len(epsilon)
        if self._scrambles == "shuffled" and count < 2:
            raise UsageError(
                f"episode {first_episode} is alone in its round, and shuffled messages are another episode's: "
                "play two episodes at once or more"
            )
        chance = _Chance(
            root_seed,
            first_episode,
            count,
            schema=self.schema,
            channel=self._channel,
            message_dim=self.message_dim,
            scrambles=self._scrambles,
        )
        playing = np.arange(env.num_envs) < count
        seeds = np.zeros(env.num_envs, dtype=np.int64)
        seeds[:count] = episode_seeds(root_seed, first_episode, count)
        env.reset(playing, seeds)
        self._last_actions[:] = 0
        if self._stepper is not None:
            self._stepper.reset(np.ones(env.num_envs, dtype=bool))
        actor.reset(env)
        record = _Record(self, count)
        explores = bool((epsilon > 0).any())
        for t in range(limit + 1):
            rows = np.flatnonzero(playing)
            self._own_obs[:] = env.obs
            delivered = chance.delivered(t, env.num_envs)
            messages = self._messages(chance, t, delivered)
            record.entry(t, rows, env, messages)
            playing = playing & ~record.ended
            if not playing.any():
                return record.batch()
            if t == limit:
                raise RuntimeError(f"task {self.schema.name!r} went on past its limit of {limit} steps")
            actions = actor.act(View(env, self._extended, messages, delivered))
            if explores:
                actions = chance.explore(t, actions, env.avail_actions, epsilon)
            result = env.step(actions)
            record.step(t, np.flatnonzero(playing), actions, result)
            self._last_actions[:] = 0
            np.put_along_axis(self._last_actions, actions[..., None], 1, axis=2)
        raise AssertionError("the loop returns or raises")

    def _messages(self, chance: _Chance, t: int, delivered: BoolArray | None) -> Float32Array | None:
        """Return what every receiver keeps now, `[E, N, M]`."""
        if self._stepper is None:
            return None
        if delivered is None:
            messages = self._stepper.step(self._extended, self.environment.alive)
        else:
            messages = self._stepper.step(self._extended, self.environment.alive, delivered)
        if self._scrambles:
            messages = chance.scramble(t, messages)
        return messages if self._channel.perfect else chance.disturb(t, messages)


class _Record:
    """The arrays of one round; only what was played is written, so padding stays zero."""

    def __init__(self, rollout: Rollout, count: int) -> None:
        schema = rollout.schema
        t, n = schema.episode_limit, schema.n_agents
        self.obs = np.zeros((count, t + 1, n, schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((count, t + 1, schema.state_dim), dtype=np.float32)
        self.actions = np.zeros((count, t, n), dtype=np.int64)
        self.avail_actions = np.zeros((count, t + 1, n, schema.n_actions), dtype=bool)
        self.avail_actions[..., 0] = True
        self.alive = np.zeros((count, t + 1, n), dtype=bool)
        self.rewards = np.zeros((count, t), dtype=np.float32)
        self.terminated = np.zeros((count, t), dtype=bool)
        self.truncated = np.zeros((count, t), dtype=bool)
        self.filled = np.zeros((count, t), dtype=bool)
        self.success = np.zeros(count, dtype=bool)
        self.messages = (
            np.zeros((count, t + 1, n, rollout.message_dim), dtype=np.float32) if rollout.message_dim else None
        )
        self.ended = np.zeros(rollout.environment.num_envs, dtype=bool)

    def entry(self, t: int, rows: IntArray, env: VectorEnvironment, messages: Float32Array | None) -> None:
        self.obs[rows, t] = env.obs[rows]
        self.state[rows, t] = env.state[rows]
        self.avail_actions[rows, t] = env.avail_actions[rows]
        self.alive[rows, t] = env.alive[rows]
        if self.messages is not None and messages is not None:
            self.messages[rows, t] = messages[rows]

    def step(self, t: int, rows: IntArray, actions: IntArray, result: Any) -> None:
        self.actions[rows, t] = actions[rows]
        self.rewards[rows, t] = result.rewards[rows]
        self.terminated[rows, t] = result.terminated[rows]
        self.truncated[rows, t] = result.truncated[rows]
        self.filled[rows, t] = True
        self.success[rows] |= result.success[rows]
        self.ended |= result.terminated | result.truncated

    def batch(self) -> EpisodeBatch:
        return EpisodeBatch(
            obs=self.obs, state=self.state, actions=self.actions, avail_actions=self.avail_actions, alive=self.alive,
            rewards=self.rewards, terminated=self.terminated, truncated=self.truncated, filled=self.filled,
            success=self.success, messages=self.messages,
        )  # fmt: skip


class _Chance:
    """All random numbers of a round's episodes, each episode's from its own generator."""

    def __init__(
        self,
        root_seed: int,
        first_episode: int,
        count: int,
        *,
        schema: TaskSchema,
        channel: Channel,
        message_dim: int,
        scrambles: str = "",
    ) -> None:
        t, n = schema.episode_limit, schema.n_agents
        self._channel, self._count, self._scrambles = channel, count, scrambles
        # counter-based, so that one generator per episode costs microseconds
        generators = [
            np.random.Generator(np.random.Philox(key=[root_seed & (2**64 - 1), first_episode + k]))
            for k in range(count)
        ]
        # [count, T, 2, N]: whether to explore, and with which action
        self._explore = np.stack([g.random((t, 2, n), dtype=np.float32) for g in generators])
        if channel.loss:
            self._arrives = np.stack([g.random((t + 1, n, n), dtype=np.float32) >= channel.loss for g in generators])
        if channel.noise:
            self._noise = channel.noise * np.stack(
                [g.standard_normal((t + 1, n, message_dim), dtype=np.float32) for g in generators]
            )
        if scrambles == "random":
            self._said = np.stack([g.standard_normal((t + 1, n, message_dim), dtype=np.float32) for g in generators])
        self._past: list[Float32Array] = []

    def explore(self, t: int, actions: IntArray, available: BoolArray, epsilon: Float32Array) -> IntArray:
        """Return `actions` with a uniformly drawn available action where an agent explores."""
        count = len(epsilon)
        whether, which = self._explore[:, t, 0], self._explore[:, t, 1]
        mine = available[:count]
        rank = np.minimum((which * mine.sum(axis=-1)).astype(np.int64), mine.sum(axis=-1) - 1)
        drawn = (mine.cumsum(axis=-1) > rank[..., None]).argmax(axis=-1)
        mixed = actions.copy()
        mixed[:count] = np.where(whether < epsilon[:, None], drawn, actions[:count])
        return mixed

    def delivered(self, t: int, n_envs: int) -> BoolArray | None:
        """Return which payloads arrive, `[E, N receiver, N sender]`, or None for all."""
        if not self._channel.loss:
            return None
        arrives = np.ones((n_envs, *self._arrives.shape[2:]), dtype=bool)
        arrives[: len(self._arrives)] = self._arrives[:, t]
        return arrives

    def scramble(self, t: int, messages: Float32Array) -> Float32Array:
        """Return noise, or each episode's neighbour's messages, `[E, N, M]`."""
        scrambled = messages.copy()
        if self._scrambles == "random":
            scrambled[: self._count] = self._said[:, t]
        else:
            scrambled[: self._count] = np.roll(messages[: self._count], -1, axis=0)
        return scrambled

    def disturb(self, t: int, messages: Float32Array) -> Float32Array:
        """Return what receivers keep after noise and delay, `[E, N, M]`."""
        if self._channel.noise:
            messages = messages.copy()
            messages[: len(self._noise)] += self._noise[:, t]
        if not self._channel.delay:
            return messages
        self._past.append(messages.copy())
        return self._past[t - self._channel.delay] if t >= self._channel.delay else np.zeros_like(messages)
