"""Any cooperative environment with PettingZoo's parallel interface and a `state()`, behind our own interface.

The package pettingzoo is not needed: what counts is the interface (`possible_agents`, `agents`, `reset`, `step`,
`state`, `observation_space`, `action_space`), and what the task's file says of its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, IntArray
from buffers.errors import RejectedError
from buffers.schema import TaskSchema
from marl_runtime.environment import EnvironmentCrashError, StepResult, VectorEnvironment
from marl_runtime.environments.spaces import action_count, flat_size, flatten, mask_in
from marl_runtime.environments.task_file import Columns, TaskFile

__all__ = ["INTERFACE", "ParallelEnvironment", "call", "require_parallel"]

INTERFACE = ("possible_agents", "reset", "step", "state", "observation_space", "action_space")


def call(what: str, function: Callable[[], Any]) -> Any:
    """Return `function()`, the user's code; what it raises becomes an `EnvironmentCrashError`."""
    try:
        return function()
    except RejectedError:
        raise
    except Exception as error:
        raise EnvironmentCrashError.of(what, error) from error


def require_parallel(game: Any, name: str) -> None:
    """Refuse an object that is not a parallel environment, saying what it lacks."""
    missing = [part for part in INTERFACE if not hasattr(game, part)]
    if hasattr(game, "agent_iter"):
        raise RejectedError(f"{name} gives a turn-based (AEC) environment; give its parallel_env")
    if missing:
        raise RejectedError(
            f"{name} gives a {type(game).__name__} without {', '.join(missing)}; a PettingZoo parallel "
            "environment with a state() is needed"
        )


