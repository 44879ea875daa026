"""A bandit-like task of one to three steps in which only what another agent says is of use."""

from __future__ import annotations

import numpy as np

from buffers.episodes import BoolArray, IntArray
from buffers.schema import Field, TaskSchema
from marl_runtime.environment import StepResult, VectorEnvironment

SAYERS, ACTIONS = 3, 2


def whisper_schema(steps: int) -> TaskSchema:
    return TaskSchema(
        name="whisper",
        summary="Agent 0 sees the answer, agent 1 is paid for naming it, agent 2 sees a coin of no use.",
        roles=("knower", "doer", "bystander"),
        obs_fields=(Field("seen.coin", "the answer to the knower, a coin to the bystander", low=-1.0),),
        state_fields=(Field("answer.sign", "the answer", low=-1.0),),
        action_names=("minus", "plus"),
        episode_limit=steps,
    )


class WhisperGame(VectorEnvironment):
    """Each step has a new answer of -1 or 1; the doer's action is paid 1 when it is right. Chance earns one half."""

    def __init__(self, num_envs: int, steps: int = 2) -> None:
        self.schema = whisper_schema(steps)
        self.num_envs = num_envs
        self.obs = np.zeros((num_envs, SAYERS, 1), dtype=np.float32)
        self.state = np.zeros((num_envs, 1), dtype=np.float32)
        self.avail_actions = np.ones((num_envs, SAYERS, ACTIONS), dtype=bool)
        self.alive = np.ones((num_envs, SAYERS), dtype=bool)
        self._coins = np.zeros((num_envs, steps + 1, 2), dtype=np.float32)
        self._clock = np.full(num_envs, steps)

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        for index in np.flatnonzero(mask):
            drawn = np.random.default_rng(int(seeds[index])).integers(2, size=self._coins.shape[1:])
            self._coins[index] = 2 * drawn - 1
        self._clock[mask] = 0
        self._observe()

    def step(self, actions: IntArray) -> StepResult:
        running = self._clock < self.schema.episode_limit
        rewards = (running & (2 * actions[:, 1] - 1 == self.state[:, 0])).astype(np.float32)
        self._clock[running] += 1
        ended = running & (self._clock == self.schema.episode_limit)
        self._observe()
        never = np.zeros_like(ended)
        return StepResult(rewards, ended, never, never)

    def _observe(self) -> None:
        now = self._coins[np.arange(self.num_envs), self._clock]
        self.state[:, 0] = now[:, 0]
        self.obs[:, 0, 0] = now[:, 0]
        self.obs[:, 2, 0] = now[:, 1]
