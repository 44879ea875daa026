"""The embedded simulator as an environment: E battles of one map in step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.errors import UnknownNameError
from marl_runtime.environment import StepResult, VectorEnvironment
from marl_runtime.skirmish import kernels
from marl_runtime.skirmish.layout import Layout, battle_schema
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.records import BATTLE, UNIT, Records
from marl_runtime.skirmish.tables import check_map, kind_records, marches, rules_record, spawn_arrays
from marl_runtime.skirmish.units import find_units
from marl_runtime.skirmish.worlds import World, changed_types

__all__ = ["BattleOptions", "Reward", "SkirmishEnvironment"]

Reward = Literal["stock", "corrected"]


@dataclass(frozen=True)
class BattleOptions:
    """How a map is played.

    `layout`: 'smac', or 'smac_plus' with the published code's empty column after each enemy where health is shown.
    `reward`: 'stock' takes the absolute value of what enemies lost, as SMAC does, so that their recovery pays;
    'corrected' pays nothing for it. `profile`: the unit statistics ('liberty' or 'ladder-4.10'), before the map's own
    overrides.
    """

    layout: Layout = "smac"
    reward: Reward = "stock"
    profile: str = "liberty"

    def __post_init__(self) -> None:
        for what, value, valid in (
            ("layout", self.layout, get_args(Layout)),
            ("reward", self.reward, get_args(Reward)),
        ):
            if value not in valid:
                raise UnknownNameError(what, value, valid)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the schema records about the game that its fields do not say."""
        reward = (
            "enemy health lost (absolute value, as SMAC: recovery pays too)"
            if self.reward == "stock"
            else "enemy health lost (recovery pays nothing)"
        )
        return (
            "backend: embedded simulator, SMAC-Comm-like, not StarCraft; win rates do not compare with published ones",
            f"reward: {reward}, 10 a kill, 200 for the win, scaled to 20 in all; a loss or a time-out adds nothing",
            f"unit statistics: {self.profile}, with the map's own overrides",
        )


class SkirmishEnvironment(VectorEnvironment):
    """E battles of one map in step. A battle depends on its seed and its actions alone.

    `units` `[E, U]` are the true records (agents first, then enemies): policies that may know everything read
    `units["x"]`, `units["y"]`, `units["health"]`; `steps` `[E]` counts the environment steps. `units["kind"]` are
    indices into `kinds`, one entry per unit name.
    """

    def __init__(self, battle_map: BattleMap, num_envs: int, options: BattleOptions | None = None) -> None:
        options = options or BattleOptions()
        self.map = battle_map
        self.options = options
        teams = (*battle_map.allies, *battle_map.enemies, *changed_types(battle_map))
        names = tuple(battle_map.random_team) or tuple(dict.fromkeys(teams))
        self.kinds = find_units(options.profile, names, battle_map.overrides)
        check_map(battle_map, self.kinds)
        self.schema = battle_schema(battle_map, self.kinds, options.layout, options.notes)
        self.num_envs = num_envs
        n = self.schema.n_agents
        self.obs: Float32Array = np.zeros((num_envs, n, self.schema.obs_dim), dtype=np.float32)
        self.state: Float32Array = np.zeros((num_envs, self.schema.state_dim), dtype=np.float32)
        self.avail_actions: BoolArray = np.zeros((num_envs, n, self.schema.n_actions), dtype=bool)
        self.avail_actions[..., 0] = True
        self.alive: BoolArray = np.zeros((num_envs, n), dtype=bool)
        self.units: Records = np.zeros((num_envs, battle_map.n_units), dtype=UNIT)
        self.terrain: BoolArray = battle_map.terrain()
        self._battles: Records = np.zeros(num_envs, dtype=BATTLE)
        self._order: IntArray = np.zeros(self.units.shape, dtype=np.int64)
        self._kinds = kind_records(battle_map, self.kinds)
        self._rules = rules_record(battle_map, options.layout, stock_reward=options.reward == "stock")
        self._spawns = spawn_arrays(battle_map, self.kinds)
        self._world = World(battle_map, names, self._kinds, num_envs)
        self.regimes = self._world.regimes if battle_map.schedule else ()
        walled = marches(battle_map) and not self.terrain.all()
        self._routes = kernels.find_routes(self.terrain if walled else self.terrain[:0])

    @property
    def steps(self) -> IntArray:
        """Environment steps played in each present battle, `[E]`."""
        return self._battles["steps"]

    @property
    def running(self) -> BoolArray:
        """Which battles are not over, `[E]`."""
        return self._battles["running"] > 0

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new battles where `mask` is true, each from its own seed."""
        kernels.start(
            mask, seeds, self.units, self._battles, self._kinds, self._rules, self.terrain, self._order, *self._spawns
        )
        if self._world.changes:
            self._world.begin(mask, seeds, self.units, self._battles)
        self.observe(mask)

    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]` for 8 game loops; an unavailable action raises ValueError, and nothing is played."""
        actions = np.ascontiguousarray(actions, dtype=np.int64)
        wrong = kernels.find_unavailable(actions, self.avail_actions, self._battles)
        if wrong >= 0:
            env, agent = divmod(wrong, self.schema.n_agents)
            names = self.schema.action_names
            action = int(actions[env, agent])
            name = repr(names[action]) if 0 <= action < len(names) else f"number {action}"
            able = ", ".join(names[a] for a in np.flatnonzero(self.avail_actions[env, agent]))
            raise ValueError(f"environment {env}, agent {agent}: action {name} is not available (these are: {able})")
        rewards = np.empty(self.num_envs, dtype=np.float32)
        terminated, truncated, won = np.empty((3, self.num_envs), dtype=bool)
        played = self.running
        kernels.play(
            actions,
            self.units,
            self._battles,
            self._kinds,
            self._rules,
            self.terrain,
            self._routes,
            self._order,
            rewards,
            terminated,
            truncated,
            won,
        )
        if self._world.changes:
            self._world.step(played, self.units, self._battles)
        self.observe(played)
        return StepResult(rewards, terminated, truncated, won, self._world.regime.copy() if self.regimes else None)

    def observe(self, mask: BoolArray) -> None:
        """Write observations, states and masks again from `units`, where `mask` is true; for those who moved units."""
        kernels.observe(
            mask,
            self.units,
            self._kinds,
            self._rules,
            self.terrain,
            self.obs,
            self.state,
            self.avail_actions,
            self.alive,
        )
