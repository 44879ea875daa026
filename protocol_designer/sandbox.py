"""The sandbox: unreviewed protocol sources run over recorded episodes, checked against the contract while they do.

The code runs in a process that is forked from a warm worker, gives up files, network, processes and privileges, and is
ended at a deadline (`generated_protocols.worker`, `generated_protocols.confinement`). A small run gives names and
widths; then arrays are shared and the full run fills them; then a third process, which has some of the episodes alone,
fills others, and this one compares. Nothing that comes back is trusted, unpickled or run.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message, P payload.
"""

from __future__ import annotations

import secrets
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
from protocol_designer.sandbox_results import Data, Replay, Results
from protocol_designer.sandbox_worker import Worker, bubblewrap

__all__ = ["Sandbox", "SandboxLimits", "SandboxRun", "SandboxWarning", "sandbox_layers"]


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
    """Runs protocol sources that nobody has reviewed: a context manager, whose worker stays warm between runs.

    Checks draw rows and episodes that no source can foresee; with `seed`, for tests, the same in each run.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
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
            "seed": secrets.randbits(64) if self._seed is None else self._seed,
            "data": {split: self._share(*arrays) for split, arrays in data.items()},
        }
        seconds = min(limits.seconds, limits.probe_seconds)
        small = Answer(self._worker.run({**job, "kind": "probe"}, seconds), seconds, len(sources))
        results = Results(small, data, conditions)
        diagnostics = small.diagnostics or results.too_large(limits.result_bytes)
        used = small
        if data and not diagnostics:
            used, diagnostics = self._fill({**job, "kind": "run"}, results, limits, started)
        if data and not diagnostics:
            replay = Replay(results, data, np.random.default_rng(self._seed), limits.result_bytes // 4)
            _, diagnostics = self._replay(job, replay, limits, started)
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

    def _replay(
        self, job: dict[str, Any], replay: Replay, limits: SandboxLimits, started: float
    ) -> tuple[Answer, tuple[Diagnostic, ...]]:
        """Fill a replay in a process that sees its episodes alone."""
        shared = {
            split: [SharedArray.copy_of(e, np.float32), SharedArray.copy_of(a, np.bool_)]
            for split, (e, a) in replay.data.items()
        }
        try:
            places = {split: [one.to_json() for one in both] for split, both in shared.items()}
            return self._fill({**job, "kind": "replay", "data": places}, replay, limits, started)
        finally:
            for both in shared.values():
                for one in both:
                    one.close()

    def _fill(
        self, job: dict[str, Any], results: Results, limits: SandboxLimits, started: float
    ) -> tuple[Answer, tuple[Diagnostic, ...]]:
        """Run a job that fills `results` in the time that is left; return its answer, and what is wrong with both."""
        results.allocate()
        try:
            left = max(limits.seconds - (time.monotonic() - started), 0.0)
            answer = Answer(self._worker.run({**job, **results.to_json()}, left), limits.seconds, len(job["sources"]))
            return answer, answer.diagnostics or results.check(answer)
        finally:
            results.close()

    def _share(self, extended: Float32Array, alive: BoolArray) -> list[dict[str, Any]]:
        key = (id(extended), id(alive))
        if key not in self._shared:
            # the arrays themselves are kept, too, so that their ids stay theirs
            copies = SharedArray.copy_of(extended, np.float32), SharedArray.copy_of(alive, np.bool_)
            self._shared[key] = ((extended, alive), *copies)
        return [shared.to_json() for shared in self._shared[key][1:]]


def sandbox_layers() -> tuple[Layer, ...]:
    """Return the layers of protection on this system, and why any is missing, for `doctor`."""
    with warnings.catch_warnings(), Sandbox() as sandbox:
        warnings.simplefilter("ignore", SandboxWarning)
        return sandbox.layers()
