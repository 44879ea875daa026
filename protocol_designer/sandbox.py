"""The sandbox: unreviewed protocol sources run over recorded episodes, checked against the contract while they do.

The code runs in a process that is forked from a warm worker, gives up files, network, processes and privileges, and is
ended at a deadline (`generated_protocols.worker`, `generated_protocols.confinement`). A small run gives names and
widths; then arrays are shared and the full run fills them. Nothing that comes back is trusted, unpickled or run.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message, P payload.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Component
from generated_protocols.confinement import Layer
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.protocol import DEFAULT_WINDOW, Condition
from protocol_designer.sandbox_answer import Answer
from protocol_designer.sandbox_memory import SharedArray
from protocol_designer.sandbox_worker import Worker, bubblewrap

__all__ = ["Sandbox", "SandboxLimits", "SandboxRun", "SandboxWarning", "sandbox_layers"]

Data = Mapping[str, tuple[Float32Array, BoolArray]]
_MOST_NUMBERS = 65_536  # kept, or sent, by an agent in a step


class SandboxWarning(UserWarning):
    """A layer of the sandbox is missing on this system."""


@dataclass(frozen=True)
class SandboxLimits:
    """What one run may take: wall time over both phases, memory beyond its data, and shared memory for its results."""

    seconds: float = 300.0
    probe_seconds: float = 20.0
    memory_bytes: int = 2 * 2**30
    result_bytes: int = 8 * 2**30

    def __post_init__(self) -> None:
        for name in ("seconds", "probe_seconds", "memory_bytes", "result_bytes"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} {getattr(self, name)} is not above 0")


@dataclass(frozen=True)
class SandboxRun:
    """What running a protocol gave: diagnostics, or else its components and what it said on every split.

    `messages` are `[B, T1, N, M]` by (split, condition), `payloads` `[B, T1, N, P]` by split; both are empty when
    there are diagnostics. `cpu_seconds` and `peak_bytes` (beyond what the worker held) are what the full run, contract
    tests included, took for `rows` rows by its own account. `layers` says which protections held, and why others did
    not.
    """

    diagnostics: tuple[Diagnostic, ...]
    components: tuple[Component, ...] = ()
    payload_components: tuple[Component, ...] = ()
    messages: Mapping[tuple[str, Condition], Float32Array] = field(default_factory=dict)
    payloads: Mapping[str, Float32Array] = field(default_factory=dict)
    seconds: float = 0.0
    rows: int = 0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    layers: tuple[str, ...] = ()


class Sandbox:
    """Runs protocol sources that nobody has reviewed: a context manager, whose worker stays warm between runs."""

    def __init__(self) -> None:
        self._worker = Worker()
        self._layers: tuple[Layer, ...] = ()
        self._shared: dict[tuple[int, int], tuple[Any, SharedArray, SharedArray]] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and let go of the shared data."""
        self._worker.close()
        for _, extended, alive in self._shared.values():
            extended.close()
            alive.close()
        self._shared.clear()

    @property
    def worker_pid(self) -> int | None:
        """The process id of the worker while it runs."""
        return self._worker.pid

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers of protection, by asking a process that confines itself; warns when one is missing."""
        if not self._layers:
            done = self._worker.run({"kind": "layers", "memory": SandboxLimits().memory_bytes}, 10.0)
            wrapped = bool(bubblewrap())
            said = done.answer["layers"] if isinstance(done.answer, dict) else []
            self._layers = (
                Layer("separate process", True, "no keys in its environment, ended at a deadline"),
                *([Layer("bubblewrap", True, "the interpreter and this program read-only, no network")] * wrapped),
                *(Layer(str(name), bool(active), str(detail)) for name, active, detail in said),
            )
            missing = [str(layer) for layer in self._layers if not layer.active]
            if missing or not said:
                warnings.warn(
                    f"the sandbox is weaker here: {'; '.join(missing) or 'no layer could be set up'}",
                    SandboxWarning,
                    stacklevel=2,
                )
        return self._layers

    def run(
        self,
        sources: Sequence[str],
        schema: TaskSchema,
        window: int = DEFAULT_WINDOW,
        data: Data | None = None,
        conditions: Sequence[Condition] = ("full", "empty"),
        limits: SandboxLimits | None = None,
    ) -> SandboxRun:
        """Run the parts in `sources` over every split of `data` under every condition, and check the contract.

        `data` holds (extended `[B, T1, N, D]`, alive `[B, T1, N]`) by split; it is copied to shared memory once and
        remembered, so the arrays must not change while the sandbox lives. What the sources do wrong is a diagnostic,
        never an exception; raises `ResourceError` when there is no process or memory for the sandbox itself.
        """
        limits = limits or SandboxLimits()
        data = data or {}
        layers = tuple(str(layer) for layer in self.layers())
        started = time.monotonic()
        job = {
            "sources": list(sources),
            "schema": schema.to_json(),
            "window": window,
            "conditions": list(conditions),
            "memory": limits.memory_bytes,
            "data": {split: self._share(*arrays) for split, arrays in data.items()},
        }
        seconds = min(limits.seconds, limits.probe_seconds)
        small = Answer(self._worker.run({**job, "kind": "probe"}, seconds), seconds)
        results = _Results()
        used = small
        diagnostics = small.diagnostics or results.allocate(small, data, conditions, limits)
        if not diagnostics and data:
            seconds = max(limits.seconds - (time.monotonic() - started), 0.0)
            done = self._worker.run({**job, **results.to_json(), "kind": "run"}, seconds)
            full = Answer(done, limits.seconds)
            diagnostics = full.diagnostics or results.check(small, full)
            used = full
        results.close()
        took = time.monotonic() - started
        if diagnostics:
            return SandboxRun(diagnostics, seconds=took, layers=layers)
        return SandboxRun(
            (),
            small.components,
            small.payload_components,
            {key: shared.array for key, shared in results.messages.items()},
            {key: shared.array for key, shared in results.payloads.items()},
            took,
            sum(alive.size for _, alive in data.values()),
            used.cpu_seconds,
            used.peak_bytes,
            layers,
        )

    def _share(self, extended: Float32Array, alive: BoolArray) -> list[dict[str, Any]]:
        key = (id(extended), id(alive))
        if key not in self._shared:
            # the arrays themselves are kept, too, so that their ids stay theirs
            copies = SharedArray.copy_of(extended, np.float32), SharedArray.copy_of(alive, np.bool_)
            self._shared[key] = ((extended, alive), *copies)
        return [shared.to_json() for shared in self._shared[key][1:]]


class _Results:
    """The shared arrays that a full run fills."""

    def __init__(self) -> None:
        self.payloads: dict[str, SharedArray] = {}
        self.messages: dict[tuple[str, Condition], SharedArray] = {}

    def allocate(
        self, small: Answer, data: Data, conditions: Sequence[Condition], limits: SandboxLimits
    ) -> tuple[Diagnostic, ...]:
        """Make the arrays, or say that they would take too much."""
        kept = sum(c.width for c in small.components)
        sent = sum(c.width for c in small.payload_components)
        rows = sum(alive.size for _, alive in data.values())
        size = 4 * rows * (sent + len(conditions) * kept)
        message = f"{kept:,} numbers kept and {sent:,} sent per agent and step"
        if max(kept, sent) > _MOST_NUMBERS:
            message += f", at most {_MOST_NUMBERS:,} are allowed"
        elif size > limits.result_bytes:
            message += f" take {size / 2**30:.1f} GiB over the data"
        else:
            message = ""
        if message:
            return (Diagnostic(0, 0, "PD504", message, "send less, or write a `receive` that keeps less"),)
        for split, (_, alive) in data.items():
            self.payloads[split] = SharedArray((*alive.shape, sent), np.float32)
            for condition in conditions:
                self.messages[split, condition] = SharedArray((*alive.shape, kept), np.float32)
        return ()

    def to_json(self) -> dict[str, Any]:
        """Return where the arrays are."""
        return {
            "payloads": {split: shared.to_json() for split, shared in self.payloads.items()},
            "messages": [[split, condition, s.to_json()] for (split, condition), s in self.messages.items()],
        }

    def check(self, small: Answer, full: Answer) -> tuple[Diagnostic, ...]:
        """Look again at what must hold whatever the child said of itself."""
        if (small.components, small.payload_components) != (full.components, full.payload_components):
            hint = "return the same components on every path"
            return (Diagnostic(0, 0, "PD414", "components differ between a small run and the full one", hint),)
        shared = [*self.payloads.values(), *self.messages.values()]
        if not all(np.isfinite(one.array).all() for one in shared):
            return (Diagnostic(0, 0, "PD413", "messages are not finite", "guard divisions and logarithms"),)
        return ()

    def close(self) -> None:
        """Close the descriptors; the arrays live as long as somebody holds them."""
        for shared in (*self.payloads.values(), *self.messages.values()):
            shared.close()


def sandbox_layers() -> tuple[Layer, ...]:
    """Return the layers of protection on this system, and why any is missing, for `doctor`."""
    with warnings.catch_warnings(), Sandbox() as sandbox:
        warnings.simplefilter("ignore", SandboxWarning)
        return sandbox.layers()
