"""What the sandbox worker's child does with the sources of a protocol: a small run, or a full one, both checked.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message, P payload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from generated_protocols.contract_checks import BrokenContractError, CheckedPart, agree
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.protocol import Condition, Protocol

__all__ = ["Trial", "probe", "run_all"]

_PROBE_EPISODES = 2
_STEPWISE_EPISODES = 8
_BLOCK_VALUES = 16_000_000  # numbers of a block's inputs and outputs: 64 MB


@dataclass(frozen=True)
class Trial:
    """The sources of a protocol's parts, and the recorded episodes that they run on.

    `data` holds (extended `[B, T1, N, D]`, alive `[B, T1, N]`) by split. The results are written into `payloads`
    `[B, T1, N, P]` by split and `messages` `[B, T1, N, M]` by split and condition.
    """

    sources: tuple[str, ...]
    schema: TaskSchema | None
    window: int
    data: Mapping[str, tuple[Float32Array, BoolArray]]
    payloads: Mapping[str, Float32Array] = field(default_factory=dict)
    messages: Mapping[tuple[str, Condition], Float32Array] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ("full", "empty")

    def protocol(self, *, checked: bool) -> Protocol:
        """Compile the sources anew, so that nothing is left of earlier calls."""
        assert self.schema is not None
        if not checked:
            return Protocol.from_sources(self.sources, self.schema, window=self.window)
        parts = [CheckedPart(source, number) for number, source in enumerate(self.sources)]
        return Protocol(parts, self.schema, self.window)


def probe(trial: Trial) -> dict[str, Any]:
    """Run a few episodes, and return the names and widths of components."""
    protocol = trial.protocol(checked=True)
    for extended, alive in trial.data.values():
        protocol.results(extended[:_PROBE_EPISODES], alive[:_PROBE_EPISODES], trial.conditions)
    return _components(protocol)


def run_all(trial: Trial) -> dict[str, Any]:
    """Run every episode of every split, checked, write the results, and try what only shows over the whole."""
    protocol = trial.protocol(checked=True)
    for split, (extended, alive) in trial.data.items():
        for block in _blocks(extended, protocol):
            trial.payloads[split][block], kept = protocol.results(extended[block], alive[block], trial.conditions)
            for condition, messages in kept.items():
                trial.messages[split, condition][block] = messages
    _again_backwards(trial)
    _step_by_step(trial)
    return _components(protocol)


def _components(protocol: Protocol) -> dict[str, Any]:
    return {
        "components": [[c.part, c.name, c.width] for c in protocol.components],
        "payload_components": [[c.part, c.name, c.width] for c in protocol.payload_components],
    }


def _blocks(extended: Float32Array, protocol: Protocol) -> Iterator[slice]:
    """Cut the episodes so that a block's copies stay small."""
    episodes, entries, n_agents, width = extended.shape
    each = entries * n_agents * max(width + protocol.message_dim + protocol.payload_dim, 1)
    size = max(1, _BLOCK_VALUES // max(each, 1))
    for first in range(0, episodes, size):
        yield slice(first, min(first + size, episodes))


def _again_backwards(trial: Trial) -> None:
    """Run all episodes once more from the last to the first, with fresh copies of the parts."""
    protocol = trial.protocol(checked=False)
    hint = "keep nothing between calls, and let no row see another one"
    for split, (extended, alive) in reversed(list(trial.data.items())):
        for block in reversed(list(_blocks(extended, protocol))):
            backwards = _reversed(block)
            where = f"when the episodes of {split!r} run in another order"
            payloads, kept = protocol.results(extended[backwards], alive[backwards], trial.conditions)
            _require(payloads, trial.payloads[split][backwards], "PD416", where, hint)
            for condition, messages in kept.items():
                _require(messages, trial.messages[split, condition][backwards], "PD416", where, hint)


def _step_by_step(trial: Trial) -> None:
    """Play some episodes step by step, as a rollout does."""
    if "full" not in trial.conditions:
        return
    protocol = trial.protocol(checked=False)
    for split, (extended, alive) in trial.data.items():
        if not len(extended):
            continue
        chosen = np.unique(np.linspace(0, len(extended) - 1, _STEPWISE_EPISODES).astype(int))
        stepper = protocol.stepper(len(chosen))
        stepper.reset(np.ones(len(chosen), dtype=bool))
        for t in range(extended.shape[1]):
            now = stepper.step(extended[chosen, t], alive[chosen, t])
            recorded = trial.messages[split, "full"][chosen, t]
            where = f"between step by step and whole episodes, at step {t}"
            _require(now, recorded, "PD418", where, "the result must not depend on the number of rows")


def _require(values: Float32Array, others: Float32Array, code: str, where: str, hint: str) -> None:
    if not agree(values, others):
        worst = float(np.abs(values - others).max())
        raise BrokenContractError(Diagnostic(0, 0, code, f"messages differ by up to {worst:.3g} {where}", hint))


def _reversed(block: slice) -> slice:
    return slice(block.stop - 1, block.start - 1 if block.start else None, -1)
