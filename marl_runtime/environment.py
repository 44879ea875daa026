"""The one interface of every environment: E episodes in step, as NumPy arrays.

Axes: E environments, N agents, O observation, S state, A actions.
"""

from __future__ import annotations

import abc
import traceback
from dataclasses import dataclass

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.errors import ProtocolDesignerError, RejectedError
from buffers.schema import TaskSchema

__all__ = [
    "EnvironmentCrashError",
    "EpisodesLostError",
    "ScriptedPolicy",
    "StepResult",
    "VectorEnvironment",
    "episode_seeds",
]


class EnvironmentCrashError(RejectedError):
    """Someone else's environment raised; the message has the file and the line."""

    @classmethod
    def of(cls, what: str, error: Exception) -> EnvironmentCrashError:
        """Return the one line that stands for `error`, raised while doing `what`."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = " ".join(str(error).split())
        said = f"{type(error).__name__}{f': {reason}' if reason else ''}"
        return cls(f"{what} raised {said} ({last.filename}, line {last.lineno})")


class EpisodesLostError(ProtocolDesignerError):
    """The episodes being played are lost and nothing of them counts; the environment is ready for another reset."""


@dataclass(frozen=True)
class StepResult:
    """What one joint step gave in each environment.

    `terminated`: the task itself ended. `truncated`: the time limit cut the episode; never both. `success`: the task's
    own word for it (`battle_won`), true at most on the step that ends an episode. `regime`: the true one after
    the step, which no agent sees.
    """

    rewards: Float32Array  # [E]
    terminated: BoolArray  # [E]
    truncated: BoolArray  # [E]
    success: BoolArray  # [E]
    regime: IntArray | None = None  # [E], numbers in the environment's `regimes`; None where nothing ever changes


class VectorEnvironment(abc.ABC):
    """E independent episodes of one task, stepped together.

    After `reset` or `step`, the four arrays below describe the present. They are the environment's own memory, written
    again by the next call: a caller that keeps them copies them. There is no automatic reset: an episode that ended
    stays as it ended (its rewards are 0 and its flags False) until `reset` names it.
    """

    schema: TaskSchema
    num_envs: int
    obs: Float32Array  # [E, N, O]; zeros for the dead
    state: Float32Array  # [E, S]
    avail_actions: BoolArray  # [E, N, A]; at least one action is always available
    alive: BoolArray  # [E, N]
    regimes: tuple[str, ...] = ()  # the names of what the world changes between

    @abc.abstractmethod
    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new episodes where `mask` `[E]` is true, each from its seed in `seeds` `[E]` (ignored elsewhere)."""

    @abc.abstractmethod
    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]` in every environment that has not ended; an unavailable action raises ValueError."""

    def close(self) -> None:  # noqa: B027 - most environments hold nothing that needs closing
        """Release what the environment holds."""


class ScriptedPolicy(abc.ABC):
    """A policy written by hand: a check of the task, and a reference line beside learning curves."""

    name: str
    summary: str

    @abc.abstractmethod
    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Forget what was remembered of the episodes where `mask` `[E]` is true; called after their reset."""

    @abc.abstractmethod
    def act(self, environment: VectorEnvironment) -> IntArray:
        """Return available actions `[E, N]`; called exactly once before each step."""


def episode_seeds(root_seed: int, first_episode: int, count: int) -> IntArray:
    """Return the seeds `[count]` of episodes first_episode, first_episode + 1, … of the run with `root_seed`.

    Each depends on (root seed, episode number) alone, so an episode plays the same whoever plays it and when.
    """
    with np.errstate(over="ignore"):
        # splitmix64 over a counter that starts at a hash of the root seed
        start = np.random.SeedSequence(root_seed).generate_state(1, np.uint64)[0]
        z = start + np.arange(first_episode + 1, first_episode + count + 1, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(1)).astype(np.int64)
