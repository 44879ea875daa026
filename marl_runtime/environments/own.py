"""Tasks of one's own: `module:factory` with a task file, as in `--task lamps:make --schema lamps.yaml`.

The full name is `module:factory@FILE`; it is what a run stores, so that another process finds the task again. Without
`@FILE` the file stands beside the module: `<factory>.yaml`, or else `<module>.yaml`.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from buffers.errors import RejectedError, UsageError
from marl_runtime.environment import EnvironmentCrashError
from marl_runtime.environments.parallel import ParallelEnvironment
from marl_runtime.environments.task_file import read_task_file
from marl_runtime.tasks import Task

__all__ = ["find_factory", "is_own", "own_task", "with_schema"]


def is_own(name: str) -> bool:
    """Return whether `name` has the form module:factory."""
    return ":" in name.partition("@")[0]


def with_schema(name: str, schema: Path | None) -> str:
    """Return the task's full name: `name`, and the task file of `--schema` where one is given."""
    if schema is None:
        return name
    if not is_own(name) or "@" in name:
        raise UsageError(f"--schema {schema} goes with a --task of the form module:factory, not with {name!r}")
    return f"{name}@{schema}"


def own_task(full_name: str) -> Task:
    """Return the task `module:factory[@FILE]`; its name is `module:factory`.

    What cannot be found raises `UsageError`, a file that does not fit the environment `RejectedError`.
    """
    name, _, given = full_name.partition("@")
    make, module = find_factory(name)
    path = Path(given) if given else _beside(module, name)
    file, schema, digest = read_task_file(path, name)
    return Task(
        name=name,
        summary=schema.summary,
        backend="your own",
        schema=schema,
        make=lambda num_envs: ParallelEnvironment(make, file, schema, num_envs),
        requires=name.partition(":")[0],
        full_name=full_name,
        origin={
            "factory": name,
            "module_sha256": hashlib.sha256(module.read_bytes()).hexdigest(),
            "schema_file": path.name,
            "schema_sha256": digest,
        },
    )


def find_factory(name: str) -> tuple[Callable[[], Any], Path]:
    """Return what makes an environment of `module:factory`, and the module's file.

    The module is looked for among what is installed and in the working directory.
    """
    module_name, _, factory = name.partition(":")
    if not factory.isidentifier() or not all(part.isidentifier() for part in module_name.split(".")):
        raise UsageError(f"task {name!r} is not of the form module:factory, as in lamps:make")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise UsageError(
                f"there is no module {module_name!r} in {here} nor among the installed packages; go to its folder, or "
                "install it here"
            ) from error
        raise UsageError(f"{module_name} needs the package {error.name}: pip install {error.name}") from error
    except Exception as error:
        raise EnvironmentCrashError.of(f"importing {module_name}", error) from error
    make = getattr(module, factory, None)
    if not callable(make):
        offered = sorted(k for k, v in vars(module).items() if callable(v) and not k.startswith("_"))
        raise UsageError(f"{module_name} has no {factory!r} to call; it has: {', '.join(offered) or 'nothing to call'}")
    if not getattr(module, "__file__", None):
        raise RejectedError(f"{module_name} is no file of its own; put the factory into one")
    return make, Path(str(module.__file__))


def _beside(module: Path, name: str) -> Path:
    stem = module.parent.name if module.name == "__init__.py" else module.stem
    tried = [module.parent / f"{name.partition(':')[2]}.yaml", module.parent / f"{stem}.yaml"]
    for path in tried:
        if path.exists():
            return path
    raise UsageError(
        f"task {name!r} has no task file: neither {tried[0]} nor {tried[1].name} beside it exists. Name one with "
        f"--schema FILE, or draft it with: design-protocol new-task {name}"
    )
