"""Level-based foraging, played by the `lbforaging` package's own class, with our observation and state on top.

The package's grid observation cannot be switched on (its space is declared with the wrong shape), its vector
observation gives positions relative to a window that shifts near walls, and it has no global state. So both are built
here from its field and players: the observation is the published 3 x (2 s + 1)² grid of agents, foods and free cells.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, IntArray
from buffers.errors import MissingDependencyError
from buffers.schema import Field, TaskSchema
from marl_runtime.environment import ScriptedPolicy, StepResult, VectorEnvironment
from marl_runtime.tasks import Task, register

__all__ = ["ACTION_NAMES", "ForagingEnvironment", "ForagingSettings", "OraclePolicy", "foraging_schema"]

ACTION_NAMES = ("stay", "north", "south", "west", "east", "load")
_LAYERS = ("agent_level", "food_level", "accessible")


@dataclass(frozen=True)
class ForagingSettings:
    """One foraging task: an `size` x `size` grid, sight in cells, levels from 1 to `max_level`.

    With `force_coop` every food needs all agents (its level is the sum of up to three agents' levels).
    """

    name: str
    size: int = 8
    n_agents: int = 2
    n_foods: int = 2
    sight: int = 1
    max_level: int = 2
    force_coop: bool = True
    episode_limit: int = 25

    def __post_init__(self) -> None:
        if not 1 <= self.sight < self.size:
            raise ValueError(f"sight {self.sight} is not between 1 and the grid's size {self.size}, less one")
        if self.n_agents < 1 or self.n_foods < 1:
            raise ValueError(f"{self.n_agents} agents and {self.n_foods} foods: both need to be at least 1")

    @property
    def max_food_level(self) -> int:
        """The highest level a food can have: the package sums the three lowest agent levels."""
        return self.max_level * min(3, self.n_agents)

    @property
    def window(self) -> int:
        """Cells along one side of what an agent sees."""
        return 2 * self.sight + 1


def foraging_schema(settings: ForagingSettings) -> TaskSchema:
    """Name every number of the task: 3 x (2 s + 1)² observation fields, 3 per agent and per food in the state."""
    obs = [
        _observation_field(settings, layer, row, column)
        for layer, row, column in itertools.product(
            _LAYERS,
            range(-settings.sight, settings.sight + 1),
            range(-settings.sight, settings.sight + 1),
        )
    ]
    state: list[Field] = []
    for entity, what, top in (
        *((f"agent_{i}", f"agent {i}", settings.max_level) for i in range(settings.n_agents)),
        *((f"food_{k}", f"food {k}", settings.max_food_level) for k in range(settings.n_foods)),
    ):
        eaten = "; all zero once it is eaten" if entity.startswith("food") else ""
        span = float(settings.size - 1)
        state += [
            Field(
                f"{entity}.row", f"row of {what}, from the north{eaten}", "cells", scale=span, present_if=_level(entity)
            ),
            Field(
                f"{entity}.column",
                f"column of {what}, from the west{eaten}",
                "cells",
                scale=span,
                present_if=_level(entity),
            ),
            Field(f"{entity}.level", f"level of {what}{eaten}", "levels", scale=float(top), kind="count"),
        ]
    return TaskSchema(
        name=settings.name,
        summary=(
            f"{settings.n_agents} foragers on a {settings.size} x {settings.size} grid with {settings.n_foods} foods, "
            f"each seeing {settings.sight} cell(s) around. A food is loaded when foragers beside it, whose levels "
            "add up to its level, choose 'load' in the same step"
            + ("; cooperation is forced: every food needs all of them together." if settings.force_coop else ".")
        ),
        roles=("forager",) * settings.n_agents,
        obs_fields=tuple(obs),
        state_fields=tuple(state),
        action_names=ACTION_NAMES,
        episode_limit=settings.episode_limit,
        notes=("Played by the lbforaging package; rewards are normalised, so that a whole episode is worth 1.",),
    )


def _level(entity: str) -> str:
    return f"{entity}.level"


def _cell(row: int, column: int) -> str:
    north_south = f"{'n' if row < 0 else 's'}{abs(row)}" if row else ""
    west_east = f"{'w' if column < 0 else 'e'}{abs(column)}" if column else ""
    return "cell_" + ("_".join(filter(None, (north_south, west_east))) or "here")


def _observation_field(settings: ForagingSettings, layer: str, row: int, column: int) -> Field:
    place = f"the cell {row:+d} rows (south is positive) and {column:+d} columns (east is positive) from oneself"
    name = f"{_cell(row, column)}.{layer}"
    if layer == "accessible":
        return Field(name, f"1 when {place} is on the grid and empty", kind="binary")
    if layer == "agent_level":
        return Field(
            name, f"level of the agent in {place}, 0 for none", "levels", scale=settings.max_level, kind="count"
        )
    return Field(
        name, f"level of the food in {place}, 0 for none", "levels", scale=settings.max_food_level, kind="count"
    )


class ForagingEnvironment(VectorEnvironment):
    """E grids in step; the team's reward is the sum of the agents' rewards, success is that all food was eaten."""

    def __init__(self, settings: ForagingSettings, num_envs: int) -> None:
        self.settings = settings
        self.schema = foraging_schema(settings)
        self.num_envs = num_envs
        n, size, pad = settings.n_agents, settings.size, settings.sight
        self.obs = np.zeros((num_envs, n, self.schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((num_envs, self.schema.state_dim), dtype=np.float32)
        self.avail_actions = np.zeros((num_envs, n, len(ACTION_NAMES)), dtype=bool)
        self.avail_actions[..., 0] = True
        self.alive = np.ones((num_envs, n), dtype=bool)
        self._games = [_new_game(settings) for _ in range(num_envs)]
        self._running = np.zeros(num_envs, dtype=bool)
        self._positions = np.zeros((num_envs, n, 2), dtype=np.int64)
        self._levels = np.zeros((num_envs, n), dtype=np.float32)
        self._food_cells = np.zeros((num_envs, settings.n_foods, 2), dtype=np.int64)
        # agents, foods and free cells, padded by the sight so that a window never leaves the array
        self._grids = np.zeros((num_envs, len(_LAYERS), size + 2 * pad, size + 2 * pad), dtype=np.float32)

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new grids where `mask` is true, each from its own seed."""
        for index in np.flatnonzero(mask).tolist():
            game = self._games[index]
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
        pad, size = self.settings.sight, self.settings.size
        grid = self._grids[index]
        grid[:] = 0
        inner = (slice(pad, pad + size), slice(pad, pad + size))
        grid[1][inner] = game.field
        grid[2][inner] = game.field == 0
        for agent, player in enumerate(game.players):
            row, column = player.position
            self._positions[index, agent] = row, column
            grid[0, row + pad, column + pad] = player.level
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
        top = np.array([settings.max_level, settings.max_food_level, 1], dtype=np.float32)
        self.obs[index] = (seen / top[:, None, None]).reshape(len(index), settings.n_agents, -1)

        span = settings.size - 1
        agents = np.concatenate([self._positions[index] / span, self._levels[index, :, None] / settings.max_level], -1)
        cells = self._food_cells[index]
        inner = self._grids[index][:, 1]
        levels = inner[np.arange(len(index))[:, None], cells[..., 0] + settings.sight, cells[..., 1] + settings.sight]
        foods = (
            np.concatenate([cells / span, levels[..., None] / settings.max_food_level], -1) * (levels > 0)[..., None]
        )
        self.state[index] = np.concatenate([agents, foods], axis=1).reshape(len(index), -1)


class OraclePolicy(ScriptedPolicy):
    """Everyone walks to the food that the farthest forager reaches soonest, and loads when all stand beside it."""

    name = "oracle"
    summary = "knows the whole grid: all walk to the food that is nearest for the farthest of them"

    def reset(self, environment: VectorEnvironment, mask: BoolArray) -> None:
        """Nothing is remembered between steps."""

    def act(self, environment: VectorEnvironment) -> IntArray:
        """Return available actions `[E, N]`."""
        assert isinstance(environment, ForagingEnvironment)
        actions = np.zeros(environment.avail_actions.shape[:2], dtype=np.int64)
        for index, game in enumerate(environment._games):
            if environment._running[index] and game.field.any():
                actions[index] = self._act_one(game)
        return np.where(np.take_along_axis(environment.avail_actions, actions[..., None], -1)[..., 0], actions, 0)

    @staticmethod
    def _act_one(game: Any) -> list[int]:
        places = [player.position for player in game.players]
        foods = list(zip(*np.nonzero(game.field), strict=True))
        routes = {
            (food, place): _distances_beside(game.field, food, blocked=set(places) - {place})
            for food in foods
            for place in places
        }
        far = game.field.size
        food = min(foods, key=lambda food: max(routes[food, place].get(place, far) for place in places))
        ready = all(routes[food, place].get(place, far) == 0 for place in places)
        taken, actions = set(places), []
        for place in places:
            distance = routes[food, place]
            steps = [
                (distance[cell], action, cell)
                for action, cell in enumerate(_around(place), start=1)
                if cell not in taken and distance.get(cell, far) < distance.get(place, far)
            ]
            _, action, cell = min(steps, default=(0, ACTION_NAMES.index("load") if ready else 0, place))
            taken.add(cell)
            actions.append(action)
        return actions


def _around(cell: tuple[int, int]) -> list[tuple[int, int]]:
    """The cells to the north, south, west and east, in the order of the actions."""
    row, column = cell
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def _distances_beside(field: Any, food: tuple[int, int], blocked: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Steps from each free cell to the nearest cell beside `food`, by breadth-first search around `blocked` cells."""

    def free(cell: tuple[int, int]) -> bool:
        inside = 0 <= cell[0] < field.shape[0] and 0 <= cell[1] < field.shape[1]
        return inside and field[cell] == 0 and cell not in blocked

    distance = {cell: 0 for cell in _around(food) if free(cell)}
    queue = deque(distance)
    while queue:
        cell = queue.popleft()
        for later in _around(cell):
            if later not in distance and free(later):
                distance[later] = distance[cell] + 1
                queue.append(later)
    return distance


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

    return Game(  # type: ignore[no-untyped-call] # the package ships no types
        players=settings.n_agents,
        min_player_level=1,
        max_player_level=settings.max_level,
        min_food_level=1,
        max_food_level=None,
        field_size=(settings.size, settings.size),
        max_num_food=settings.n_foods,
        sight=settings.sight,
        max_episode_steps=settings.episode_limit,
        force_coop=settings.force_coop,
    )


def _register(settings: ForagingSettings) -> None:
    schema = foraging_schema(settings)
    register(
        Task(
            name=settings.name,
            summary=schema.summary,
            backend="lbforaging",
            schema=schema,
            make=lambda num_envs: ForagingEnvironment(settings, num_envs),
            scripted={OraclePolicy.name: OraclePolicy},
            enemies=settings.n_foods,
            requires="lbforaging",
        )
    )


_register(ForagingSettings("Foraging-1s-8x8-2p-2f-coop"))
