"""A user's task in words: the YAML file beside an environment that names every number of it.

docs/your-own-task.md explains the file; `design-protocol new-task` drafts one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import yaml

from buffers.episodes import IntArray
from buffers.errors import RejectedError, UsageError
from buffers.schema import Field, FieldKind, TaskSchema

__all__ = ["TODO", "Columns", "FieldEntry", "SuccessRule", "TaskFile", "read_task_file"]

TODO = "TODO"
"""Stands in a drafted file where a person has to write; a file that still has it is refused."""


class FieldEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One number of the environment's own vector, in its order; with `drop` it is left out of the task."""

    name: str = ""
    meaning: str = ""
    unit: str = "1"
    low: float = 0.0
    high: float = 1.0
    scale: float = 1.0
    kind: FieldKind = "continuous"
    present_if: str = ""
    drop: bool = False

    def field(self) -> Field:
        """Return the field of the schema; `ValueError` says what is wrong with it."""
        return Field(
            self.name, self.meaning, self.unit, self.low, self.high, self.scale, self.kind, self.present_if
        )  # fmt: skip


class SuccessRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an episode that ended was a success: the team's return is high enough, or an agent's `infos` entry is true.

    Exactly one of the two is given.
    """

    return_at_least: float | None = None
    info: str | None = None

    def __post_init__(self) -> None:
        if (self.return_at_least is None) == (self.info is None):
            raise ValueError("give either 'return_at_least: NUMBER' or 'info: KEY'")


class TaskFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says. `actions` and `observation` are one list for all agents, or one for each role.

    `agents` maps the environment's agent names, in order, to roles; `reward` says how the agents' rewards become the
    team's.
    """

    summary: str
    episode_limit: int
    agents: dict[str, str]
    actions: list[str] | dict[str, list[str]]
    observation: list[FieldEntry] | dict[str, list[FieldEntry]]
    state: list[FieldEntry]
    success: SuccessRule
    reward: Literal["sum", "mean"] = "sum"
    notes: list[str] = []

    @property
    def roles(self) -> list[str]:
        """The distinct roles, in order."""
        return list(dict.fromkeys(self.agents.values()))

    def actions_of(self, role: str) -> list[str]:
        """Return the names of a role's actions, in the order of its action space."""
        return self.actions if isinstance(self.actions, list) else self.actions[role]

    def observation_of(self, role: str) -> list[FieldEntry]:
        """Return the entries of a role's observation, in its order."""
        return self.observation if isinstance(self.observation, list) else self.observation[role]

    def schema(self, name: str) -> TaskSchema:
        """Return the task's schema; what several roles call by one name is one column."""
        return TaskSchema(
            name=name,
            summary=self.summary,
            roles=tuple(self.agents.values()),
            obs_fields=_union([self.observation_of(role) for role in self.roles], self.roles),
            state_fields=tuple(entry.field() for entry in self.state if not entry.drop),
            action_names=tuple(dict.fromkeys(a for role in self.roles for a in self.actions_of(role))),
            episode_limit=self.episode_limit,
            notes=tuple(self.notes),
        )


@dataclass(frozen=True)
class Columns:
    """Where the numbers of an environment's vector go: `vector[source]` into `row[target]`; `size` is its width."""

    size: int
    source: IntArray
    target: IntArray

    @classmethod
    def of(cls, entries: Sequence[FieldEntry], fields: Sequence[Field]) -> Columns:
        """Return the columns of a vector with `entries` in a row of `fields`."""
        index = {f.name: place for place, f in enumerate(fields)}
        source = np.array([place for place, entry in enumerate(entries) if not entry.drop], dtype=np.int64)
        target = np.array([index[entry.name] for entry in entries if not entry.drop], dtype=np.int64)
        return cls(len(entries), source, target)


def _union(per_role: Sequence[Sequence[FieldEntry]], roles: Sequence[str]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for role, entries in zip(roles, per_role, strict=True):
        mine: set[str] = set()
        for field in (entry.field() for entry in entries if not entry.drop):
            if field.name in mine:
                raise ValueError(f"observation field {field.name!r} stands twice in role {role!r}")
            mine.add(field.name)
            known = found.setdefault(field.name, field)
            if (known.unit, known.scale) != (field.unit, field.scale):
                raise ValueError(
                    f"observation field {field.name!r} has unit {known.unit!r} and scale {known.scale} in one role, "
                    f"and {field.unit!r} and {field.scale} in role {role!r}: rename one of them"
                )
    return tuple(found.values())


def read_task_file(path: Path, name: str) -> tuple[TaskFile, TaskSchema, str]:
    """Return the file at `path`, the schema of task `name` that it describes, and the SHA-256 of what it says.

    Comments and layout do not count for the hash. A missing file raises `UsageError`, a wrong one `RejectedError` with
    the place in it.
    """
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; draft it with: design-protocol new-task {name}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RejectedError(f"{path} is not YAML in UTF-8: {' '.join(str(error).split())}") from error
    try:
        _require_filled(value)
        file = msgspec.convert(value, TaskFile)
        _require_roles(file)
        schema = file.schema(name)
    except msgspec.ValidationError as error:
        hint = (
            "; put it in quotes (YAML reads yes, no, on, off and numbers otherwise)"
            if "Expected `str`" in str(error)
            else ""
        )
        raise RejectedError(f"{path}: {error}{hint}") from error
    except ValueError as error:
        raise RejectedError(f"{path}: {error}") from error
    said = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return file, schema, hashlib.sha256(said.encode()).hexdigest()


def _require_roles(file: TaskFile) -> None:
    for what, listed in (("actions", file.actions), ("observation", file.observation)):
        if isinstance(listed, dict) and set(listed) != set(file.roles):
            raise ValueError(
                f"'{what}' lists the roles {', '.join(sorted(listed))}, 'agents' {', '.join(sorted(file.roles))}"
            )
    for role in file.roles:
        names = file.actions_of(role)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"action {twice[0]!r} stands twice in role {role!r}")


def _require_filled(value: Any) -> None:
    """Refuse what a draft left to a person: a designer would read it as a meaning."""
    places = list(_todo_places(value, ""))
    if places:
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        raise ValueError(f"still says {TODO} at {', '.join(places[:3])}{more}; write there what it is")


def _todo_places(value: Any, place: str) -> list[str]:
    if isinstance(value, str):
        return [place] if TODO in value else []
    if isinstance(value, dict):
        pairs = [(f"{place}.{key}".lstrip("."), entry) for key, entry in value.items()]
    elif isinstance(value, list):
        pairs = [(f"{place}[{index}]", entry) for index, entry in enumerate(value)]
    else:
        return []
    return [found for key, entry in pairs for found in _todo_places(entry, key)]
