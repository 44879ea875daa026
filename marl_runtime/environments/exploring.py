"""Random episodes of a user's environment, and what they show of its numbers: the ground of a drafted task file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import Float32Array
from buffers.errors import RejectedError
from marl_runtime.environments.parallel import call, require_parallel
from marl_runtime.environments.spaces import action_count, flat_size, flatten, mask_in

__all__ = ["MAX_STEPS", "Exploration", "explore"]

MAX_STEPS = 1_000
"""Steps after which a random episode is taken for one without an end."""


@dataclass
class Exploration:
    """What was seen. Rows are steps: `obs[agent]` `[R, size]`, NaN where the agent had left; `state` `[R, S]`."""

    agents: list[str]
    actions: dict[str, int]
    sizes: dict[str, int]
    obs: dict[str, Float32Array] = field(default_factory=dict)
    state: Float32Array = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    lengths: list[int] = field(default_factory=list)
    cut: int = 0  # episodes that a time limit ended
    endless: int = 0  # episodes that did not end
    left_early: int = 0  # episodes in which some agents left before others
    masked: bool = False
    same_reward: bool = True
    sums: list[float] = field(default_factory=list)  # per episode: of all agents' rewards
    means: list[float] = field(default_factory=list)  # per episode: of the mean over the agents of each step
    info_flags: set[str] = field(default_factory=set)  # truth values in the infos of last steps

    @property
    def rows(self) -> int:
        """R, the steps seen."""
        return len(self.state)


def explore(name: str, make: Callable[[], Any], episodes: int, seed: int) -> Exploration:
    """Play `episodes` random episodes of a user's environment and return what they showed.

    What cannot be a task raises `RejectedError` with what is supported.
    """
    game = call(f"{name}: making the environment", make)
    require_parallel(game, name)
    agents = list(game.possible_agents)
    found = Exploration(
        agents,
        {agent: action_count(game.action_space(agent), agent) for agent in agents},
        {agent: flat_size(game.observation_space(agent), agent) for agent in agents},
    )
    rng = np.random.default_rng(seed)
    obs: dict[str, list[Float32Array]] = {agent: [] for agent in agents}
    states: list[Float32Array] = []
    for _ in range(episodes):
        _play(name, game, found, rng, obs, states)
    found.obs = {agent: np.stack(rows) for agent, rows in obs.items()}
    if len({len(row) for row in states}) > 1:
        raise RejectedError(f"{name}: state() has {len(states[0])} numbers at first and another size later")
    found.state = np.stack(states)
    if hasattr(game, "close"):
        game.close()
    return found


def _play(
    name: str,
    game: Any,
    found: Exploration,
    rng: np.random.Generator,
    obs: dict[str, list[Float32Array]],
    states: list[Float32Array],
) -> None:
    """Play one episode into `obs` and `states`."""
    seed = int(rng.integers(2**31))
    seen, infos = call(f"{name}: reset with seed {seed}", lambda: game.reset(seed=seed))
    total, mean, length = 0.0, 0.0, 0
    living = list(game.agents)
    cut: dict[str, Any] = {}
    while True:
        states.append(_state(name, game))
        for agent in found.agents:
            size = found.sizes[agent]
            present = agent in living and agent in seen
            row = flatten(game.observation_space(agent), seen[agent]) if present else np.full(size, np.nan, np.float32)
            if len(row) != size:
                raise RejectedError(f"{name}: agent {agent!r} observes {len(row)} numbers, its space has {size}")
            obs[agent].append(row)
        if not game.agents or length == MAX_STEPS:
            break
        chosen = {agent: _random_action(game, agent, seen, infos, found, rng) for agent in game.agents}
        seen, rewards, _, cut, infos = call(f"{name}: step {length}", lambda: game.step(chosen))  # noqa: B023
        paid = [float(value) for value in rewards.values()]
        found.same_reward &= len(set(paid)) <= 1
        total, mean, length = total + sum(paid), mean + sum(paid) / max(len(paid), 1), length + 1
        found.left_early += bool(game.agents) and len(game.agents) < len(living) == len(found.agents)
        living = list(game.agents) or list(chosen)
    found.lengths.append(length)
    found.endless += bool(game.agents)
    found.cut += any(cut.values())
    found.sums.append(total)
    found.means.append(mean)
    found.info_flags |= {k for info in infos.values() for k, v in info.items() if isinstance(v, bool | np.bool_)}


def _state(name: str, game: Any) -> Float32Array:
    try:
        return np.asarray(call(f"{name}: state()", game.state), dtype=np.float32).ravel()
    except RejectedError as error:
        raise RejectedError(f"{error}. A task needs a state(): one array with everything that matters") from error


def _random_action(game: Any, agent: str, seen: Any, infos: Any, found: Exploration, rng: np.random.Generator) -> int:
    mask = mask_in(seen[agent], infos.get(agent, {}))
    found.masked |= mask is not None
    free: NDArray[Any] = np.arange(found.actions[agent]) if mask is None else np.flatnonzero(mask)
    return int(rng.choice(free)) + int(getattr(game.action_space(agent), "start", 0))
