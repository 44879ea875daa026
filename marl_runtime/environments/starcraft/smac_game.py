"""smac's own environment with what the SMAC-Comm maps need, and without what the schema would not be true of.

The package is imported when a game is made. What is changed, and why, stands at each method; stock behaviour
was read at oxwhirl/smac d6aab33 and is tested by `make test-smac`.
"""

from __future__ import annotations

import importlib
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from buffers.errors import RejectedError
from marl_runtime.environments.starcraft.maps import SMAC_COMM, GameMap, kinds_of, registry_entry
from marl_runtime.environments.starcraft.preflight import import_package
from marl_runtime.skirmish.layout import padding_columns
from marl_runtime.skirmish.units import UnitType

__all__ = ["GameDiedError", "new_smac_game", "warn_of_health"]

# the game's numbers of its own unit types; agents are copies of them with numbers of the map's own
_UNIT_TYPES = {
    4: "colossus", 9: "baneling", 48: "marine", 49: "reaper", 51: "marauder", 54: "medivac", 73: "zealot",
    74: "stalker", 98: "spine_crawler", 105: "zergling", 107: "hydralisk", 109: "ultralisk", 110: "roach",
}  # fmt: skip


if TYPE_CHECKING:
    _Stock = Any
else:
    _Stock = object


class GameDiedError(Exception):
    """The game closed its connection: what was being played is lost."""


def new_smac_game(game: GameMap) -> Any:
    """Return one game of `game`, not yet launched."""
    return _smac_class()(game)


def unit_names(present: Sequence[int], declared: Sequence[str]) -> dict[int, str]:
    """Return unit type number → name for one side's units, by the game's numbers, or where they are unknown by order.

    Copies that belong to the map have numbers in the order of their names' appearance in `declared`, since agents are
    sorted by number. Counts that do not fit raise `RejectedError`.
    """
    counts, wanted = Counter(present), Counter(declared)
    names = {number: _UNIT_TYPES[number] for number in counts if _UNIT_TYPES.get(number) in wanted}
    left = [name for name in dict.fromkeys(declared) if name not in names.values()]
    names.update(zip(sorted(number for number in counts if number not in names), left, strict=False))
    found = Counter(names.get(number, f"unit type {number}") for number in present)
    if found != wanted:
        raise RejectedError(
            f"the game has the units {dict(found)} and the map of that name {dict(wanted)}: the map's file is another "
            "one; compare its hash with docs/starcraft.md"
        )
    return names


def warn_of_health(kinds: Mapping[str, UnitType], name: str, health_max: float) -> None:
    """Say that a unit's hit points are not those that the schema's columns have as their scale."""
    kind = kinds[name]
    if health_max > 0 and abs(health_max - kind.health) > 0.5:
        warnings.warn(
            f"the game's {name} has {health_max:g} hit points, the schema says {kind.health:g}: what a protocol reads "
            "in hit points is off by that factor (shares of full health are right)",
            RuntimeWarning,
            stacklevel=2,
        )


