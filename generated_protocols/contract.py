"""What a protocol part sees: its own extended observation, and what it heard.

Axes: R rows (any flattening of episodes, timesteps and agents), N agents, W history window, k width of a component. A
row sees only itself: another agent's observation can be reached through the inbox alone.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from buffers.errors import UnknownNameError, nearest
from buffers.schema import TaskSchema

__all__ = ["Array", "ContractError", "Inbox", "Observation"]

Array = NDArray[np.float32]
Kind = TypeVar("Kind", bound=np.generic)
_GLOB = frozenset("*?[")


class ContractError(Exception):
    """A protocol broke the contract while it ran. Codes: PD45x; `hint` says how to mend it."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class Observation:
    """The extended observation of R agents, each knowing its own history and nothing else.

    Arrays are read-only and float32 unless said. `window(columns)` gives the histories `[R, W, k]` of some columns; it
    is called only for what a protocol asks for.
    """

    def __init__(
        self,
        schema: TaskSchema,
        now: Array,
        agent_id: NDArray[np.int64],
        age: NDArray[np.int64],
        window: Callable[[Sequence[int]], Array],
    ) -> None:
        self._schema = schema
        self._now = _read_only(now)
        self._window = window
        self.agent_id = _read_only(agent_id)
        """Which agent each row is, `[R]` int."""
        self.age = _read_only(age)
        """Real past steps in the window, `[R]` int: 0 at the episode's first step, at most W - 1."""
        self.n_agents = schema.n_agents

    def __getitem__(self, name: str) -> Array:
        """Return a field as it is now, `[R]`."""
        return self._now[:, self._column(name)]

    def group(self, pattern: str) -> Array:
        """Return all fields that match a glob such as `enemy_*.health`, `[R, k]` in field order."""
        return _read_only(self._now[:, self._columns(pattern)])

    def allies(self, quantity: str) -> Array:
        """Return a quantity of every agent by agent id, `[R, N]`, 0 for oneself; ally slots skip oneself."""
        columns = np.array(self._ally_columns(quantity))
        # each row reads the slots from its own agent's point of view
        seen = np.take_along_axis(self._now, columns[self.agent_id], axis=1)
        seen[np.arange(len(seen)), self.agent_id] = 0
        return _read_only(seen)

    def past(self, name: str) -> Array:
        """Return the last W steps of a field `[R, W]`, or of all that match a glob `[R, W, k]`: oldest first, now last.

        Steps before the episode are 0; `age` tells how many are real.
        """
        _require_text(name)
        if _GLOB.isdisjoint(name):
            return _read_only(self._window([self._column(name)])[..., 0])
        return _read_only(self._window(self._columns(name)))

    def is_role(self, role: str) -> NDArray[np.bool_]:
        """Return which rows are agents of a role, `[R]` bool."""
        schema = self._schema
        if schema.roles_vary:
            raise ContractError(
                "PD457", "is_role has no meaning here: roles vary from episode to episode", "use the type bits instead"
            )
        if role not in schema.roles:
            raise ContractError("PD457", f"unknown role {role!r}", _did_you_mean(role, schema.roles))
        return _read_only(np.array([r == role for r in schema.roles])[self.agent_id])

    def _column(self, name: str) -> int:
        _require_text(name)
        try:
            return self._schema.extended_index(name)
        except UnknownNameError as error:
            names = [field.name for field in self._schema.extended_fields]
            raise ContractError("PD456", f"unknown field {name!r}", _did_you_mean(name, names)) from error

    def _columns(self, pattern: str) -> list[int]:
        _require_text(pattern)
        names = [field.name for field in self._schema.extended_fields]
        found = [index for index, name in enumerate(names) if fnmatch.fnmatchcase(name, pattern)]
        if not found:
            raise ContractError("PD456", f"no field matches {pattern!r}", _did_you_mean(pattern, names))
        return found

    def _ally_columns(self, quantity: str) -> list[list[int]]:
        _require_text(quantity)
        schema = self._schema
        quantities = {f.quantity for f in schema.obs_fields if f.entity.startswith("ally_")}
        if quantity not in quantities:
            raise ContractError("PD456", f"allies have no quantity {quantity!r}", _did_you_mean(quantity, quantities))
        agents = range(schema.n_agents)
        return [
            [0 if j == i else schema.extended_index(f"ally_{schema.ally_slot(i, j)}.{quantity}") for j in agents]
            for i in agents
        ]


class Inbox:
    """What R receivers heard of one part's `send`, by sender; zero where nothing came."""

    def __init__(
        self,
        received: Mapping[str, Array],
        widths: Mapping[str, int],
        delivered: NDArray[np.bool_],
        agent_id: NDArray[np.int64],
        window: Callable[[str], Array],
    ) -> None:
        self._received = received  # name → [R, N, k]
        self._widths = widths
        self._agent_id = agent_id
        self._window = window
        self.delivered = _read_only(delivered)
        """Whether each sender's payload arrived, `[R, N]` bool; False for oneself, the dead, the lost, the silent."""

    def __getitem__(self, name: str) -> Array:
        """Return a component by sender, `[R, N]` where `send` gave one number a row, else `[R, N, k]`."""
        return self._shaped(name, self._payload(name))

    def addressed(self, name: str) -> Array:
        """Return, of a component with one entry per agent, the entry meant for this receiver, `[R, N]` by sender."""
        payload = self._payload(name)
        n_agents = self.delivered.shape[1]
        if payload.shape[-1] != n_agents:
            raise ContractError(
                "PD458",
                f"addressed({name!r}) needs one entry per agent ({n_agents}), the component has {payload.shape[-1]}",
                f"send [R, {n_agents}], or read inbox[{name!r}]",
            )
        return _read_only(payload[np.arange(len(payload)), :, self._agent_id])

    def past(self, name: str) -> Array:
        """Return what came over the last W steps, `[R, W, N]` or `[R, W, N, k]`: oldest first, now last."""
        self._payload(name)
        return self._shaped(name, self._window(name))

    def _payload(self, name: str) -> Array:
        _require_text(name)
        if name not in self._received:
            raise ContractError("PD458", f"send has no component {name!r}", _did_you_mean(name, list(self._received)))
        return self._received[name]

    def _shaped(self, name: str, payload: Array) -> Array:
        return _read_only(payload if self._widths[name] else payload[..., 0])


def _did_you_mean(name: str, valid: Sequence[str] | set[str]) -> str:
    close = nearest(name, valid)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are: {', '.join(sorted(valid)[:12])}"


def _require_text(name: object) -> None:
    if not isinstance(name, str):
        raise ContractError(
            "PD456", f"a name is a string, not {type(name).__name__}", 'write own["enemy_0.health"], inbox["sees"]'
        )


def _read_only(array: NDArray[Kind]) -> NDArray[Kind]:
    view = array.view()
    view.flags.writeable = False
    return view
