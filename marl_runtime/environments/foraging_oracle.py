"""A foraging policy that knows the whole grid: the reference beside learning curves."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, IntArray
from marl_runtime.environment import ScriptedPolicy, VectorEnvironment
from marl_runtime.environments.foraging import ForagingEnvironment
from marl_runtime.environments.foraging_schema import ACTION_NAMES

__all__ = ["OraclePolicy"]

Cell = tuple[int, int]


class OraclePolicy(ScriptedPolicy):
    """As many as a food needs, the nearest first, walk to the food that the last of them reaches soonest, and load it.

    All of them load in the same step; who is not needed stays where it is.
    """

    name = "oracle"
    summary = "knows the whole grid: as many as it takes walk to the food that the last of them reaches soonest"

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
        teams = {food: _team(game, food, [routes[food, place].get(place, far) for place in places]) for food in foods}
        food = min(
            foods, key=lambda food: max(routes[food, places[agent]].get(places[agent], far) for agent in teams[food])
        )
        team = teams[food]
        ready = all(routes[food, places[agent]].get(places[agent], far) == 0 for agent in team)
        taken, actions = set(places), [0] * len(places)
        for agent in team:
            place, distance = places[agent], routes[food, places[agent]]
            steps = [
                (distance[cell], action, cell)
                for action, cell in enumerate(_around(place), start=1)
                if cell not in taken and distance.get(cell, far) < distance.get(place, far)
            ]
            _, actions[agent], cell = min(steps, default=(0, ACTION_NAMES.index("load") if ready else 0, place))
            taken.add(cell)
        return actions


def _team(game: Any, food: Cell, distances: list[int]) -> list[int]:
    """The nearest agents whose levels reach the food's, at most the four that find room beside it, in agent order."""
    team: list[int] = []
    for agent in sorted(range(len(distances)), key=lambda agent: (distances[agent], agent))[:4]:
        if sum(game.players[member].level for member in team) < game.field[food]:
            team.append(agent)
    return sorted(team)


def _around(cell: Cell) -> list[Cell]:
    """The cells to the north, south, west and east, in the order of the actions."""
    row, column = cell
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def _distances_beside(field: Any, food: Cell, blocked: set[Cell]) -> dict[Cell, int]:
    """Steps from each free cell to the nearest cell beside `food`, by breadth-first search around `blocked` cells."""

    def free(cell: Cell) -> bool:
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
