"""A small task that is played for real: one agent sees a cue, the other must act on it."""

from __future__ import annotations

import numpy as np
import pytest

from buffers.episodes import BoolArray, IntArray
from buffers.schema import Field, TaskSchema
from marl_runtime.environment import ScriptedPolicy, StepResult, VectorEnvironment
from marl_runtime.tasks import Task, find_task, register, task_names

CUES, LIMIT = 3, 8
CUE_GAME = "cue-game"

SCHEMA = TaskSchema(
    name=CUE_GAME,
    summary="The watcher sees one of three cues from the second step on; the guesser must name it.",
    roles=("watcher", "guesser"),
    obs_fields=(
        Field("clock.now", "share of the limit that has passed"),
        *(Field(f"cue.is_{c}", f"1 when the cue is {c}; the watcher's alone", kind="binary") for c in range(CUES)),
    ),
    state_fields=(
        Field("clock.now", "share of the limit that has passed"),
        *(Field(f"cue.is_{c}", f"1 when the cue is {c}", kind="binary") for c in range(CUES)),
    ),
    action_names=("wait", *(f"name_{c}" for c in range(CUES))),
    episode_limit=LIMIT,
)


class CueGame(VectorEnvironment):
    """A right guess pays 1 and is the success; a wrong one ends the episode too; waiting costs 0.01."""

    def __init__(self, num_envs: int) -> None:
        self.schema = SCHEMA
        self.num_envs = num_envs
        self.obs = np.zeros((num_envs, 2, 1 + CUES), dtype=np.float32)
        self.state = np.zeros((num_envs, 1 + CUES), dtype=np.float32)
        self.avail_actions = np.zeros((num_envs, 2, 1 + CUES), dtype=bool)
        self.avail_actions[..., 0] = True
        self.alive = np.ones((num_envs, 2), dtype=bool)
        self._cue = np.zeros(num_envs, dtype=np.int64)
        self._clock = np.zeros(num_envs, dtype=np.int64)
        self._running = np.zeros(num_envs, dtype=bool)

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        for index in np.flatnonzero(mask):
            self._cue[index] = np.random.default_rng(int(seeds[index])).integers(CUES)
        self._clock[mask] = 0
        self._running[mask] = True
        self._observe()

    def step(self, actions: IntArray) -> StepResult:
        if not np.take_along_axis(self.avail_actions, actions[..., None], axis=-1).all():
            raise ValueError("an unavailable action")
        running, guess = self._running.copy(), actions[:, 1]
        self._clock[running] += 1
        right = running & (guess == self._cue + 1)
        ended = running & (guess > 0)
        late = running & ~ended & (self._clock == LIMIT)
        self._running &= ~(ended | late)
        rewards = np.where(running, right - 0.01, 0).astype(np.float32)
        self._observe()
        return StepResult(rewards, ended, late, right)

    def _observe(self) -> None:
        self.state[:] = 0
        self.state[:, 0] = self._clock / LIMIT
        self.state[np.arange(self.num_envs), 1 + self._cue] = 1
        self.obs[:] = 0
        self.obs[..., 0] = self.state[:, :1]
        self.obs[:, 0, 1:] = self.state[:, 1:] * (self._clock > 0)[:, None]
        self.avail_actions[:, 1, 1:] = (self._clock >= 2)[:, None]


class Knowing(ScriptedPolicy):
    """Names the cue out of the state after two steps."""

    name = "knowing"
    summary = "names the true cue"

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        pass

    def act(self, environment: VectorEnvironment) -> IntArray:
        cue = environment.state[:, 1:].argmax(axis=1) + 1
        actions = np.zeros((environment.num_envs, 2), dtype=np.int64)
        actions[:, 1] = np.where(environment.avail_actions[:, 1, 1], cue, 0)
        return actions


@pytest.fixture(scope="session")
def cue_game() -> Task:
    if CUE_GAME not in task_names():
        register(Task(CUE_GAME, SCHEMA.summary, "test", SCHEMA, CueGame, {"knowing": Knowing}, requires=""))
    return find_task(CUE_GAME)
