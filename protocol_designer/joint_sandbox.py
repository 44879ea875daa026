"""The sandbox of published joint modules: a warm worker that holds torch, beside the one that holds NumPy alone.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import numpy as np

from buffers.episodes import Float32Array
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.protocol import Condition
from protocol_designer.sandbox import SandboxLimits
from protocol_designer.sandbox_answer import Answer
from protocol_designer.sandbox_memory import SharedArray
from protocol_designer.sandbox_worker import Worker

__all__ = ["JointRun", "JointSandbox"]

CONDITIONS: tuple[Condition, ...] = ("full", "empty")
_MOST_NUMBERS = 65_536  # for one receiver in a step


@dataclass(frozen=True)
class JointRun:
    """What running a published module gave: diagnostics, or else its width, its messages and who reaches whom.

    `messages` are `[B, T1, N, M]` by (split, condition); `influence` `[N receiver, N sender, D]` is how much a message
    changes with a field, in units of its own size, 0 where it does not.
    """

    diagnostics: tuple[Diagnostic, ...]
    width: int = 0
    messages: Mapping[tuple[str, Condition], Float32Array] = field(default_factory=dict)
    influence: Float32Array = field(default_factory=lambda: np.zeros((0, 0, 0), dtype=np.float32))


class JointSandbox:
    """Runs published modules over recorded episodes: a context manager, whose worker stays warm between runs."""

    def __init__(self, data: Mapping[str, Float32Array], limits: SandboxLimits | None = None) -> None:
        self._limits = limits or SandboxLimits(seconds=600.0)
        self._worker = Worker(joint=True)
        self._data = {split: SharedArray.copy_of(extended, np.float32) for split, extended in data.items()}

    def __enter__(self) -> JointSandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.close()
        for shared in self._data.values():
            shared.close()

    def run(self, source: str, number: int, window: int) -> JointRun:
        """Run the module `source` over every split; whatever it does wrong is a diagnostic, never an exception.

        `window` is 0 for a module over one step. Raises `ResourceError` where there is no process or memory.
        """
        job = {
            "kind": "joint",
            "source": source,
            "number": number,
            "window": window,
            "memory": self._limits.memory_bytes,
            "data": {split: shared.to_json() for split, shared in self._data.items()},
        }
        seconds = self._limits.probe_seconds
        small = Answer(self._worker.run({**job, "messages": [], "influence": None}, seconds), seconds)
        diagnostics = small.diagnostics or self._refused(small)
        if diagnostics:
            return JointRun(diagnostics)
        width = small.components[0].width
        shapes = {split: (*shared.shape[:3], width) for split, shared in self._data.items()}
        messages = {(s, c): SharedArray(shape, np.float32) for s, shape in shapes.items() for c in CONDITIONS}
        n_agents, observed = next(iter(self._data.values())).shape[2:]
        influence = SharedArray((n_agents, n_agents, observed), np.float32)
        try:
            done = self._worker.run({**job, **_places(messages, influence)}, self._limits.seconds)
            diagnostics = Answer(done, self._limits.seconds).diagnostics
            # nothing that the process said of itself is believed
            if not diagnostics and not all(np.isfinite(shared.array).all() for shared in messages.values()):
                diagnostics = (Diagnostic(0, 0, "PD413", "messages are not finite", "guard divisions and logarithms"),)
        finally:
            for shared in (*messages.values(), influence):
                shared.close()
        if diagnostics:
            return JointRun(diagnostics)
        reach = np.nan_to_num(influence.array, nan=0.0, posinf=0.0, neginf=0.0)
        return JointRun((), width, {key: shared.array for key, shared in messages.items()}, reach)

    def _refused(self, small: Answer) -> tuple[Diagnostic, ...]:
        """Say why the results do not fit; empty where they do."""
        if len(small.components) != 1:
            return (Diagnostic(0, 0, "PD503", "its answer is malformed", "see the module"),)
        width = small.components[0].width
        rows = sum(shared.array.size // shared.shape[-1] for shared in self._data.values())
        size = 4 * rows * width * len(CONDITIONS)
        if width > _MOST_NUMBERS or size > self._limits.result_bytes:
            message = f"{width:,} numbers for each receiver and step take {size / 2**30:.1f} GiB over the data"
            return (Diagnostic(0, 0, "PD504", message, "send less"),)
        return ()


def _places(messages: Mapping[tuple[str, Condition], SharedArray], influence: SharedArray) -> dict[str, Any]:
    return {
        "messages": [[split, condition, shared.to_json()] for (split, condition), shared in messages.items()],
        "influence": influence.to_json(),
    }
