"""A protocol: its parts run over whole episodes or step by step, with the same result.

Axes: B episodes, T+1 entries, E environments, N agents, D extended observation, M message (what a receiver keeps), P
payload (what a sender sends), L positions in time (episode and entry, or environment), R = L * N rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Component
from generated_protocols.contract import ContractError, Inbox, Observation
from generated_protocols.execution import Part
from generated_protocols.manifest import Manifest, read_frozen
from generated_protocols.timeline import BatchTimeline, StepTimeline, Timeline

__all__ = ["DEFAULT_WINDOW", "Protocol", "ProtocolStepper"]

DEFAULT_WINDOW = 10
CHUNK_VALUES = 4_000_000
"""Upper bound on the numbers in one inbox, or in one history, while whole episodes are run: 16 MB of float32."""

Condition = Literal["full", "empty"]


class Protocol:
    """The parts of a protocol, their components, and the manifest where it was read from a folder.

    Messages of the parts are concatenated, never replaced.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        schema: TaskSchema,
        window: int = DEFAULT_WINDOW,
        manifest: Manifest | None = None,
        path: Path | None = None,
    ) -> None:
        if window < 1:
            raise ValueError(f"window {window} is below 1")
        self.parts, self.schema, self.window = tuple(parts), schema, window
        self.manifest, self.path = manifest, path
        # the widths show when the parts run: on two steps of silence
        silence = np.zeros((2, schema.n_agents, schema.extended_dim), dtype=np.float32)
        silence[..., schema.obs_dim + schema.n_actions :] = np.eye(schema.n_agents, dtype=np.float32)
        self.payload_components: tuple[Component, ...] = ()
        self.components: tuple[Component, ...] = ()
        living = np.ones((2, schema.n_agents), dtype=bool)
        for part in self.parts:
            run = _PartRun(part, schema, silence, living, BatchTimeline(1, 2, window))
            kept = run.keep("full", None)
            self.payload_components += _components(part.number, run.payload)
            self.components += _components(part.number, kept)

    @classmethod
    def from_sources(
        cls, sources: Sequence[str | bytes], schema: TaskSchema, *, window: int = DEFAULT_WINDOW
    ) -> Protocol:
        """Compile parts from their sources; what breaks the contract raises `ContractError`."""
        return cls([Part(source, number) for number, source in enumerate(sources)], schema, window)

    @classmethod
    def load(cls, path: Path, schema: TaskSchema, *, require_frozen: bool = True) -> Protocol:
        """Read the protocol in folder `path` for the task of `schema`.

        Another layout raises `LayoutMismatchError`, an edited source `NotFrozenError`, a damaged file
        `CorruptFileError`. What runs is the text that was hashed.
        """
        manifest, sources = read_frozen(path, schema, require_frozen=require_frozen)
        parts = [Part(source, number) for number, source in sources.items()]
        return cls(parts, schema, manifest.window, manifest, path)

    @property
    def message_dim(self) -> int:
        """M, the width of what one receiver keeps."""
        return sum(component.width for component in self.components)

    @property
    def payload_dim(self) -> int:
        """P, the width of what one sender sends."""
        return sum(component.width for component in self.payload_components)

    def messages(
        self,
        extended: Float32Array,
        alive: BoolArray,
        *,
        inbox: Condition = "full",
        delivered: BoolArray | None = None,
    ) -> Float32Array:
        """Return what every receiver keeps, `[B, T+1, N, M]`; zeros for the dead.

        `extended` is `[B, T+1, N, D]`, `alive` `[B, T+1, N]`. With an "empty" inbox nothing is delivered: what is left
        are features of one's own history. `delivered` `[B, T+1, N receiver, N sender]` loses messages on the way.
        """
        out = np.zeros((*extended.shape[:3], self.message_dim), dtype=np.float32)
        for chunk in self._chunks(extended):
            lost = None if delivered is None else delivered[chunk].reshape(-1, *delivered.shape[2:])
            for part, run in self._runs(extended[chunk], alive[chunk]):
                kept = run.keep(inbox, lost)
                self.require_widths(part, self.components, kept)
                out[chunk, ..., self.columns(part, self.components)] = _flat(kept).reshape(*out[chunk].shape[:3], -1)
        out[~alive] = 0
        return out

    def payloads(self, extended: Float32Array, alive: BoolArray) -> Float32Array:
        """Return what every sender sends, `[B, T+1, N, P]`; zeros for the dead."""
        out = np.zeros((*extended.shape[:3], self.payload_dim), dtype=np.float32)
        for chunk in self._chunks(extended):
            for part, run in self._runs(extended[chunk], alive[chunk]):
                columns = self.columns(part, self.payload_components)
                out[chunk, ..., columns] = _flat(run.payload).reshape(*out[chunk].shape[:3], -1)
        return out

    def results(
        self, extended: Float32Array, alive: BoolArray, conditions: Sequence[Condition]
    ) -> tuple[Float32Array, dict[Condition, Float32Array]]:
        """Return `payloads`, and `messages` by condition, with one call of each part's `send` for all of them."""
        sent = np.zeros((*extended.shape[:3], self.payload_dim), dtype=np.float32)
        kept = {condition: np.zeros((*extended.shape[:3], self.message_dim), np.float32) for condition in conditions}
        for chunk in self._chunks(extended):
            shape = sent[chunk].shape[:3]
            for part, run in self._runs(extended[chunk], alive[chunk]):
                sent[chunk, ..., self.columns(part, self.payload_components)] = _flat(run.payload).reshape(*shape, -1)
                for condition, out in kept.items():
                    found = run.keep(condition, None)
                    self.require_widths(part, self.components, found)
                    out[chunk, ..., self.columns(part, self.components)] = _flat(found).reshape(*shape, -1)
        for out in kept.values():
            out[~alive] = 0
        return sent, kept

    def stepper(self, num_envs: int) -> ProtocolStepper:
        """Return a stepper that plays the protocol in E environments."""
        return ProtocolStepper(self, num_envs)

    def columns(self, part: Part, components: Sequence[Component]) -> slice:
        """Return where one part's `components` stand in the concatenation."""
        before = sum(c.width for c in components if c.part < part.number)
        return slice(before, before + sum(c.width for c in components if c.part == part.number))

    def require_widths(self, part: Part, components: Sequence[Component], found: Mapping[str, Float32Array]) -> None:
        """Raise `ContractError` when a call gave other names or widths than the first one did."""
        known = tuple(c for c in components if c.part == part.number)
        now = _components(part.number, found)
        if known != now:
            before = {c.name: c.width for c in known}
            after = {c.name: c.width for c in now}
            raise ContractError(
                "PD459", f"{part.file} changed its components from {before} to {after}", "names and widths are fixed"
            )

    def _chunks(self, extended: Float32Array) -> list[slice]:
        episodes, entries, n_agents, _ = extended.shape
        inbox = n_agents * self.payload_dim
        history = 0
        if any(part.looks_back for part in self.parts):
            history = self.window * n_agents * max(c.width for c in self.payload_components)
        per_episode = entries * n_agents * max(inbox, history)
        size = max(1, CHUNK_VALUES // max(per_episode, 1))
        return [slice(first, min(first + size, episodes)) for first in range(0, episodes, size)]

    def _runs(self, extended: Float32Array, alive: BoolArray) -> Iterator[tuple[Part, _PartRun]]:
        """Yield the parts' runs one by one, so that one part's inbox is in memory at a time."""
        episodes, entries = extended.shape[:2]
        positions = extended.reshape(episodes * entries, *extended.shape[2:])
        living = alive.reshape(episodes * entries, -1)
        timeline = BatchTimeline(episodes, entries, self.window)
        for part in self.parts:
            run = _PartRun(part, self.schema, positions, living, timeline)
            self.require_widths(part, self.payload_components, run.payload)
            yield part, run


class ProtocolStepper:
    """Plays a protocol step by step in E environments; what it returns equals `Protocol.messages` on the same steps."""

    def __init__(self, protocol: Protocol, num_envs: int) -> None:
        self._protocol = protocol
        self._timelines = [StepTimeline(num_envs, protocol.window) for _ in protocol.parts]
        self._out = np.zeros((num_envs, protocol.schema.n_agents, protocol.message_dim), dtype=np.float32)

    def reset(self, mask: BoolArray) -> None:
        """Forget the history of the environments where `mask` `[E]` is true."""
        for timeline in self._timelines:
            timeline.reset(mask)

    def step(self, extended: Float32Array, alive: BoolArray, delivered: BoolArray | None = None) -> Float32Array:
        """Return what every receiver keeps now, `[E, N, M]`, in an array that the next step writes again.

        `extended` is `[E, N, D]`, `alive` `[E, N]`, `delivered` `[E, N receiver, N sender]` where messages get lost.
        """
        protocol = self._protocol
        for part, timeline in zip(protocol.parts, self._timelines, strict=True):
            timeline.tick()
            if part.looks_back:
                timeline.push(("own",), extended)
            run = _PartRun(part, protocol.schema, extended, alive, timeline)
            kept = run.keep("full", delivered)
            protocol.require_widths(part, protocol.components, kept)
            self._out[..., protocol.columns(part, protocol.components)] = _flat(kept).reshape(*alive.shape, -1)
        self._out[~alive] = 0
        return self._out


class _PartRun:
    """One part over L positions: `payload` first, then what is kept of it under some condition."""

    def __init__(
        self, part: Part, schema: TaskSchema, extended: Float32Array, alive: BoolArray, timeline: Timeline
    ) -> None:
        self._part, self._timeline, self._alive = part, timeline, alive
        self._positions, self._n = alive.shape
        n = self._n
        self._agent_id = np.tile(np.arange(n), self._positions)
        self._own = Observation(
            schema,
            extended.reshape(self._positions * n, -1),
            self._agent_id,
            np.repeat(timeline.age, n),
            lambda columns: self._own_history(extended, list(columns)),
        )
        living = alive.reshape(-1)
        sent = part.send(self._own)
        self.payload = {
            name: value if living.all() else np.where(_beside(living, value), value, np.float32(0))
            for name, value in sent.items()
        }

    def keep(self, inbox: Condition, reached: BoolArray | None) -> dict[str, Float32Array]:
        """Return what receivers keep, each `[R]` or `[R, k]`; `reached` `[L, N, N]` loses messages."""
        delivered = self._delivered(inbox, reached)
        received = {name: self._received(value, delivered) for name, value in self.payload.items()}
        if isinstance(self._timeline, StepTimeline) and self._part.looks_back:
            for name, value in received.items():
                self._timeline.push(("inbox", name), value)
        if not self._part.has_receive:
            return _by_sender(received)
        rows = self._positions * self._n
        box = Inbox(
            {name: value.reshape(rows, *value.shape[2:]) for name, value in received.items()},
            {name: value.ndim - 1 for name, value in self.payload.items()},
            delivered.reshape(rows, self._n),
            self._agent_id,
            lambda name: self._inbox_history(name, received[name]),
        )
        return self._part.receive(self._own, box)

    def _delivered(self, inbox: Condition, reached: BoolArray | None) -> BoolArray:
        """Return `[L, N receiver, N sender]`."""
        shape = (self._positions, self._n, self._n)
        if inbox == "empty":
            return np.zeros(shape, dtype=bool)
        speaks = np.zeros((self._positions, self._n), dtype=bool)
        for value in self.payload.values():
            spoken = value != 0
            speaks |= (spoken if spoken.ndim == 1 else spoken.any(axis=1)).reshape(self._positions, self._n)
        others = ~np.eye(self._n, dtype=bool)
        delivered = speaks[:, None, :] & others & self._alive[:, :, None]
        return delivered if reached is None else delivered & reached

    def _received(self, value: Float32Array, delivered: BoolArray) -> Float32Array:
        """Return `[L, N receiver, N sender, k]` of a payload component."""
        sent = value.reshape(self._positions, 1, self._n, -1)
        return np.where(delivered[..., None], sent, np.float32(0))

    def _own_history(self, extended: Float32Array, columns: list[int]) -> Float32Array:
        if isinstance(self._timeline, StepTimeline):
            history = self._timeline.history(("own",), extended)[..., columns]
        else:
            history = self._timeline.history(("own",), extended[..., columns])
        # [L, W, N, k] → [R, W, k]
        return np.moveaxis(history, 2, 1).reshape(self._positions * self._n, self._timeline.window, len(columns))

    def _inbox_history(self, name: str, received: Float32Array) -> Float32Array:
        history = self._timeline.history(("inbox", name), received)
        # [L, W, N receiver, N sender, k] → [R, W, N sender, k]
        moved = np.moveaxis(history, 2, 1)
        return moved.reshape(self._positions * self._n, *moved.shape[2:])


def _by_sender(received: Mapping[str, Float32Array]) -> dict[str, Float32Array]:
    """Keep everything that came, as `<component>.from_<sender>`."""
    return {
        f"{name}.from_{sender}": value[:, :, sender].reshape(-1, value.shape[-1])
        for name, value in received.items()
        for sender in range(value.shape[2])
    }


def _beside(mask: BoolArray, value: Float32Array) -> BoolArray:
    return mask if value.ndim == 1 else mask[:, None]


def _components(part: int, found: Mapping[str, Float32Array]) -> tuple[Component, ...]:
    return tuple(Component(part, name, 1 if v.ndim == 1 else v.shape[1]) for name, v in found.items())


def _flat(found: Mapping[str, Float32Array]) -> Float32Array:
    """Concatenate components to `[R, width]`."""
    return np.concatenate([v[:, None] if v.ndim == 1 else v for v in found.values()], axis=1)
