"""Shortest ways over a map's cells, and shortest searches of a few places, for policies that know where they are.

Axes: E battles, N agents, C cells (x * size + y), P places.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, IntArray
from marl_runtime.environment import VectorEnvironment
from marl_runtime.skirmish.scripted.orders import EAST, NORTH, SOUTH, STOP, WEST

__all__ = ["Search", "Ways", "search_of", "ways_of"]

_MOVES = np.array([NORTH, SOUTH, EAST, WEST])
_AHEAD = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])
_FAR = 1e6

Points = NDArray[np.float64]


class Ways:
    """Steps `[C, C]` between the cells of `terrain` `[x, y]`, over open cells side by side."""

    def __init__(self, terrain: BoolArray) -> None:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import shortest_path

        self.terrain = terrain
        width, height = terrain.shape
        cells = np.arange(width * height).reshape(width, height)
        east = (terrain[:-1] & terrain[1:]).nonzero()
        north = (terrain[:, :-1] & terrain[:, 1:]).nonzero()
        start = np.concatenate([cells[:-1][east], cells[:, :-1][north]])
        end = np.concatenate([cells[1:][east], cells[:, 1:][north]])
        links = coo_array((np.ones(len(start)), (start, end)), shape=(cells.size, cells.size)).tocsr()  # type: ignore[no-untyped-call]
        steps = shortest_path(links, directed=False, unweighted=True)
        self.steps: NDArray[np.float32] = np.where(np.isinf(steps), _FAR, steps).astype(np.float32)

    def cell(self, points: Points) -> IntArray:
        """The cell `[...]` of each point `[..., 2]`, the nearest on the map."""
        size = np.array(self.terrain.shape)
        x, y = np.moveaxis(np.clip(points.astype(np.int64), 0, size - 1), -1, 0)
        return x * self.terrain.shape[1] + y

    def towards(self, environment: VectorEnvironment, own: Points, goal: Points) -> IntArray:
        """The move `[E, N]` from `own` to `goal` `[E, N, 2]` by the shortest way; stop where there is none."""
        ahead = self.cell(own[..., None, :] + _AHEAD)
        able = environment.avail_actions[..., _MOVES]
        left = self.steps[ahead, self.cell(goal)[..., None]] * 4.0
        # of equally short ways the one along the longer axis
        left = left + np.linalg.norm(own[..., None, :] + _AHEAD - goal[..., None, :], axis=-1) / 64
        left = np.where(able, left, np.inf)
        return np.where(able.any(axis=-1), _MOVES[left.argmin(axis=-1)], STOP)


@lru_cache(maxsize=8)
def _ways(terrain: bytes, shape: tuple[int, int]) -> Ways:
    return Ways(np.frombuffer(terrain, dtype=bool).reshape(shape))


def ways_of(terrain: BoolArray) -> Ways:
    """Return the ways over `terrain`, worked out once."""
    return _ways(terrain.tobytes(), terrain.shape)


class Search:
    """From every cell, for every set of places that are left, where to go so that they come into sight soonest.

    The sum of the times at which the places come into sight is the least there is: a target that is at one of them,
    each as likely as the others, is then found soonest on average.
    """

    def __init__(self, ways: Ways, places: Points, sight: float) -> None:
        self._ways, self._n_places = ways, len(places)
        width, height = ways.terrain.shape
        middles = np.stack(np.meshgrid(np.arange(width), np.arange(height), indexing="ij"), axis=-1) + 0.5
        middles = middles.reshape(-1, 2)
        open_cells = ways.terrain.reshape(-1)
        views = [np.flatnonzero(open_cells & (np.linalg.norm(middles - place, axis=-1) < sight)) for place in places]
        self._middles = middles
        n_sets = 2 ** len(places)
        cost = np.zeros((n_sets, len(middles)))
        self._next = np.zeros((n_sets, len(middles)), dtype=np.int64)  # the cell to go to
        for left in range(1, n_sets):
            cost[left] = np.inf
            for place, seen_from in enumerate(views):
                if not left >> place & 1:
                    continue
                total = ways.steps[:, seen_from] * left.bit_count() + cost[left & ~(1 << place)][seen_from]
                best = total.argmin(axis=1)
                better = total[np.arange(len(middles)), best] < cost[left]
                cost[left] = np.where(better, total[np.arange(len(middles)), best], cost[left])
                self._next[left] = np.where(better, seen_from[best], self._next[left])

    def goal(self, own: Points, searched: BoolArray) -> Points:
        """Where to go `[E, N, 2]` from `own` `[E, N, 2]`, when the places `searched` `[E, N, P]` are done with."""
        left = ((~searched) * 2 ** np.arange(self._n_places)).sum(axis=-1)
        return self._middles[self._next[left, self._ways.cell(own)]]


@lru_cache(maxsize=8)
def _search(terrain: bytes, shape: tuple[int, int], places: tuple[tuple[float, float], ...], sight: float) -> Search:
    return Search(_ways(terrain, shape), np.array(places, dtype=np.float64), sight)


def search_of(terrain: BoolArray, places: tuple[tuple[float, float], ...], sight: float) -> Search:
    """Return the search of `places` over `terrain`, worked out once."""
    return _search(terrain.tobytes(), terrain.shape, places, sight)
