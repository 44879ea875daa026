"""Games of StarCraft II in step, behind the one interface of `marl_runtime.environment`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, IntArray
from buffers.errors import ProtocolDesignerError, RejectedError, ResourceError
from buffers.schema import TaskSchema
from marl_runtime.environment import EnvironmentCrashError, EpisodesLostError, StepResult, VectorEnvironment
from marl_runtime.environments.starcraft.smac_game import GameDiedError

__all__ = ["StarCraftEnvironment"]

_LOSSES = 3  # in a row: a game that cannot be played at all ends the run


class StarCraftEnvironment(VectorEnvironment):
    """E games of one map, each a process of the game's own, launched by its first reset.

    A game that dies is closed, and `EpisodesLostError` says that the episodes being played count for nothing; after
    three such losses without an episode that ended, `ResourceError`. Sizes that are not the schema's are refused before
    anything is launched. The seed is that of a game's launch: an episode depends on those that its game played before.
    """

    def __init__(self, new_game: Callable[[], Any], schema: TaskSchema, num_envs: int) -> None:
        self.schema, self.num_envs, self._new_game = schema, num_envs, new_game
        n = schema.n_agents
        self.obs = np.zeros((num_envs, n, schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((num_envs, schema.state_dim), dtype=np.float32)
        self.alive = np.zeros((num_envs, n), dtype=bool)
        self.avail_actions = np.zeros((num_envs, n, schema.n_actions), dtype=bool)
        self.avail_actions[..., 0] = True
        self._running = np.zeros(num_envs, dtype=bool)
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._seeds = np.zeros(num_envs, dtype=np.int64)
        self._losses = 0
        self._games = [new_game() for _ in range(num_envs)]
        _require_sizes(self._games[0], schema)

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new episodes where `mask` is true; a game that is not launched yet takes its seed."""
        for index in np.flatnonzero(mask).tolist():
            self._seeds[index], self._steps[index] = seeds[index], 0
            game = self._games[index]
            game.seed_episode(int(seeds[index]))
            self._call(index, game.reset)
            self._running[index] = True
            self._read(index)

    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]` for 8 game loops; an unavailable action raises ValueError, and nothing is played."""
        able = np.take_along_axis(self.avail_actions, actions[..., None], axis=-1)[..., 0] | ~self._running[:, None]
        if not able.all():
            env, agent = np.argwhere(~able)[0]
            name = self.schema.action_names[actions[env, agent]]
            raise ValueError(f"environment {env}, agent {agent}: action {name!r} is not available")
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        terminated, truncated, success = (np.zeros(self.num_envs, dtype=bool) for _ in range(3))
        for index in np.flatnonzero(self._running).tolist():
            chosen = actions[index].tolist()
            rewards[index], over, said = self._call(index, partial(self._games[index].step, chosen))
            self._steps[index] += 1
            self._read(index)
            if not over:
                continue
            truncated[index] = bool(said.get("episode_limit", False))
            terminated[index] = not truncated[index]
            success[index] = bool(said.get("battle_won", False))
            self._running[index], self._losses = False, 0
        return StepResult(rewards, terminated, truncated, success)

    def close(self) -> None:
        """Close every game."""
        for game in self._games:
            _close(game)

    def _call(self, index: int, play: Callable[[], Any]) -> Any:
        """Return `play()`; a game that died is replaced, and the round is lost."""
        where = (
            f"task {self.schema.name!r}, environment {index}, step {self._steps[index]} of the episode with seed "
            f"{self._seeds[index]}"
        )
        try:
            return play()
        except ProtocolDesignerError:
            raise
        except Exception as error:
            if not _is_death(error):
                raise EnvironmentCrashError.of(where, error) from error
            _close(self._games[index])
            self._games[index] = self._new_game()
            self._running[:] = False
            self._losses += 1
            said = " ".join(str(error).split()) or type(error).__name__
            if self._losses > _LOSSES:
                raise ResourceError(
                    f"{where}: {said}, the {self._losses}th game lost in a row; look into the game's own log, and at "
                    "the memory that is free: every environment is a game (--envs)"
                ) from error
            raise EpisodesLostError(f"{where}: {said}; the game is started anew") from error

    def _read(self, index: int) -> None:
        """Copy one game's numbers into row `index`."""
        game = self._games[index]
        self.obs[index] = game.get_obs()
        self.state[index] = game.get_state()
        self.avail_actions[index] = np.asarray(game.get_avail_actions(), dtype=bool)
        self.alive[index] = [game.get_unit_by_id(agent).health > 0 for agent in range(self.schema.n_agents)]


def _is_death(error: Exception) -> bool:
    """Whether an error says that the game is gone: by what pysc2 and the packages below it raise then."""
    if isinstance(error, GameDiedError | OSError | EOFError):
        return True
    module, name = type(error).__module__, type(error).__name__
    if module.startswith("websocket"):
        return True
    return module.startswith("pysc2.") and name in (
        "ConnectError",
        "ConnectionError",
        "ProtocolError",
        "SC2LaunchError",
    )


def _close(game: Any) -> None:
    with contextlib.suppress(Exception):  # a game that died may raise anything here, and is to be gone anyway
        game.close()


def _require_sizes(game: Any, schema: TaskSchema) -> None:
    said = game.get_env_info()
    for what, theirs, ours in (
        ("agents", said["n_agents"], schema.n_agents),
        ("actions", said["n_actions"], schema.n_actions),
        ("observed numbers", said["obs_shape"], schema.obs_dim),
        ("numbers in the state", said["state_shape"], schema.state_dim),
        ("steps as its limit", said["episode_limit"], schema.episode_limit),
    ):
        if theirs != ours:
            raise RejectedError(
                f"task {schema.name!r}: the installed package has {theirs} {what}, the schema {ours}; install the "
                "commit that docs/starcraft.md names"
            )
