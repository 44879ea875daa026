"""One agent's share of a protocol: what it sends, and what it keeps of what reached it. No other agent is here.

Axes: N agents, D extended observation, P payload, M message (what the agent keeps), W history window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import Float32Array
from generated_protocols.bandwidth import Component
from generated_protocols.contract import Inbox, Observation
from generated_protocols.execution import Part
from generated_protocols.protocol import Protocol
from generated_protocols.timeline import StepTimeline

__all__ = ["AgentProtocol"]


class AgentProtocol:
    """Plays agent `agent`'s rows of a protocol, step by step: `send`, then `receive`, once each in every step.

    What it keeps equals the agent's row of `Protocol.stepper`, which plays all agents at once.
    """

    def __init__(self, protocol: Protocol, agent: int) -> None:
        self._protocol, self._agent = protocol, agent
        self._timelines = [StepTimeline(1, protocol.window) for _ in protocol.parts]
        self._own: list[Observation] = []
        self._widths: list[dict[str, int]] = []  # by part: 0 where send gave one number, 1 where it gave several
        self._now: Float32Array = np.zeros((1, protocol.schema.extended_dim), dtype=np.float32)

    def reset(self) -> None:
        """Begin an episode: the past is forgotten."""
        for timeline in self._timelines:
            timeline.reset(np.ones(1, dtype=bool))

    def send(self, extended: Float32Array, alive: bool) -> Float32Array:
        """Return the agent's payload `[P]` at this step, zeros when it is dead; `extended` is `[D]`."""
        protocol = self._protocol
        self._now = extended.reshape(1, -1).astype(np.float32)
        self._own, self._widths = [], []
        payload = np.zeros(protocol.payload_dim, dtype=np.float32)
        for part, timeline in zip(protocol.parts, self._timelines, strict=True):
            timeline.tick()
            if part.looks_back:
                timeline.push(("own",), self._now)
            own = self._observation(timeline)
            self._own.append(own)
            sent = part.send(own)
            self._widths.append({name: value.ndim - 1 for name, value in sent.items()})
            protocol.require_widths(part, protocol.payload_components, sent)
            payload[protocol.columns(part, protocol.payload_components)] = _flat(sent)
        return payload if alive else np.zeros_like(payload)

    def receive(self, payloads: Mapping[int, Float32Array], alive: bool) -> Float32Array:
        """Return what the agent keeps `[M]`, zeros when it is dead; `payloads` are those that reached it, by sender."""
        protocol = self._protocol
        kept = np.zeros(protocol.message_dim, dtype=np.float32)
        reached = payloads if alive else {}
        for part, timeline, own, widths in zip(protocol.parts, self._timelines, self._own, self._widths, strict=True):
            found = self._kept(part, timeline, own, widths, reached)
            protocol.require_widths(part, protocol.components, found)
            kept[protocol.columns(part, protocol.components)] = _flat(found)
        return kept if alive else np.zeros_like(kept)

    def _kept(
        self,
        part: Part,
        timeline: StepTimeline,
        own: Observation,
        widths: Mapping[str, int],
        payloads: Mapping[int, Float32Array],
    ) -> dict[str, Float32Array]:
        protocol, n = self._protocol, self._protocol.schema.n_agents
        columns = protocol.columns(part, protocol.payload_components)
        heard = np.zeros((n, columns.stop - columns.start), dtype=np.float32)
        for sender, payload in payloads.items():
            if sender != self._agent:
                heard[sender] = payload[columns]
        # a sender whose part says nothing but zeros has not spoken
        delivered = (heard != 0).any(axis=1)[None]
        mine = [c for c in protocol.payload_components if c.part == part.number]
        received = _by_component(heard, mine)
        if part.looks_back:
            for name, value in received.items():
                timeline.push(("inbox", name), value)
        if not part.has_receive:
            return {f"{name}.from_{j}": value[:, j] for name, value in received.items() for j in range(n)}
        box = Inbox(
            received,
            widths,
            delivered,
            np.array([self._agent]),
            lambda name: timeline.history(("inbox", name), received[name]),
        )
        return part.receive(own, box)

    def _observation(self, timeline: StepTimeline) -> Observation:
        def past(columns: Sequence[int]) -> Float32Array:
            return timeline.history(("own",), self._now)[..., list(columns)]

        return Observation(self._protocol.schema, self._now, np.array([self._agent]), timeline.age, past)


def _by_component(heard: Float32Array, components: Sequence[Component]) -> dict[str, NDArray[np.float32]]:
    """Split `[N, width]` into each component's `[1, N, k]`."""
    found, start = {}, 0
    for component in components:
        found[component.name] = heard[None, :, start : start + component.width]
        start += component.width
    return found


def _flat(found: Mapping[str, Float32Array]) -> Float32Array:
    """Concatenate the components of one row to `[width]`."""
    return np.concatenate([value.reshape(-1) for value in found.values()])
