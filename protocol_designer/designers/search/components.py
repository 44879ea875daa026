"""What can be put on the air: components made of an agent's own readings, and what receivers hear of them.

`payload` and `hear` compute on whole episodes what the emitted source computes row by row; a test holds the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema

__all__ = ["EACH", "Column", "Component", "Form", "Listener", "Reading", "binary_columns", "payload", "read"]

Form = Literal["now", "last_seen", "mean", "sum"]
EACH = -2
"""As `Reading.ally`: one entry per receiver, by agent id."""


@dataclass(frozen=True)
class Reading:
    """One number that an agent reads of its own observation: a field, or (`ally` >= 0) a quantity of agent `ally`."""

    name: str
    ally: int = -1


@dataclass(frozen=True)
class Column:
    """`plus - minus` where every gate is above zero, else 0. `last_seen` remembers where `seen` is above zero."""

    plus: Reading
    minus: Reading | None = None
    gates: tuple[Reading, ...] = ()
    seen: Reading | None = None


@dataclass(frozen=True)
class Component:
    """One named line of a message: the same columns in one form, sent by every agent of a role (all: role "").

    An addressed component holds one entry per receiver, and one name per column.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    form: Form
    role: str
    senders: tuple[int, ...]
    addressed: bool = False
    column_names: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Columns per link: what one receiver gets from one sender."""
        return len(self.columns) + (self.form == "last_seen")

    @property
    def lines(self) -> int:
        """Named components that it takes in the source."""
        return len(self.columns) if self.addressed else 1


def read(schema: TaskSchema, extended: Float32Array, reading: Reading, sender: int) -> Float32Array:
    """Return a reading of one sender over whole episodes, `[B, T]`; an ally reading of oneself is 0."""
    name = reading.name
    if reading.ally >= 0:
        if reading.ally == sender:
            return np.zeros(extended.shape[:2], dtype=np.float32)
        name = f"ally_{schema.ally_slot(sender, reading.ally)}.{reading.name}"
    return extended[:, :, sender, schema.extended_index(name)]


def _seen(schema: TaskSchema, extended: Float32Array, column: Column, sender: int) -> BoolArray:
    if column.seen is None:
        raise ValueError(f"column {column.plus.name!r} has nothing that says when it was seen")
    return read(schema, extended, column.seen, sender) > 0


def _now(schema: TaskSchema, extended: Float32Array, column: Column, sender: int) -> Float32Array:
    value = read(schema, extended, column.plus, sender)
    if column.minus is not None:
        value = value - read(schema, extended, column.minus, sender)
    for gate in column.gates:
        value = value * (read(schema, extended, gate, sender) > 0)
    return value


def _window_sum(values: Float32Array, window: int) -> Float32Array:
    total = np.cumsum(values, axis=1, dtype=np.float64)
    total[:, window:] -= total[:, :-window].copy()
    return total.astype(np.float32)


def _since_seen(seen: BoolArray) -> Float32Array:
    """Return the steps since `seen` was last true, `[B, T]`; large where it never was."""
    age = np.full(seen.shape, 1e6, dtype=np.float32)
    age[:, 0] = np.where(seen[:, 0], 0.0, 1e6)
    for t in range(1, seen.shape[1]):
        age[:, t] = np.where(seen[:, t], 0.0, age[:, t - 1] + 1)
    return age


def payload(
    schema: TaskSchema,
    extended: Float32Array,
    column: Column,
    form: Form,
    sender: int,
    *,
    window: int,
    receiver: int = -1,
) -> Float32Array:
    """Return what `sender` puts on the air for one column, `[B, T]`; addressed columns need the receiver."""
    if receiver >= 0:
        column = _for_receiver(column, receiver)
    now = _now(schema, extended, column, sender)
    if form == "now":
        return now
    if form == "last_seen":
        age = _since_seen(_seen(schema, extended, column, sender))
        step = np.arange(age.shape[1])[None, :]
        newest = np.clip(step - age, 0, None).astype(np.int64)
        return np.where(age < window, np.take_along_axis(now, newest, axis=1), 0.0).astype(np.float32)
    total = _window_sum(now, window)
    if form == "sum":
        return total
    past = np.minimum(np.arange(total.shape[1]) + 1, window)
    return (total / past).astype(np.float32)


def age_payload(schema: TaskSchema, extended: Float32Array, column: Column, sender: int, window: int) -> Float32Array:
    """Return the age beside a last-seen value as a share of the window, `[B, T]`; 0 where nothing was seen in it."""
    age = _since_seen(_seen(schema, extended, column, sender))
    return np.where(age < window, age / window, 0.0).astype(np.float32)


def _for_receiver(column: Column, receiver: int) -> Column:
    def at(reading: Reading) -> Reading:
        return Reading(reading.name, receiver) if reading.ally == EACH else reading

    minus = None if column.minus is None else at(column.minus)
    return Column(at(column.plus), minus, tuple(at(gate) for gate in column.gates), column.seen)


@dataclass(frozen=True)
class Listener:
    """Episodes as one designer call hears them: extended observations `[B, T, N, D]` and who lives `[B, T, N]`."""

    schema: TaskSchema
    extended: Float32Array
    alive: BoolArray
    window: int
    pooled_senders: int

    def keys(self, component: Component, receiver: int) -> list[tuple[object, ...]]:
        """Return the keys that `hear` would return."""
        senders: list[object] = [sender for sender in component.senders if sender != receiver]
        if len(component.senders) > self.pooled_senders:
            senders = [component.role] if senders else []
        starts = [_key(component, column, age=False) for column in component.columns]
        if component.form == "last_seen":
            starts.append(_key(component, component.columns[0], age=True))
        return [(*start, sender) for start in starts for sender in senders]

    def hear(self, component: Component, receiver: int) -> list[tuple[tuple[object, ...], Float32Array]]:
        """Return what `receiver` hears as (key, `[B, T]`) pairs: per sender, or one mean over those heard.

        Keys are equal exactly when the numbers are, so that groups share their columns.
        """
        pooled = len(component.senders) > self.pooled_senders
        found: list[tuple[tuple[object, ...], Float32Array]] = []
        for column in component.columns:
            found += self._column(component, column, receiver, pooled, age=False)
        if component.form == "last_seen":
            found += self._column(component, component.columns[0], receiver, pooled, age=True)
        return found

    def _column(
        self, component: Component, column: Column, receiver: int, pooled: bool, age: bool
    ) -> list[tuple[tuple[object, ...], Float32Array]]:
        key = _key(component, column, age)
        senders = [sender for sender in component.senders if sender != receiver]
        heard = [self._sent(component, column, sender, receiver, age) for sender in senders]
        if not pooled or not heard:
            return [((*key, sender), values) for sender, values in zip(senders, heard, strict=True)]
        total, count = np.zeros_like(heard[0]), np.zeros_like(heard[0])
        for values in heard:
            total += values
            count += values != 0
        return [((*key, component.role), (total / np.maximum(count, 1.0)).astype(np.float32))]

    def _sent(self, component: Component, column: Column, sender: int, receiver: int, age: bool) -> Float32Array:
        if age:
            values = age_payload(self.schema, self.extended, column, sender, self.window)
        else:
            to = receiver if component.addressed else -1
            values = payload(
                self.schema, self.extended, column, component.form, sender, window=self.window, receiver=to
            )
        return values * self.alive[:, :, sender]


def _key(component: Component, column: Column, age: bool) -> tuple[object, ...]:
    if age:
        return (column.seen, "age")
    return (column if component.form == "last_seen" else replace(column, seen=None), component.form)


def binary_columns(schema: TaskSchema, component: Component) -> bool:
    """Return whether every column holds two values only, so that it costs one bit."""
    if component.form != "now":
        return False
    kinds = {field.name: field.kind for field in schema.extended_fields}
    plain = all(c.minus is None and c.plus.ally == -1 for c in component.columns)
    return plain and all(kinds.get(c.plus.name) == "binary" for c in component.columns)
