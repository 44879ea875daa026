"""What chance does to a round of episodes: exploration, and what messages suffer on the way.

Axes: E environments, N agents, M message, C what an agent hears by a method's own network, A actions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.errors import UsageError
from buffers.schema import TaskSchema

__all__ = ["Chance", "Channel"]


@dataclass(frozen=True)
class Channel:
    """What messages suffer on the way, a protocol's and those that a method learns to send.

    `loss`: probability that what a sender sends does not reach a receiver in a step. `silent`: agents of whom nothing
    reaches anybody. `noise`: standard deviation of Gaussian noise on each value that a receiver keeps of a protocol, or
    hears by a method's own network. `delay`: steps by which that is late; before them it is zero.
    """

    loss: float = 0.0
    noise: float = 0.0
    delay: int = 0
    silent: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.loss <= 1:
            raise ValueError(f"message loss {self.loss} is not a probability")
        if self.noise < 0 or self.delay < 0:
            raise ValueError(f"message noise {self.noise} and delay {self.delay} cannot be negative")
        if any(agent < 0 for agent in self.silent):
            raise ValueError(f"silent agents {self.silent}: agents are numbered from 0")

    def require_agents(self, n_agents: int) -> None:
        """Raise `UsageError` where an agent that is to be silent does not exist."""
        for agent in self.silent:
            if agent >= n_agents:
                raise UsageError(f"silent agent {agent} is not among the {n_agents} agents, 0 to {n_agents - 1}")

    @property
    def perfect(self) -> bool:
        """True when every message arrives as it was sent."""
        return self == Channel()


class Chance:
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
        self._keys = [[root_seed & (2**64 - 1), first_episode + k] for k in range(count)]
        # counter-based, so that one generator per episode costs microseconds
        generators = [np.random.Generator(np.random.Philox(key=key)) for key in self._keys]
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
        self._heard: list[Float32Array] = []

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
        channel = self._channel
        if not channel.loss and not channel.silent:
            return None
        n = self._explore.shape[-1]
        arrives = np.ones((n_envs, n, n), dtype=bool)
        if channel.loss:
            arrives[: self._count] = self._arrives[:, t]
        arrives[:, :, list(channel.silent)] = False
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
        """Return what receivers keep of a protocol after noise and delay, `[E, N, M]`."""
        if self._channel.noise:
            messages = messages.copy()
            messages[: self._count] += self._noise[:, t]
        return self._late(t, messages, self._past)

    def hear(self, t: int, heard: Float32Array) -> Float32Array:
        """Return what agents hear by a method's own network after noise and delay, `[E, N, C]`; once in every step."""
        if self._channel.noise:
            heard = heard.copy()
            # C is the method's to say, so nothing is drawn ahead: each step has a block of the counter to itself
            blocks = (np.random.Philox(key=key, counter=[0, 0, t + 1, 0]) for key in self._keys)
            drawn = [np.random.Generator(b).standard_normal(heard.shape[1:], dtype=np.float32) for b in blocks]
            heard[: self._count] += np.float32(self._channel.noise) * np.stack(drawn)
        return self._late(t, heard, self._heard)

    def _late(self, t: int, now: Float32Array, past: list[Float32Array]) -> Float32Array:
        delay = self._channel.delay
        if not delay:
            return now
        past.append(now.copy())
        return past[t - delay] if t >= delay else np.zeros_like(now)
