"""Level-based foraging, played by the `lbforaging` package's own class, with our observation and state on top.

The package's grid observation cannot be switched on (its space is declared with the wrong shape), its vector
observation gives positions relative to a window that shifts near walls, and it has no global state. So both are built
here from its field and players: the observation is the published 3 x (2 s + 1)² grid of agents, foods and free cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from buffers.episodes import BoolArray, IntArray
from buffers.errors import MissingDependencyError
from marl_runtime.environment import StepResult, VectorEnvironment
from marl_runtime.environments.foraging_schema import ACTION_NAMES, LAYERS, foraging_schema
from marl_runtime.environments.foraging_settings import ForagingSettings, settings_of
from marl_runtime.tasks import Task

__all__ = ["ACTION_NAMES", "ForagingEnvironment", "ForagingSettings", "foraging_task"]


class ForagingEnvironment(VectorEnvironment):
    """E grids in step; the team's reward is the sum of the agents' rewards, success is that all food was eaten."""

    def __init__(self, settings: ForagingSettings, num_envs: int) -> None:
        self.settings = settings
        self.schema = foraging_schema(settings)
        self.num_envs = num_envs
        n, pad = settings.players, settings.sight
        rows, columns = settings.field_size
        self.obs = np.zeros((num_envs, n, self.schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((num_envs, self.schema.state_dim), dtype=np.float32)
        self.avail_actions = np.zeros((num_envs, n, len(ACTION_NAMES)), dtype=bool)
        self.avail_actions[..., 0] = True
        self.alive = np.ones((num_envs, n), dtype=bool)
        self._games = [_new_game(settings) for _ in range(num_envs)]
        self._running = np.zeros(num_envs, dtype=bool)
        self._positions = np.zeros((num_envs, n, 2), dtype=np.int64)
        self._levels = np.zeros((num_envs, n), dtype=np.float32)
        self._food_cells = np.zeros((num_envs, settings.max_num_food, 2), dtype=np.int64)
        # agents, foods and free cells, padded by the sight so that a window never leaves the array
        self._grids = np.zeros((num_envs, len(LAYERS), rows + 2 * pad, columns + 2 * pad), dtype=np.float32)
        shown = settings.top_player_level if settings.observe_agent_levels else 1
        self._tops = np.array([shown, settings.top_food_level, 1], dtype=np.float32)

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new grids where `mask` is true, each from its own seed."""
        for index in np.flatnonzero(mask).tolist():
            game = self._games[index]
            for player in game.players:
                player.position = None  # else nobody would appear where the last episode left someone
            game.reset(seed=int(seeds[index]))
            self._levels[index] = [player.level for player in game.players]
            cells = np.argwhere(game.field > 0)
            self._food_cells[index] = 0
            self._food_cells[index, : len(cells)] = cells
            self._running[index] = True
            self._read(index, game)
        self._observe(np.flatnonzero(mask))

    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]`; an action that the grid does not allow raises ValueError."""
        if not np.take_along_axis(self.avail_actions, actions[..., None], axis=-1).all():
            env, agent = np.argwhere(~np.take_along_axis(self.avail_actions, actions[..., None], -1)[..., 0])[0]
            raise ValueError(
                f"environment {env}, agent {agent}: action {ACTION_NAMES[actions[env, agent]]!r} is not available"
            )
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        terminated = np.zeros(self.num_envs, dtype=bool)
        truncated = np.zeros(self.num_envs, dtype=bool)
        running = np.flatnonzero(self._running)
        for index in running.tolist():
            game = self._games[index]
            _, agent_rewards, over, _, _ = game.step(actions[index].tolist())
            rewards[index] = sum(agent_rewards)
            if over:
                terminated[index] = not game.field.any()
                truncated[index] = not terminated[index]
                self._running[index] = False
            self._read(index, game)
        self._observe(running)
        return StepResult(rewards, terminated, truncated, success=terminated.copy())

    def _read(self, index: int, game: Any) -> None:
        """Copy positions, foods and available actions out of one game."""
        pad, (rows, columns) = self.settings.sight, self.settings.field_size
        grid = self._grids[index]
        grid[:] = 0
        inner = (slice(pad, pad + rows), slice(pad, pad + columns))
        grid[1][inner] = game.field
        grid[2][inner] = game.field == 0
        for agent, player in enumerate(game.players):
            row, column = player.position
            self._positions[index, agent] = row, column
            grid[0, row + pad, column + pad] = player.level if self.settings.observe_agent_levels else 1
            grid[2, row + pad, column + pad] = 0
            self.avail_actions[index, agent] = False
            for action in game._valid_actions[player]:
                self.avail_actions[index, agent, action.value] = True

    def _observe(self, index: IntArray) -> None:
        """Fill `obs` and `state` of the environments at `index` from what was read."""
        if not len(index):
            return
        settings = self.settings
        windows = np.lib.stride_tricks.sliding_window_view(
            self._grids[index], (settings.window, settings.window), axis=(2, 3)
        )
        rows, columns = self._positions[index, :, 0], self._positions[index, :, 1]
        # [e, N, layers, window, window]: the window whose corner is at the agent's own (unpadded) position
        seen = windows[np.arange(len(index))[:, None], :, rows, columns]
        self.obs[index] = (seen / self._tops[:, None, None]).reshape(len(index), settings.players, -1)
        if settings.state == "grid":
            self.state[index] = (self._grids[index] / self._tops[:, None, None]).reshape(len(index), -1)
        else:
            self.state[index] = self._compact(index)

    def _compact(self, index: IntArray) -> Any:
        """Return row, column and level of every agent and food, `[e, S]`."""
        settings = self.settings
        span = np.array(settings.field_size) - 1
        levels = self._levels[index, :, None] / settings.top_player_level
        agents = np.concatenate([self._positions[index] / span, levels], -1)
        cells = self._food_cells[index]
        inner = self._grids[index][:, 1]
        here = inner[np.arange(len(index))[:, None], cells[..., 0] + settings.sight, cells[..., 1] + settings.sight]
        foods = np.concatenate([cells / span, here[..., None] / settings.top_food_level], -1) * (here > 0)[..., None]
        return np.concatenate([agents, foods], axis=1).reshape(len(index), -1)


def _new_game(settings: ForagingSettings) -> Any:
    try:
        from lbforaging.foraging.environment import ForagingEnv
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"task {settings.name!r} needs the package lbforaging: pip install 'lbforaging>=2.0'"
        ) from error

    class Game(ForagingEnv):
        def _make_gym_obs(self) -> tuple[()]:
            """Nothing: the package's own observation is not used, and building it takes most of a step."""
            return ()

    names = (
        "players", "min_player_level", "max_player_level", "min_food_level", "max_food_level", "field_size",
        "max_num_food", "sight", "max_episode_steps", "force_coop", "normalize_reward", "penalty",
    )  # fmt: skip
    return Game(**{name: getattr(settings, name) for name in names})  # type: ignore[no-untyped-call] # it ships no types


def foraging_task(name: str) -> Task:
    """Return the task `name`; see `settings_of` for what a name can be."""
    from marl_runtime.environments.foraging_oracle import OraclePolicy

    settings = settings_of(name)
    schema = foraging_schema(settings)
    return Task(
        name=name,
        summary=schema.summary,
        backend="lbforaging",
        schema=schema,
        make=lambda num_envs: ForagingEnvironment(settings, num_envs),
        scripted={OraclePolicy.name: OraclePolicy},
        enemies=settings.max_num_food,
        requires="lbforaging",
    )
