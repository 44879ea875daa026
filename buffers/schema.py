"""What a task's numbers mean: named fields with units, and the layout hash that ties files to a task."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from buffers.errors import LayoutMismatchError, UnknownNameError
from buffers.files import require_form

__all__ = ["SCHEMA_VERSION", "Field", "FieldKind", "TaskSchema"]

SCHEMA_VERSION = 1
FieldKind = Literal["continuous", "binary", "count"]


@dataclass(frozen=True)
class Field:
    """One number of an observation or a state.

    A stored value times `scale` is the value in `unit` (SMAC stores positions as a share of the map's width;
    `scale` brings them back to map units). `low` and `high` bound the *stored* value. `present_if` names the field of
    the same vector that is above zero exactly when this one means anything (a dead unit's position is stored as 0);
    empty when it always does.
    """

    name: str
    meaning: str
    unit: str = "1"
    low: float = 0.0
    high: float = 1.0
    scale: float = 1.0
    kind: FieldKind = "continuous"
    present_if: str = ""

    def __post_init__(self) -> None:
        if not self.name or not self.name.replace(".", "_").isidentifier():
            raise ValueError(f"field name {self.name!r} is not dotted identifiers, as in 'enemy_0.relative_x'")
        if not self.low < self.high:
            raise ValueError(f"field {self.name!r}: low {self.low} is not below high {self.high}")
        if not self.scale > 0:
            raise ValueError(f"field {self.name!r}: scale {self.scale} is not above 0")

    @property
    def entity(self) -> str:
        """The part before the last dot: `enemy_0` of `enemy_0.relative_x`."""
        return self.name.rpartition(".")[0]

    @property
    def quantity(self) -> str:
        """The part after the last dot: `relative_x` of `enemy_0.relative_x`."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True)
class TaskSchema:
    """A task's agents, fields, actions and episode limit, with every index named.

    `roles` has one entry per agent, in agent order. `ally_{s}.…` observation fields describe the other agents by
    *slot*: slots count the agents in order and skip oneself (`ally_slot`).
    """

    name: str
    summary: str
    roles: tuple[str, ...]
    obs_fields: tuple[Field, ...]
    state_fields: tuple[Field, ...]
    action_names: tuple[str, ...]
    episode_limit: int
    roles_vary: bool = False
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for kind, names in (
            ("observation field", [f.name for f in self.obs_fields]),
            ("state field", [f.name for f in self.state_fields]),
            ("action", list(self.action_names)),
        ):
            if not names:
                raise ValueError(f"task {self.name!r} has no {kind}s")
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"task {self.name!r}: {kind} names stand twice: {', '.join(twice)}")
        if not self.roles:
            raise ValueError(f"task {self.name!r} has no agents")
        if self.episode_limit < 1:
            raise ValueError(f"task {self.name!r}: episode limit {self.episode_limit} is below 1")
        for fields in (self.obs_fields, self.state_fields):
            names_here = {f.name for f in fields}
            for f in fields:
                if f.present_if and f.present_if not in names_here:
                    raise ValueError(f"field {f.name!r}: present_if names {f.present_if!r}, which does not exist")

    @property
    def n_agents(self) -> int:
        """N, the number of agents."""
        return len(self.roles)

    @property
    def n_actions(self) -> int:
        """A, the number of actions of each agent."""
        return len(self.action_names)

    @property
    def obs_dim(self) -> int:
        """O, the width of one agent's observation, without last action and agent id."""
        return len(self.obs_fields)

    @property
    def state_dim(self) -> int:
        """S, the width of the global state."""
        return len(self.state_fields)

    @cached_property
    def extended_fields(self) -> tuple[Field, ...]:
        """The D = O + A + N fields of the extended observation: observation, last action one-hot, agent id one-hot."""
        last = (
            Field(f"last_action.{name}", f"1 when this agent's previous action was '{name}'", kind="binary")
            for name in self.action_names
        )
        ids = (
            Field(f"agent_id.agent_{i}", f"1 for agent {i} ({role})", kind="binary")
            for i, role in enumerate(self.roles)
        )
        return (*self.obs_fields, *last, *ids)

    @property
    def extended_dim(self) -> int:
        """D, the width of the extended observation."""
        return self.obs_dim + self.n_actions + self.n_agents

    @cached_property
    def _extended_index(self) -> dict[str, int]:
        return {f.name: index for index, f in enumerate(self.extended_fields)}

    @cached_property
    def _state_index(self) -> dict[str, int]:
        return {f.name: index for index, f in enumerate(self.state_fields)}

    def extended_index(self, name: str) -> int:
        """Return the column of `name` in the extended observation; an unknown name raises with the nearest ones."""
        try:
            return self._extended_index[name]
        except KeyError:
            raise UnknownNameError("observation field", name, self._extended_index) from None

    def state_index(self, name: str) -> int:
        """Return the column of `name` in the state; an unknown name raises with the nearest ones."""
        try:
            return self._state_index[name]
        except KeyError:
            raise UnknownNameError("state field", name, self._state_index) from None

    def ally_slot(self, agent: int, other: int) -> int:
        """Return the `ally_{slot}` in which `agent` observes `other`; slots skip oneself."""
        if agent == other:
            raise ValueError(f"agent {agent} has no ally slot for itself")
        return other - (other > agent)

    @cached_property
    def layout_hash(self) -> str:
        """SHA-256 over what columns mean: roles, ordered names, units, scales, limit; not ranges or wording."""
        layout = {
            "roles": self.roles,
            "roles_vary": self.roles_vary,
            "obs": [(f.name, f.unit, f.scale) for f in self.obs_fields],
            "state": [(f.name, f.unit, f.scale) for f in self.state_fields],
            "actions": self.action_names,
            "limit": self.episode_limit,
        }
        return hashlib.sha256(json.dumps(layout, separators=(",", ":")).encode()).hexdigest()

    def require_same_layout(self, other: TaskSchema, what: str) -> None:
        """Raise `LayoutMismatchError` naming the first difference when `what` was made for `other`, another layout."""
        if self.layout_hash == other.layout_hash:
            return
        pairs: list[tuple[str, list[Any], list[Any]]] = [
            ("agent roles", list(self.roles), list(other.roles)),
            ("observation fields", [f.name for f in self.obs_fields], [f.name for f in other.obs_fields]),
            ("state fields", [f.name for f in self.state_fields], [f.name for f in other.state_fields]),
            ("actions", list(self.action_names), list(other.action_names)),
            ("episode limit", [self.episode_limit], [other.episode_limit]),
            (
                "units",
                [(f.name, f.unit, f.scale) for f in (*self.obs_fields, *self.state_fields)],
                [(f.name, f.unit, f.scale) for f in (*other.obs_fields, *other.state_fields)],
            ),
        ]
        for label, mine, theirs in pairs:
            if len(mine) != len(theirs):
                raise LayoutMismatchError(
                    f"{what} was made for {len(theirs)} {label} (task {other.name!r}), "
                    f"but task {self.name!r} has {len(mine)}; make it again for this task"
                )
            for index, (a, b) in enumerate(zip(mine, theirs, strict=True)):
                if a != b:
                    raise LayoutMismatchError(
                        f"{what} was made for another layout: {label}, index {index}, is {b!r} there "
                        f"and {a!r} in task {self.name!r}; make it again for this task"
                    )
        raise LayoutMismatchError(f"{what} was made for a task whose roles vary otherwise than in {self.name!r}")

    def with_state_ranges(self, low: NDArray[np.float32], high: NDArray[np.float32]) -> TaskSchema:
        """Return a copy whose state fields carry measured ranges, both `[S]`; a constant field keeps its own range."""
        fields = tuple(
            replace(f, low=float(a), high=float(b)) if b > a else f
            for f, a, b in zip(self.state_fields, low, high, strict=True)
        )
        return replace(self, state_fields=fields)

    def to_json(self) -> dict[str, Any]:
        """Return the schema as plain JSON values, with its version and layout hash."""
        return {"version": SCHEMA_VERSION, "layout_hash": self.layout_hash, **asdict(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TaskSchema:
        """Read what `to_json` wrote; a layout hash that does not match the fields raises `LayoutMismatchError`."""
        if value.get("version") != SCHEMA_VERSION:
            raise LayoutMismatchError(f"schema version {value.get('version')!r}, this program reads {SCHEMA_VERSION}")
        require_form(value, cls, f"the schema of task {value.get('name')!r}")
        schema = cls(
            name=value["name"],
            summary=value["summary"],
            roles=tuple(value["roles"]),
            obs_fields=tuple(Field(**f) for f in value["obs_fields"]),
            state_fields=tuple(Field(**f) for f in value["state_fields"]),
            action_names=tuple(value["action_names"]),
            episode_limit=value["episode_limit"],
            roles_vary=value["roles_vary"],
            notes=tuple(value["notes"]),
        )
        if schema.layout_hash != value["layout_hash"]:
            raise LayoutMismatchError(f"the schema of task {schema.name!r} was edited: its layout hash does not match")
        return schema
