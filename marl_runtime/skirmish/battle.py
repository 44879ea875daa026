"""The tasks of the embedded simulator: one per map, and one in the published code's layout where a map says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from buffers.errors import RejectedError
from marl_runtime.skirmish.environment import BattleOptions, SkirmishEnvironment
from marl_runtime.skirmish.maps import FOLDER, MAPS, MapFile, map_file, read_map
from marl_runtime.skirmish.scripted import policies_of
from marl_runtime.tasks import PUBLISHED_LAYOUT, Task, task_names

__all__ = ["map_task", "task_of_file"]


def map_task(name: str) -> Task:
    """Return the task `name`: a map of ours, or its name and `PUBLISHED_LAYOUT`."""
    file = map_file(name.removesuffix(PUBLISHED_LAYOUT))
    return _task(file, name, BattleOptions(layout="smac_plus" if name.endswith(PUBLISHED_LAYOUT) else "smac"))


def task_of_file(path: Path) -> Task:
    """Return the task of a user's own map; one that is named like another task raises `RejectedError`."""
    file = read_map(path)
    name = file.battle_map.name
    if name in task_names() and path.resolve().parent != FOLDER:
        kind = "map of this project" if name in MAPS else "task"
        raise RejectedError(f"{path}: a {kind} is named {name!r}; rename the file, since a map is named after it")
    return _task(file, name, BattleOptions())


def _task(file: MapFile, name: str, options: BattleOptions) -> Task:
    battle_map = replace(file.battle_map, name=name)
    tested = None if file.test_agents is None else replace(battle_map, present_agents=file.test_agents)
    return Task(
        name=name,
        summary=battle_map.summary,
        backend="embedded simulator, SMAC-Comm-like",
        schema=SkirmishEnvironment(battle_map, 1, options).schema,
        make=lambda num_envs: SkirmishEnvironment(battle_map, num_envs, options),
        scripted=policies_of(file),
        enemies=len(battle_map.enemies),
        make_test=None if tested is None else lambda num_envs: SkirmishEnvironment(tested, num_envs, options),
    )
