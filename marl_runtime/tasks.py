"""The task registry: one `Task` per name, built only when asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from buffers.errors import RejectedError, UnknownNameError
from buffers.files import read_json_object
from buffers.schema import TaskSchema
from marl_runtime.environment import ScriptedPolicy, VectorEnvironment

__all__ = ["PUBLISHED_LAYOUT", "Task", "find_task", "map_names", "messages_of", "register", "task_names"]

PUBLISHED_LAYOUT = "-smac_plus"
"""Ends the name of a map in the layout of the published code, where that is another one than SMAC's."""


@dataclass(frozen=True)
class Task:
    """A task that can be gathered, designed for and trained on.

    `make(E)` builds E environments in step, `make_test(E)` those that policies are tested on, where these are others.
    `scripted` maps names to policies written by hand. `enemies` and
    `requires` are for the listing: how many opponents or goals there are, and what has to be installed. `full_name`
    finds the task again in another process, where `name` alone does not; `origin` says what a user's own task was
    made from, hashes included, for manifests.
    """

    name: str
    summary: str
    backend: str
    schema: TaskSchema
    make: Callable[[int], VectorEnvironment]
    scripted: Mapping[str, Callable[[], ScriptedPolicy]] = field(default_factory=dict)
    enemies: int = 0
    requires: str = ""
    full_name: str = ""
    origin: Mapping[str, str] = field(default_factory=dict)
    make_test: Callable[[int], VectorEnvironment] | None = None

    def environment(self, num_envs: int, *, testing: bool = False) -> VectorEnvironment:
        """Return `num_envs` environments in step, to train or to test on."""
        make = self.make_test if testing and self.make_test is not None else self.make
        return make(num_envs)


# Maps are listed by their file names: their simulator is imported when a task of it is asked for.
_MAPS = Path(__file__).resolve().parent / "skirmish" / "maps"
# Other tasks of the listing. Foraging has any number of tasks, since their names hold their settings.
_FORAGING = ("Foraging-1s-8x8-2p-2f-coop", "Foraging-1s-11x11-6p-4f-coop")
_FOOTBALL = ("academy_3_vs_1_with_keeper", "academy_run_pass_and_shoot_with_keeper")
_REGISTRY: dict[str, Task] = {}
_FROM_FILES: dict[str, Path] = {}  # tasks of users' own maps, and their files


def register(task: Task) -> Task:
    """Add `task` to the registry and return it; a name that is taken raises ValueError."""
    if task.name in _REGISTRY:
        raise ValueError(f"a task named {task.name!r} is registered already")
    _REGISTRY[task.name] = task
    return task


@cache
def map_names() -> tuple[str, ...]:
    """Return the names of the tasks that the embedded simulator plays."""
    names: list[str] = []
    for path in sorted(_MAPS.glob("*.toml"), key=lambda path: path.stem.casefold()):
        names.append(path.stem)
        if tomllib.loads(path.read_text(encoding="utf-8")).get("published_layout"):
            names.append(f"{path.stem}{PUBLISHED_LAYOUT}")
    return tuple(names)


def task_names() -> list[str]:
    """Return the names of all tasks, in the order of the listing."""
    return list(dict.fromkeys([*map_names(), *_FORAGING, *_FOOTBALL, *_REGISTRY]))


def find_task(name: str) -> Task:
    """Return the task `name`, built when it is first asked for, or that of the map in the file `name`, ending in .toml.

    An unknown name raises `UnknownNameError` with the nearest ones, a wrong file `RejectedError` with the place in it.
    """
    if name in _REGISTRY:
        return _REGISTRY[name]
    if name.endswith(".toml"):
        return _file_task(Path(name))
    if name.startswith(("sc2:", "sc2v2:")):  # the real game; nothing of it is needed before it is played
        from marl_runtime.environments.starcraft.task import starcraft_task

        return register(starcraft_task(name))
    if ":" in name:  # module:factory, a user's own environment
        from marl_runtime.environments.own import own_task

        return own_task(name)
    if name.startswith("Foraging"):
        from marl_runtime.environments.foraging import foraging_task

        return register(foraging_task(name))
    if name in _FOOTBALL:
        from marl_runtime.environments.football import football_task

        return register(football_task(name))
    if name in map_names():
        from marl_runtime.skirmish.battle import map_task

        return register(map_task(name))
    raise UnknownNameError("task", name, task_names())


def messages_of(name: str) -> str:
    """Return what messages are worth in the task `name`, by its policies written by hand (measured.json).

    "necessary" where the policy with messages wins at least 25 points more than the best without, "helpful" where it
    wins at least 5 points and three standard errors more, else "not needed"; "unclear" where no policy wins a tenth of
    the battles, so that nothing can be told; "not measured" where nobody has.
    """
    played = _measured().get(name.removesuffix(PUBLISHED_LAYOUT), {})
    if "blind" not in played or "shared" not in played:
        return "not measured"
    blind, shared = played["blind"], played["shared"]
    if max(one["won"] for one in played.values()) < 0.1:
        return "unclear"
    gain = shared["won"] - blind["won"]
    if gain >= 0.25:
        return "necessary"
    error = (blind["standard_error"] ** 2 + shared["standard_error"] ** 2) ** 0.5
    return "helpful" if gain >= max(0.05, 3 * error) else "not needed"


@cache
def _measured() -> dict[str, dict[str, Any]]:
    try:
        tasks: dict[str, dict[str, Any]] = read_json_object(_MAPS / "measured.json")["tasks"]
    except FileNotFoundError:
        return {}
    return tasks


def _file_task(path: Path) -> Task:
    """The task of a user's map, which is found by its own name too from then on; the file is read anew each time."""
    from marl_runtime.skirmish.battle import task_of_file

    known = _FROM_FILES.get(path.stem)
    if known not in (None, path.resolve()):
        raise RejectedError(f"{path}: {known} has the same name; rename one, since a map is named after its file")
    if known:
        _REGISTRY.pop(path.stem, None)
    task = task_of_file(path)
    if task.name not in map_names():
        _FROM_FILES[task.name] = path.resolve()
        register(task)
    return task
