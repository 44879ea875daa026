"""The communication protocol as something to compile: how a part is read, and run on recorded episodes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Bandwidth, Component, measure_bandwidth
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.manifest import CONTRACT_VERSION
from protocol_designer.sandbox import Sandbox, SandboxLimits
from protocol_designer.types import Verdict
from protocol_designer.validation import validate
from sai import Episodes, MessageSet

__all__ = ["ProtocolContract", "ProtocolRun", "Recorded"]


@dataclass(frozen=True)
class Recorded:
    """One split of the data set: what the decoder sees, with one entry more of observations for the sandbox.

    `extended` is `[B, T+1, N, D]`, `alive` `[B, T+1, N]`; `episodes` the same without the last entry.
    """

    extended: Float32Array
    alive: BoolArray
    episodes: Episodes


@dataclass(frozen=True)
class ProtocolRun:
    """Sources together, run on the recorded episodes: what receivers keep, and what it costs to send."""

    sources: tuple[str, ...]
    messages: Mapping[str, MessageSet]  # by split, [B, T, N, M]
    components: tuple[Component, ...]
    payload_components: tuple[Component, ...]
    bandwidth: Bandwidth
    layers: tuple[str, ...]
    seconds: float

    def with_split(self, name: str, other: ProtocolRun) -> ProtocolRun:
        """Return this run with what `other`, a run of the same sources, says on split `name`; bandwidth is its."""
        if self.sources != other.sources:
            raise ValueError("the two runs are of different sources")
        return replace(
            self, messages={**self.messages, name: other.messages[name]}, bandwidth=other.bandwidth, layers=other.layers
        )

    @property
    def message_dim(self) -> int:
        """M, the width of what one receiver keeps."""
        return sum(component.width for component in self.components)

    @property
    def key(self) -> str:
        """SHA-256 over the sources in order."""
        return hashlib.sha256("\0".join(self.sources).encode()).hexdigest()


class ProtocolContract:
    """`send` and `receive`, validated statically and run in the sandbox on the recorded splits."""

    name = "communication protocol"
    version = CONTRACT_VERSION

    def __init__(
        self,
        schema: TaskSchema,
        recorded: Mapping[str, Recorded],
        sandbox: Sandbox,
        *,
        window: int,
        max_message_width: int | None = None,
        limits: SandboxLimits | None = None,
    ) -> None:
        self.schema, self.window, self.max_message_width = schema, window, max_message_width
        self._recorded, self._sandbox = recorded, sandbox
        self._limits = limits or SandboxLimits()

    def check(self, source: str, part: int) -> Sequence[Diagnostic]:
        """Return what the static rules find in the text."""
        return validate(source, schema=self.schema, part=part)

    def run(self, sources: Sequence[str], splits: Sequence[str] = ("fit", "select")) -> Verdict[ProtocolRun]:
        """Run the sources in the sandbox, contract tests included, on some of the recorded splits."""
        data = {name: (self._recorded[name].extended, self._recorded[name].alive) for name in splits}
        found = self._sandbox.run(list(sources), self.schema, self.window, data, limits=self._limits)
        diagnostics = tuple(found.diagnostics)
        width = sum(component.width for component in found.components)
        if not diagnostics and self.max_message_width is not None and width > self.max_message_width:
            diagnostics = (
                Diagnostic(
                    line=0,
                    column=0,
                    code="PD460",
                    message=f"the parts together keep {width} numbers, the budget is {self.max_message_width}",
                    hint="keep fewer components, or combine them over senders in receive",
                ),
            )
        if diagnostics:
            return Verdict(diagnostics, None)
        messages = {
            name: MessageSet(
                full=found.messages[name, "full"][:, :-1], empty=_slim(found.messages[name, "empty"])[:, :-1]
            )
            for name in splits
        }
        last = splits[-1]
        bandwidth = measure_bandwidth(
            found.payloads[last][:, :-1], self._recorded[last].episodes.valid, found.payload_components
        )
        run = ProtocolRun(
            sources=tuple(sources),
            messages=messages,
            components=tuple(found.components),
            payload_components=tuple(found.payload_components),
            bandwidth=bandwidth,
            layers=tuple(found.layers),
            seconds=found.seconds,
        )
        return Verdict((), run)


def _slim(array: Float32Array) -> Float32Array:
    """Return an array of zeros as one zero that is repeated: most protocols keep nothing of an empty inbox."""
    return array if array.any() else np.broadcast_to(np.float32(0), array.shape)
