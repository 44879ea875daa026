"""Whole episodes, E at a time: one forward of the network and one step of the protocol for all of them.

What is drawn at random in an episode depends on (root seed, episode number) alone: its spawn, its exploration, its lost
messages. So an episode does not change with the number of environments, and a stopped run needs no generator of the
rollout to go on.
"""

from __future__ import annotations

import abc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array, IntArray
from buffers.errors import UsageError
from buffers.packing import concatenate
from marl_runtime.channel import Chance, Channel
from marl_runtime.environment import EpisodesLostError, ScriptedPolicy, VectorEnvironment, episode_seeds
from marl_runtime.methods.base import Disturb, Method, Now
from marl_runtime.methods.lmac import Estimate, Lmac
from marl_runtime.scrambling import Scrambled

__all__ = ["Actor", "MessageSource", "MessageStepper", "NetworkActor", "Rollout", "ScriptedActor", "View"]


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
    hear: Callable[[Float32Array], Float32Array] | None = None  # [E, N, C] → what arrives of it; None for all of it


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
        links, disturb = None, None
        if self.method.needs_links:
            links = self._links(view)
            disturb = None if view.hear is None else self._disturbing(view.hear, n_agents)
        with torch.inference_mode():
            extended = self._rows(view.extended)
            if self.watch and isinstance(self.method, Lmac):
                # a channel's noise is drawn once in a step, so it would be another one here
                self.estimate = self.method.estimate_now(Now(extended, messages, state, links), self._carry)
            q, self._carry = self.method.step(extended, messages, state, self._carry, links, disturb)
        utilities = self.utilities = q.cpu().numpy().reshape(n_envs, n_agents, -1)
        return np.where(environment.avail_actions, utilities, -np.inf).argmax(axis=-1)

    def _links(self, view: View) -> torch.Tensor:
        """Return `[E, N, N]`: which sender (last axis) reaches which receiver by the method's own network."""
        alive = view.environment.alive
        links = alive[:, None, :] & ~np.eye(alive.shape[1], dtype=bool)
        if view.delivered is not None:
            links = links & view.delivered
        return torch.from_numpy(links).to(self.device)

    def _disturbing(self, hear: Callable[[Float32Array], Float32Array], n_agents: int) -> Disturb:
        def disturb(heard: torch.Tensor) -> torch.Tensor:
            by_agent = heard.cpu().numpy().reshape(-1, n_agents, heard.shape[-1])
            return self._rows(hear(by_agent))

        return disturb

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


class Rollout:
    """Plays numbered episodes of one task in rounds of E, with the protocol inside where one is given."""

    def __init__(
        self, environment: VectorEnvironment, protocol: MessageSource | None = None, channel: Channel | None = None
    ) -> None:
        self.environment = environment
        self.schema = environment.schema
        self.message_dim = 0 if protocol is None else protocol.message_dim
        self._channel = channel or Channel()
        self._channel.require_agents(self.schema.n_agents)
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
        chance = Chance(
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
            hear = partial(chance.hear, t) if self._channel.noise or self._channel.delay else None
            actions = actor.act(View(env, self._extended, messages, delivered, hear))
            if explores:
                actions = chance.explore(t, actions, env.avail_actions, epsilon)
            result = env.step(actions)
            record.step(t, np.flatnonzero(playing), actions, result)
            self._last_actions[:] = 0
            np.put_along_axis(self._last_actions, actions[..., None], 1, axis=2)
        raise AssertionError("the loop returns or raises")

    def _messages(self, chance: Chance, t: int, delivered: BoolArray | None) -> Float32Array | None:
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
