"""What a command line names, found: the task, data set and configuration behind a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from protocol_designer.commands.console import Progress

if TYPE_CHECKING:
    from buffers.dataset import DataSet
    from buffers.schema import TaskSchema
    from marl_runtime.workers import WorkerSettings

Config = TypeVar("Config")


def full_name(task: str, schema: Path | None) -> str:
    """Return the name that finds the task anywhere: `task`, with its file where `--schema` names one."""
    if schema is None:
        return task
    from marl_runtime.environments.own import with_schema

    return with_schema(task, schema)


def task_of(protocol: Path, task: str, schema: Path | None = None) -> str:
    """Return the task that a protocol's folder is for: the one named, the manifest's, or the parent folder's name."""
    from generated_protocols.manifest import read_manifest

    if not task and (protocol / "manifest.json").exists():
        task = read_manifest(protocol).task
    return full_name(task or protocol.resolve().parent.name, schema)


def schema_of(protocol: Path, task: str, schema: Path | None = None) -> TaskSchema:
    """Return the schema of the task that a protocol is for."""
    from marl_runtime.tasks import find_task

    return find_task(task_of(protocol, task, schema)).schema


def layout_of(protocol: Path, task: str, schema: Path | None = None) -> TaskSchema:
    """Return the schema to read a protocol's names by: the folder's own where it holds one of that task.

    It has the names that the protocol was made for. To ask the task itself costs half a second: it loads the simulator.
    """
    from generated_protocols.manifest import read_schema

    if (protocol / "schema.json").exists():
        own = read_schema(protocol)
        if schema is None and own.name == task_of(protocol, task):
            return own
    return schema_of(protocol, task, schema)


def data_set_of(protocol: Path, task: str, data: Path) -> DataSet:
    """Return the data set that a protocol was designed on, gathered again where it is missing; else the default one."""
    from generated_protocols.manifest import read_manifest
    from marl_runtime.configuration import from_json
    from marl_runtime.gathering import GatherConfig
    from marl_runtime.gathering import gather as gather_data

    file, config = protocol / "manifest.json", GatherConfig()
    known = read_manifest(protocol).data_set.get("gathering") if file.exists() else None
    if known:
        known = {key: value for key, value in known.items() if key != "origin"}
        config = from_json(GatherConfig, {**known, "message_dim": config.message_dim}, f"{file}, data_set.gathering,")
    return gather_data(task, config, data, Progress())


def validate_frozen(protocol: Path | None, task: str) -> None:
    """Read a protocol's parts by the static rules, whoever froze it: hashes are not trust."""
    if protocol is None:
        return
    from buffers.errors import RejectedError
    from generated_protocols.manifest import joint_sources, part_sources, read_frozen
    from marl_runtime.tasks import find_task
    from protocol_designer.validation import render, validate

    if joint_sources(protocol):
        return  # code without rules: it loads with --trust alone
    part_sources(protocol)  # what is no protocol is said before what is no task
    schema = find_task(task).schema
    # another layout is said as such, before the rules find that its names do not exist
    _, sources = read_frozen(protocol, schema)
    for number, source in sources.items():
        path = protocol / f"part{number}.py"
        found = validate(source, schema=schema, part=number, file=str(path))
        if found:
            raise RejectedError(f"{path} is refused by the static rules:\n{render(found, source)}")


def validate_run(run: Path) -> None:
    """Read the protocol of a run, where it has one, by the static rules."""
    protocol = run / "protocol"
    if protocol.is_dir():
        validate_frozen(protocol, task_of(protocol, ""))


def config_of(kind: type[Config], **values: Any) -> Config:
    """Build a configuration; a value that it refuses is the user's to mend, so it is a usage error."""
    from buffers.errors import UsageError

    try:
        return kind(**values)
    except ValueError as error:
        raise UsageError(str(error)) from error


def named(**options: str) -> dict[str, str]:
    """Return the options that were given; an empty one was not."""
    return {name: value for name, value in options.items() if value}


def overridden(config: Config, assignments: Sequence[str]) -> Config:
    """Return `config` with options set as `name=value` or `part.name=value`, whatever else was said of them."""
    from buffers.errors import CorruptFileError, UsageError
    from marl_runtime.configuration import from_json, to_json
    from marl_runtime.sweeping.sweep_file import read_value

    told = to_json(config)
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise UsageError(f"--set {assignment!r} is not NAME=VALUE, as in --set learner.lr=1e-3")
        value = read_value(text)
        *parts, last = name.strip().split(".")
        place = told
        for part in parts:
            if not isinstance(place.get(part), dict):
                raise UsageError(f"--set {assignment!r}: {part!r} holds no options; try learner, network or epsilon")
            place = place[part]
        place[last] = value
    try:
        return from_json(type(config), told, "--set")
    except (CorruptFileError, ValueError) as error:
        told_of = str(error).replace("--set is damaged: ", "")
        raise UsageError(f"--set {' --set '.join(assignments)}: {told_of}") from error


def workers_of(count: int, timeout: float) -> WorkerSettings:
    """Return the settings of the processes that play."""
    from marl_runtime.workers import WorkerSettings

    return config_of(WorkerSettings, count=count, timeout=timeout)


def ratio_of(steps_per_update: int | None) -> dict[str, float]:
    """Return the settings of an update ratio in steps, which takes the place of one in episodes."""
    return {} if steps_per_update is None else {"steps_per_update": steps_per_update, "updates_per_episode": 0.0}
