"""What the sandbox worker's child does with the sources of a protocol: a small run, a full one, or a replay.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message, P payload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from generated_protocols.contract_checks import CheckedPart
from generated_protocols.protocol import Condition, Protocol

__all__ = ["Trial", "probe", "replay", "run_all"]

_PROBE_EPISODES = 2
_BLOCK_VALUES = 16_000_000  # numbers of a block's inputs and outputs: 64 MB


@dataclass(frozen=True)
class Trial:
    """The sources of a protocol's parts, and the recorded episodes that they run on.

    `data` holds (extended `[B, T1, N, D]`, alive `[B, T1, N]`) by split. The results are written into `payloads`
    `[B, T1, N, P]` by split and `messages` `[B, T1, N, M]` by split and condition; `stepped` are messages of the first
    b episodes alone. The checks draw rows from `seed`.
    """

    sources: tuple[str, ...]
    schema: TaskSchema | None
    window: int
    data: Mapping[str, tuple[Float32Array, BoolArray]]
    payloads: Mapping[str, Float32Array] = field(default_factory=dict)
    messages: Mapping[tuple[str, Condition], Float32Array] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ("full", "empty")
    stepped: Mapping[tuple[str, Condition], Float32Array] = field(default_factory=dict)
    seed: int = 0

    def protocol(self, *, checked: bool) -> Protocol:
        """Compile the sources anew, so that nothing is left of earlier calls."""
        assert self.schema is not None
        if not checked:
            return Protocol.from_sources(self.sources, self.schema, window=self.window)
        parts = [CheckedPart(source, number, self.seed) for number, source in enumerate(self.sources)]
        return Protocol(parts, self.schema, self.window)


def probe(trial: Trial) -> dict[str, Any]:
    """Run a few episodes, and return the names and widths of components."""
    protocol = trial.protocol(checked=True)
    for extended, alive in trial.data.values():
        protocol.results(extended[:_PROBE_EPISODES], alive[:_PROBE_EPISODES], trial.conditions)
    return _components(protocol)


def run_all(trial: Trial) -> dict[str, Any]:
    """Run every episode of every split, each call checked, and write the results."""
    return _fill(trial, trial.protocol(checked=True))


def replay(trial: Trial) -> dict[str, Any]:
    """Run the episodes unchecked, then their first ones step by step, as a rollout does; write both results.

    For a comparison by somebody who does not trust this process, with what another one wrote.
    """
    protocol = trial.protocol(checked=False)
    said = _fill(trial, protocol)
    for (split, condition), out in trial.stepped.items():
        _step_by_step(protocol, trial.data[split], condition, out)
    return said


def _fill(trial: Trial, protocol: Protocol) -> dict[str, Any]:
    for split, (extended, alive) in trial.data.items():
        for block in _blocks(extended, protocol):
            trial.payloads[split][block], kept = protocol.results(extended[block], alive[block], trial.conditions)
            for condition, messages in kept.items():
                trial.messages[split, condition][block] = messages
    return _components(protocol)


def _step_by_step(
    protocol: Protocol, data: tuple[Float32Array, BoolArray], condition: Condition, out: Float32Array
) -> None:
    """Write what is kept into `out` `[b, T1, N, M]`, for the first b episodes of `data`."""
    extended, alive = data
    played, n_agents = len(out), alive.shape[2]
    heard = np.full((played, n_agents, n_agents), condition == "full")
    stepper = protocol.stepper(played)
    stepper.reset(np.ones(played, dtype=bool))
    for t in range(extended.shape[1]):
        out[:, t] = stepper.step(extended[:played, t], alive[:played, t], heard)


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