class ParallelEnvironment(VectorEnvironment):
    """E games of a user's environment in step. An agent that left is a row of zeros, and not alive.

    Raises `RejectedError`, naming task, place and remedy, for sizes that are not those of the task's file, for what
    the game raises, and for numbers that are not finite.
    """

    def __init__(self, make: Callable[[], Any], file: TaskFile, schema: TaskSchema, num_envs: int) -> None:
        self.schema, self.num_envs, self._file = schema, num_envs, file
        self._agents = list(file.agents)
        n = len(self._agents)
        self.obs = np.zeros((num_envs, n, schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((num_envs, schema.state_dim), dtype=np.float32)
        self.alive = np.zeros((num_envs, n), dtype=bool)
        self.avail_actions = np.zeros((num_envs, n, schema.n_actions), dtype=bool)
        self.avail_actions[..., 0] = True
        self._running = np.zeros(num_envs, dtype=bool)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._seeds = np.zeros(num_envs, dtype=np.int64)
        self._obs_columns = [Columns.of(file.observation_of(role), schema.obs_fields) for role in schema.roles]
        self._state_columns = Columns.of(file.state, schema.state_fields)
        # where each of an agent's own actions stands among the task's
        places = {name: index for index, name in enumerate(schema.action_names)}
        self._actions = [np.array([places[a] for a in file.actions_of(role)]) for role in schema.roles]
        self._games = [call(f"{schema.name}: making the environment", make) for _ in range(num_envs)]
        for game in self._games:
            require_parallel(game, schema.name)
        self._require_sizes(self._games[0])

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new games where `mask` is true, each from its seed."""
        for index in np.flatnonzero(mask).tolist():
            game, seed = self._games[index], int(seeds[index])
            # PettingZoo's seeds go through NumPy, whose legacy generators take 32 bits
            given = call(f"{self.schema.name}: reset with seed {seed}", lambda: game.reset(seed=seed % 2**32))  # noqa: B023
            if not isinstance(given, tuple) or len(given) != 2:
                raise RejectedError(f"{self.schema.name}: reset does not return (observations, infos)")
            self._running[index], self._returns[index], self._lengths[index] = True, 0.0, 0
            self._seeds[index] = seed
            self._read(index, *given, living=list(game.agents))

    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]`; an unavailable one raises ValueError."""
        if not np.take_along_axis(self.avail_actions, actions[..., None], axis=-1).all():
            env, agent = np.argwhere(~np.take_along_axis(self.avail_actions, actions[..., None], -1)[..., 0])[0]
            raise ValueError(
                f"environment {env}, agent {self._agents[agent]}: action "
                f"{self.schema.action_names[actions[env, agent]]!r} is not available"
            )
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        terminated, truncated, success = (np.zeros(self.num_envs, dtype=bool) for _ in range(3))
        for index in np.flatnonzero(self._running).tolist():
            flags, infos, rewards[index] = self._play(index, actions[index])
            if not any(flags):
                continue
            terminated[index], truncated[index] = flags
            success[index] = self._succeeded(index, infos)
            self._running[index] = False
        return StepResult(rewards, terminated, truncated, success)

    def close(self) -> None:
        """Close every game that can be closed."""
        for game in self._games:
            if hasattr(game, "close"):
                game.close()

    def _play(self, index: int, actions: IntArray) -> tuple[tuple[bool, bool], Mapping[str, Any], float]:
        """Play one step of one game: whether it terminated or was truncated, the agents' infos, the team's reward."""
        game, where = self._games[index], self._where(index)
        chosen = {
            name: int(np.flatnonzero(self._actions[agent] == actions[agent])[0]) + _start(game, name)
            for agent, name in enumerate(self._agents)
            if self.alive[index, agent]
        }
        given = call(f"{where}: step", lambda: game.step(chosen))
        if not isinstance(given, tuple) or len(given) != 5:
            raise RejectedError(
                f"{where}: step does not return (observations, rewards, terminations, truncations, infos)"
            )
        observations, rewards, terminations, truncations, infos = given
        paid = [float(value) for value in rewards.values()]
        reward = sum(paid) / (len(paid) if self._file.reward == "mean" and paid else 1)
        if not np.isfinite(reward):
            raise RejectedError(f"{where}: the rewards {dict(rewards)} are not finite")
        self._returns[index] += reward
        self._lengths[index] += 1
        gone = {name for name in chosen if terminations.get(name) or truncations.get(name)}
        living = [name for name in game.agents if name not in gone]
        if living:
            over = (False, bool(self._lengths[index] >= self.schema.episode_limit))
        else:
            cut = any(truncations.get(name) and not terminations.get(name) for name in chosen)
            over = (not cut, cut)
        # a value after a time-out is learnt from what was observed then, so nobody's last observation is dropped
        self._read(index, observations, infos, living or [name for name in chosen if name in observations])
        return over, infos, reward

    def _succeeded(self, index: int, infos: Mapping[str, Any]) -> bool:
        rule = self._file.success
        if rule.info is None:
            return bool(self._returns[index] >= float(rule.return_at_least or 0.0) - 1e-6)
        if not any(rule.info in info for info in infos.values()):
            raise RejectedError(
                f"{self._where(index)}: it ended, and no agent's infos have {rule.info!r}, which 'success' names"
            )
        return any(bool(info.get(rule.info)) for info in infos.values())

    def _read(
        self, index: int, observations: Mapping[str, Any], infos: Mapping[str, Any], living: Sequence[str]
    ) -> None:
        """Copy one game's numbers into row `index`."""
        game, where = self._games[index], self._where(index)
        self.obs[index], self.alive[index], self.avail_actions[index] = 0, False, False
        for agent, name in enumerate(self._agents):
            if name not in living:
                self.avail_actions[index, agent, 0] = True
                continue
            if name not in observations:
                raise RejectedError(f"{where}: agent {name!r} is among `agents` but has no observation")
            columns = self._obs_columns[agent]
            vector = flatten(game.observation_space(name), observations[name])
            self._require(vector, columns.size, f"{where}: the observation of {name!r}")
            self.alive[index, agent] = True
            self.obs[index, agent, columns.target] = vector[columns.source]
            own = self._actions[agent]
            mask = mask_in(observations[name], infos.get(name, {}))
            if mask is not None and (mask.shape != own.shape or not mask.any()):
                raise RejectedError(
                    f"{where}: the action mask of {name!r} is {mask.astype(int).tolist()}; {len(own)} entries are "
                    "needed, at least one of them 1"
                )
            self.avail_actions[index, agent, own if mask is None else own[mask]] = True
        state = np.asarray(call(f"{where}: state()", game.state), dtype=np.float32).ravel()
        self._require(state, self._state_columns.size, f"{where}: the state")
        self.state[index, self._state_columns.target] = state[self._state_columns.source]

    def _require(self, vector: Any, size: int, what: str) -> None:
        if len(vector) != size:
            raise RejectedError(f"{what} has {len(vector)} numbers, the task's file names {size}")
        if not np.isfinite(vector).all():
            bad = int(np.flatnonzero(~np.isfinite(vector))[0])
            raise RejectedError(f"{what} is {vector[bad]} at index {bad}; every number has to be finite")

    def _require_sizes(self, game: Any) -> None:
        """Compare the spaces with the task's file, before anything is played."""
        name, theirs = self.schema.name, list(game.possible_agents)
        if theirs != self._agents:
            raise RejectedError(f"{name}: the environment's agents are {theirs}, the task's file has {self._agents}")
        for agent, own, columns in zip(self._agents, self._actions, self._obs_columns, strict=True):
            for what, found, named in (
                ("actions", action_count(game.action_space(agent), agent), len(own)),
                ("observed numbers", flat_size(game.observation_space(agent), agent), columns.size),
            ):
                if found != named:
                    raise RejectedError(f"{name}: agent {agent!r} has {found} {what}, the task's file names {named}")

    def _where(self, index: int) -> str:
        return f"{self.schema.name}: step {self._lengths[index]} of the episode with seed {self._seeds[index]}"


def _start(game: Any, agent: str) -> int:
    """The number of an agent's first action; gymnasium's Discrete can begin elsewhere than at 0."""
    return int(getattr(game.action_space(agent), "start", 0))
