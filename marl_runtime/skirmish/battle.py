"""The tasks of the embedded simulator: importing this module registers one per map."""

from __future__ import annotations

from marl_runtime.skirmish.environment import SkirmishEnvironment
from marl_runtime.skirmish.maps import MAPS
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.scripted import SCRIPTED
from marl_runtime.tasks import Task, register

__all__: list[str] = []


def _register(battle_map: BattleMap) -> None:
    register(
        Task(
            name=battle_map.name,
            summary=battle_map.summary,
            backend="embedded simulator, SMAC-Comm-like",
            schema=SkirmishEnvironment(battle_map, 1).schema,
            make=lambda num_envs: SkirmishEnvironment(battle_map, num_envs),
            scripted=SCRIPTED[battle_map.name],
            enemies=len(battle_map.enemies),
        )
    )


for _battle_map in MAPS.values():
    _register(_battle_map)