class SmacChanges(_Stock):  # type: ignore[misc] # the package ships no types
    """What stands before smac's own class in the order of look-up: `seed_episode`, and what is changed in it."""

    max_reward: float
    agents: dict[int, Any]
    enemies: dict[int, Any]
    _episode_count: int

    def __init__(self, game: GameMap) -> None:
        self._map = game.battle_map
        self._kinds = {kind.name: kind for kind in kinds_of(game)}
        self._padding = padding_columns(game.battle_map, game.layout)
        self._ally_names: dict[int, str] = {}
        self._enemy_names: dict[int, str] = {}
        super().__init__(
            map_name=game.map_name,
            obs_all_health=game.battle_map.others_health,
            obs_own_health=True,
            state_last_action=False,
            continuing_episode=True,  # says of a time-out that it is one
        )
        self._reward_without_health = self.max_reward

    def seed_episode(self, seed: int) -> None:
        """Take the seed of the next launch: the game draws its later episodes from the same stream."""
        if self._sc2_proc is None:
            self._seed = seed % 2**32

    def _launch(self) -> None:
        super()._launch()
        # the schema's positions are shares of the whole map, also where the game trims what can be played on
        self.max_distance_x = self.max_distance_y = self._map.size

    def reset(self) -> Any:
        """Start an episode; stock launches a second game where the first episode was not played to its end."""
        if self._sc2_proc is not None and self._episode_count == 0:
            self._episode_count = 1
        return super().reset()

    def full_restart(self) -> None:
        """Give up: stock launches the game again and passes half an episode off as one that ended."""
        raise GameDiedError(f"the game of {self.map_name} closed its connection")

    def init_units(self) -> None:
        """Put units in the schema's order, name their types, and count the enemies' health once."""
        super().init_units()
        allies, enemies = list(self.agents.values()), list(self.enemies.values())
        self._ally_names = unit_names([unit.unit_type for unit in allies], self._map.allies)
        self._enemy_names = unit_names([unit.unit_type for unit in enemies], self._map.enemies)
        order = list(dict.fromkeys(self._map.enemies))
        enemies.sort(key=lambda unit: order.index(self._enemy_names[unit.unit_type]))
        self.enemies = dict(enumerate(enemies))
        # stock adds up again for every game loop that it waits for units to appear
        self.max_reward = self._reward_without_health + sum(u.health_max + u.shield_max for u in enemies)
        for names, units in ((self._ally_names, allies), (self._enemy_names, enemies)):
            for number, name in names.items():
                healths = [unit.health_max for unit in units if unit.unit_type == number]
                warn_of_health(self._kinds, name, healths[0])

    def _kind(self, unit: Any, ally: bool) -> UnitType:
        return self._kinds[(self._ally_names if ally else self._enemy_names)[unit.unit_type]]

    def get_unit_type_id(self, unit: Any, ally: bool) -> int:
        """Return the type's bit in the schema: stock has none for SMAC-Comm, and swaps the enemies' on 2s3z."""
        return self._map.type_bits[self._kind(unit, ally).name]

    def unit_max_cooldown(self, unit: Any) -> int:
        """Return the divisor of an agent's cooldown; stock takes the Zealots of 5z_vs_1ul for Stalkers."""
        return self._kind(unit, True).reward_cooldown

    def unit_max_shield(self, unit: Any) -> float:
        """Return a type's full shield."""
        return self._kind(unit, unit.unit_type in self._ally_names).shield

    def unit_sight_range(self, agent_id: int) -> float:
        """Return the map's sight."""
        return self._map.sight

    def unit_shoot_range(self, agent_id: int) -> float:
        """Return the map's shooting range."""
        return self._map.shoot

    def get_obs_enemy_feats_size(self) -> tuple[int, int]:
        """Return enemies and columns of each, the published layout's empty ones included."""
        enemies, columns = super().get_obs_enemy_feats_size()
        return enemies, columns + self._padding

    def update_units(self) -> int | None:
        """Return 1 for a win, -1 for a loss, 0 for neither, None while it goes on."""
        code: int | None = super().update_units()
        if self._map.only_medivac_left_wins:
            left = [self._kind(unit, False).name for unit in self.enemies.values() if unit.health > 0]
            # the blast that kills the last of the others kills the agents too: stock calls that a loss
            if left and set(left) == {"medivac"}:
                return 1
        return code


@cache
def _smac_class() -> Callable[[GameMap], Any]:
    """Return the class, after the maps that smac does not know were added to its registry and to pysc2's."""
    import_package("smac")
    smac_maps = importlib.import_module("smac.env.starcraft2.maps.smac_maps")
    for name in SMAC_COMM:
        smac_maps.map_param_registry.setdefault(name, registry_entry(name))
        if not hasattr(smac_maps, name):
            # pysc2 finds a map by its class, which it looks for among the subclasses
            setattr(smac_maps, name, type(name, (smac_maps.SMACMap,), {"filename": name}))
    stock = importlib.import_module("smac.env.starcraft2.starcraft2").StarCraft2Env
    return type("SmacGame", (SmacChanges, stock), {})
