"""smacv2's environment with teams and starts that are drawn from an episode's seed, and with what enemies it shows.

Stock behaviour was read at oxwhirl/smacv2 577ab5a and is tested by `make test-smac`.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from buffers.errors import RejectedError
from marl_runtime.environments.starcraft.maps import GameMap, kinds_of
from marl_runtime.environments.starcraft.preflight import import_package
from marl_runtime.environments.starcraft.smac_game import GameDiedError, warn_of_health

__all__ = ["capability_config", "new_smacv2_game"]

if TYPE_CHECKING:
    _Stock = Any
else:
    _Stock = object

_TRIES = 5
_STARTS = {
    "surround": "surrounded",
    "reflect": "reflect_position",
    "surround_and_reflect": "surrounded_and_reflect",
}


def new_smacv2_game(game: GameMap) -> Any:
    """Return one game of `game`, not yet launched."""
    return _smacv2_class()(game)


def capability_config(game: GameMap) -> dict[str, dict[str, Any]]:
    """Return what smacv2 draws anew in every episode: teams by the map's weights, and starts."""
    battle_map = game.battle_map
    total = sum(battle_map.random_team.values())
    sizes = {"n_units": len(battle_map.allies), "n_enemies": len(battle_map.enemies)}
    return {
        "team_gen": {
            **sizes,
            "env_key": "team_gen",
            "dist_type": "weighted_teams",
            "unit_types": list(battle_map.random_team),
            "weights": [weight / total for weight in battle_map.random_team.values()],
            "exception_unit_types": list(battle_map.never_alone),
            "observe": True,
        },
        "start_positions": {
            **sizes,
            "env_key": "start_positions",
            "dist_type": _STARTS[battle_map.random_start],
            "p": 0.5,
            "map_x": battle_map.size,
            "map_y": battle_map.size,
        },
    }


def draw_episode(config: dict[str, dict[str, Any]], seed: int) -> dict[str, Any]:
    """Return one draw of teams and starts by the package's own distributions, which depends on `seed` alone.

    The package has generators without a seed, and shuffles with Python's own, whose state is put back.
    """
    get_distribution = importlib.import_module("smacv2.env.starcraft2.distributions").get_distribution

    generator, before = np.random.default_rng(seed), random.getstate()
    random.seed(seed)
    drawn: dict[str, Any] = {}
    try:
        for one in config.values():
            distribution = get_distribution(one["dist_type"])(dict(one))
            _give(distribution, generator)
            drawn.update(distribution.generate())
    finally:
        random.setstate(before)
    return drawn


def _give(distribution: Any, generator: np.random.Generator) -> None:
    """Let a distribution, and those that it is made of, draw from `generator`."""
    if hasattr(distribution, "rng"):
        distribution.rng = generator
    for part in vars(distribution).values():
        if hasattr(part, "generate"):
            _give(part, generator)


class Smacv2Changes(_Stock):  # type: ignore[misc] # the package ships no types
    """What stands before smacv2's own class in the order of look-up: `seed_episode`, and what is changed in it."""

    max_reward: float
    agents: dict[int, Any]
    enemies: dict[int, Any]
    _episode_count: int

    def __init__(self, game: GameMap) -> None:
        self._config = capability_config(game)
        self._kinds = {kind.name: kind for kind in kinds_of(game)}
        self._size, self._episode_seed, self._warned = game.battle_map.size, 0, False
        super().__init__(
            map_name=game.map_name,
            capability_config=self._config,
            obs_own_pos=game.own_ranges,
            use_unit_ranges=game.own_ranges,
            state_last_action=False,
            continuing_episode=True,  # says of a time-out that it is one
        )
        self._reward_without_health = self.max_reward

    def seed_episode(self, seed: int) -> None:
        """Take the seed of the next episode's draws, and of the next launch."""
        self._episode_seed = seed
        if self._sc2_proc is None:
            self._seed = seed % 2**32

    def _launch(self) -> None:
        super()._launch()
        self.max_distance_x = self.max_distance_y = self._size

    def reset(self, episode_config: Any = None) -> Any:
        """Start an episode with teams and starts of its own; those that do not appear are drawn again."""
        for attempt in range(_TRIES):
            if self._sc2_proc is not None and self._episode_count == 0:
                self._episode_count = 1
            try:
                return super().reset(draw_episode(self._config, self._episode_seed + attempt))
            except Exception as error:
                if type(error).__name__ != "CannotResetException":
                    raise
        raise RejectedError(
            f"{self.map_name}: the units of an episode did not appear, {_TRIES} times (seed {self._episode_seed})"
        )

    def full_restart(self) -> None:
        """Give up: stock launches the game again and passes half an episode off as one that ended."""
        raise GameDiedError(f"the game of {self.map_name} closed its connection")

    def init_units(self, ally_team: Any, enemy_team: Any, episode_config: Any = None) -> None:
        """Scale the reward by what this episode's enemies have; stock keeps what the first episode's had."""
        super().init_units(ally_team, enemy_team, episode_config or {})
        enemies = self.enemies.values()
        self.max_reward = self._reward_without_health + sum(u.health_max + u.shield_max for u in enemies)
        if not self._warned:
            self._warned = True
            numbers = {number: name for name, number in self.ally_unit_map.items()}
            for unit in {unit.unit_type: unit for unit in self.agents.values()}.values():
                warn_of_health(self._kinds, numbers[unit.unit_type], unit.health_max)

    def get_obs_agent(self, agent_id: int, fully_observable: bool = False) -> Any:
        """Return an observation; stock blanks every enemy before one that is dead or was never seen."""
        self.obs_enemies[:] = 1
        return super().get_obs_agent(agent_id, fully_observable)


@cache
def _smacv2_class() -> Callable[[GameMap], Any]:
    import_package("smacv2")
    stock = importlib.import_module("smacv2.env.starcraft2.starcraft2").StarCraft2Env
    return type("Smacv2Game", (Smacv2Changes, stock), {})
