"""The embedded simulator as an environment: E battles of one map in step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.errors import UnknownNameError
from marl_runtime.environment import StepResult, VectorEnvironment
from marl_runtime.skirmish import kernels
from marl_runtime.skirmish.layout import Layout, battle_schema, padding_columns
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.records import BATTLE, KIND, RULES, UNIT, Records
from marl_runtime.skirmish.units import LOOPS_PER_SECOND, UnitType, find_units

__all__ = ["BattleOptions", "Reward", "SkirmishEnvironment"]

Reward = Literal["stock", "corrected"]
_ATTRIBUTE_BITS = {"light": 1, "armoured": 2, "biological": 4, "mechanical": 8, "air": 16}


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
    `units["x"]`, `units["y"]`, `units["health"]`; `steps` `[E]` counts the environment steps.
    """

    def __init__(self, battle_map: BattleMap, num_envs: int, options: BattleOptions | None = None) -> None:
        options = options or BattleOptions()
        self.map = battle_map
        self.options = options
        self.kinds = find_units(options.profile, (*battle_map.allies, *battle_map.enemies), battle_map.overrides)
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
        self._kinds = _kind_records(battle_map, self.kinds)
        self._rules = _rules_record(battle_map, self.kinds, options)
        self._spawns = _spawn_arrays(battle_map)

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
        kernels.start(mask, seeds, self.units, self._battles, self._kinds, self._rules, self.terrain, *self._spawns)
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
        flags = np.empty((3, self.num_envs), dtype=bool)
        played = self.running
        kernels.play(
            actions,
            self.units,
            self._battles,
            self._kinds,
            self._rules,
            self.terrain,
            rewards,
            *flags,
        )
        self.observe(played)
        return StepResult(rewards, *flags)

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


def _kind_records(battle_map: BattleMap, kinds: tuple[UnitType, ...]) -> Records:
    records = np.zeros(len(kinds), dtype=KIND)
    for record, kind in zip(records, kinds, strict=True):
        for name in ("health", "armour", "radius", "damage", "hits", "bonus", "range", "scan", "blast"):
            record[name] = getattr(kind, name)
        for name in ("heal_range", "heal_cost", "energy", "energy_limit"):
            record[name] = getattr(kind, name)
        for name in ("speed", "regeneration", "heal", "energy_regeneration"):
            record[name] = getattr(kind, name) / LOOPS_PER_SECOND
        for name in ("period", "damage_point"):
            record[name] = getattr(kind, name) * LOOPS_PER_SECOND
        record["bonus_against"] = _ATTRIBUTE_BITS[kind.bonus_against]
        record["attributes"] = sum(_ATTRIBUTE_BITS[name] for name in kind.attributes)
        record["full_cooldown"] = kind.reward_cooldown
        record["flies"] = kind.flies
        record["heals_it"] = "biological" in kind.attributes
        record["type_bit"] = battle_map.type_bits[kind.name]
    return records


def _rules_record(battle_map: BattleMap, kinds: tuple[UnitType, ...], options: BattleOptions) -> Records:
    rules = np.zeros(1, dtype=RULES)
    n_allies = len(battle_map.allies)
    values = {
        "n_allies": n_allies,
        "n_type_bits": battle_map.n_type_bits,
        "limit": battle_map.episode_limit,
        "others_health": battle_map.others_health,
        "padding": padding_columns(battle_map, options.layout),
        "medivac_slot": n_allies + battle_map.enemies.index("medivac") if battle_map.only_medivac_left_wins else -1,
        "stock_reward": options.reward == "stock",
        "shortcut": True,
        "sight": battle_map.sight,
        "shoot": battle_map.shoot,
        "move_amount": 2.0,
        "leash": battle_map.enemy_leash,
        "help": battle_map.enemy_help,
        "reward_kill": 10.0,
        "reward_win": 200.0,
    }
    for name, value in values.items():
        rules[name] = value
    # SMAC scales the most that a battle can pay to 20
    most = 10.0 * len(battle_map.enemies) + 200.0 + sum(kind.health for kind in kinds[n_allies:])
    rules["reward_divisor"] = most / 20.0
    return rules


def _spawn_arrays(battle_map: BattleMap) -> tuple[IntArray, np.ndarray, np.ndarray, IntArray]:
    """Members `[G, U]` (-1 fills), offsets `[G, U, 2]`, regions `[G, R, 4]`, number of regions `[G]`."""
    spawns = battle_map.spawns
    members = np.full((len(spawns), battle_map.n_units), -1, dtype=np.int64)
    offsets = np.zeros((len(spawns), battle_map.n_units, 2))
    regions = np.zeros((len(spawns), max(len(spawn.regions) for spawn in spawns), 4))
    for g, spawn in enumerate(spawns):
        members[g, : len(spawn.units)] = spawn.units
        if spawn.offsets:
            offsets[g, : len(spawn.units)] = spawn.offsets
        regions[g, : len(spawn.regions)] = spawn.regions
    return members, offsets, regions, np.array([len(spawn.regions) for spawn in spawns], dtype=np.int64)
