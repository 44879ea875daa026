"""The task registry: one `Task` per name, built only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from buffers.errors import UnknownNameError
from buffers.schema import TaskSchema
from marl_runtime.environment import ScriptedPolicy, VectorEnvironment

__all__ = ["PUBLISHED_LAYOUT", "Task", "find_task", "register", "task_names"]

PUBLISHED_LAYOUT = "-smac_plus"
"""Ends the name of a map in the layout of the published code, where that is another one than SMAC's."""


@dataclass(frozen=True)
class Task:
    """A task that can be gathered, designed for and trained on.

    `make(E)` builds E environments in step. `scripted` maps names to policies written by hand. `enemies` and
    `requires` are for the listing: how many opponents or goals there are, and what has to be installed.
    """

    name: str
    summary: str
    backend: str
    schema: TaskSchema
    make: Callable[[int], VectorEnvironment]
    scripted: Mapping[str, Callable[[], ScriptedPolicy]] = field(default_factory=dict)
    enemies: int = 0
    requires: str = ""


# Task name → the module that registers it when imported; nothing is imported before a task of it is asked for.
_MODULES = {
    "bane_vs_hM": "marl_runtime.skirmish.battle",
    "1o_2r_vs_4r": "marl_runtime.skirmish.battle",
    "1o_2r_vs_4r-smac_plus": "marl_runtime.skirmish.battle",
    "Foraging-1s-8x8-2p-2f-coop": "marl_runtime.environments.foraging",
}
_REGISTRY: dict[str, Task] = {}


def register(task: Task) -> Task:
    """Add `task` to the registry and return it; a name that is taken raises ValueError."""
    if task.name in _REGISTRY:
        raise ValueError(f"a task named {task.name!r} is registered already")
    _REGISTRY[task.name] = task
    return task


def task_names() -> list[str]:
    """Return the names of all tasks, in the order of the listing."""
    return list(dict.fromkeys([*_MODULES, *_REGISTRY]))


def find_task(name: str) -> Task:
    """Return the task `name`; an unknown name raises `UnknownNameError` with the nearest ones."""
    if name not in _REGISTRY and name in _MODULES:
        import_module(_MODULES[name])
    if name not in _REGISTRY:
        raise UnknownNameError("task", name, task_names())
    return _REGISTRY[name]
