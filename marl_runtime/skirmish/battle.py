"""The tasks of the embedded simulator: importing this module registers one per map."""

from __future__ import annotations

from dataclasses import replace

from marl_runtime.skirmish.environment import BattleOptions, SkirmishEnvironment
from marl_runtime.skirmish.layout import padding_columns
from marl_runtime.skirmish.maps import MAPS
from marl_runtime.skirmish.maps.battle_map import BattleMap
from marl_runtime.skirmish.scripted import SCRIPTED
from marl_runtime.tasks import PUBLISHED_LAYOUT, Task, register

__all__: list[str] = []


def _register(battle_map: BattleMap, options: BattleOptions, scripted: str) -> None:
    register(
        Task(
            name=battle_map.name,
            summary=battle_map.summary,
            backend="embedded simulator, SMAC-Comm-like",
            schema=SkirmishEnvironment(battle_map, 1, options).schema,
            make=lambda num_envs: SkirmishEnvironment(battle_map, num_envs, options),
            scripted=SCRIPTED[scripted],
            enemies=len(battle_map.enemies),
        )
    )


for _name, _map in MAPS.items():
    _register(_map, BattleOptions(), _name)
    if padding_columns(_map, "smac_plus"):
        # where the published code's layout is another one, it is a task of its own: imported protocols need it
        _register(replace(_map, name=f"{_name}{PUBLISHED_LAYOUT}"), BattleOptions(layout="smac_plus"), _name)
