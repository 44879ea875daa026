"""What a sandbox job writes: the arrays that it shares, and how two jobs' results are compared outside both.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message, P payload.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from generated_protocols.bandwidth import Component
from generated_protocols.contract_checks import agree
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.protocol import Condition
from protocol_designer.sandbox_answer import Answer
from protocol_designer.sandbox_memory import SharedArray

__all__ = ["Data", "Replay", "Results"]

Data = Mapping[str, tuple[Float32Array, BoolArray]]
"""(extended `[B, T1, N, D]`, alive `[B, T1, N]`) by split."""
_MOST_NUMBERS = 65_536  # kept, or sent, by an agent in a step
_REPLAYED, _STEPPED = 256, 8  # at most so many episodes of a split


class Results:
    """The shared arrays that a job fills, as wide as the small run's answer says."""

    def __init__(self, small: Answer, data: Data, conditions: Sequence[Condition]) -> None:
        self.components, self.payload_components = small.components, small.payload_components
        self.kept = sum(component.width for component in small.components)
        self.sent = sum(component.width for component in small.payload_components)
        self.conditions = tuple(conditions)
        self.payloads: dict[str, SharedArray] = {}
        self.messages: dict[tuple[str, Condition], SharedArray] = {}
        self._shapes = {split: alive.shape for split, (_, alive) in data.items()}

    def too_large(self, limit: int) -> tuple[Diagnostic, ...]:
        """Say that the results would take more than `limit` bytes; empty where they do not."""
        rows = sum(int(np.prod(shape)) for shape in self._shapes.values())
        size = 4 * rows * (self.sent + len(self.conditions) * self.kept)
        message = f"{self.kept:,} numbers kept and {self.sent:,} sent per agent and step"
        if max(self.kept, self.sent) > _MOST_NUMBERS:
            message += f", at most {_MOST_NUMBERS:,} are allowed"
        elif size > limit:
            message += f" take {size / 2**30:.1f} GiB over the data"
        else:
            return ()
        return (Diagnostic(0, 0, "PD504", message, "send less, or write a `receive` that keeps less"),)

    def allocate(self) -> None:
        """Make the arrays; raises `ResourceError` where there is no memory."""
        for split, shape in self._shapes.items():
            self.payloads[split] = SharedArray((*shape, self.sent), np.float32)
            for condition in self.conditions:
                self.messages[split, condition] = SharedArray((*shape, self.kept), np.float32)

    def to_json(self) -> dict[str, Any]:
        """Return where the arrays are."""
        return {
            "payloads": {split: shared.to_json() for split, shared in self.payloads.items()},
            "messages": [[split, condition, s.to_json()] for (split, condition), s in self.messages.items()],
        }

    def check(self, full: Answer) -> tuple[Diagnostic, ...]:
        """Look again at what must hold whatever the child said of itself."""
        if (self.components, self.payload_components) != (full.components, full.payload_components):
            hint = "return the same components on every path"
            return (Diagnostic(0, 0, "PD414", "components differ between a small run and the full one", hint),)
        if not all(np.isfinite(shared.array).all() for shared in self._arrays()):
            return (Diagnostic(0, 0, "PD413", "messages are not finite", "guard divisions and logarithms"),)
        return ()

    def close(self) -> None:
        """Close the descriptors; the arrays live as long as somebody holds them."""
        for shared in self._arrays():
            shared.close()

    def _arrays(self) -> Iterator[SharedArray]:
        yield from self.payloads.values()
        yield from self.messages.values()


class Replay(Results):
    """Some episodes again, in another process that has no others, in another order, then step by step.

    At most half of a split, so that whatever depends on the rest of a batch comes out otherwise; drawn by `rng`, so
    that no source can know them.
    """

    def __init__(self, first: Results, data: Data, rng: np.random.Generator, limit: int) -> None:
        self._first = first
        self.chosen: dict[str, IntArray] = {}
        self.data: dict[str, tuple[Float32Array, BoolArray]] = {}
        self.stepped: dict[tuple[str, Condition], SharedArray] = {}
        self._played = int(rng.integers(2, _STEPPED + 1))
        for split, (extended, alive) in data.items():
            each = 4 * int(np.prod(alive.shape[1:])) * (first.sent + len(first.conditions) * first.kept)
            most = max(limit // max(each, 1), 1)
            count = min(_REPLAYED, (len(extended) + 1) // 2, most)
            self.chosen[split] = rng.permutation(len(extended))[:count]
            self.data[split] = extended[self.chosen[split]], alive[self.chosen[split]]
        self.components, self.payload_components = first.components, first.payload_components
        self.kept, self.sent, self.conditions = first.kept, first.sent, first.conditions
        self.payloads, self.messages = {}, {}
        self._shapes = {split: alive.shape for split, (_, alive) in self.data.items()}

    def allocate(self) -> None:
        """Make the arrays; raises `ResourceError` where there is no memory."""
        super().allocate()
        for split, (episodes, *rest) in self._shapes.items():
            for condition in self.conditions:
                shape = (min(episodes, self._played), *rest, self.kept)
                self.stepped[split, condition] = SharedArray(shape, np.float32)

    def to_json(self) -> dict[str, Any]:
        """Return where the arrays are."""
        places = [[split, condition, shared.to_json()] for (split, condition), shared in self.stepped.items()]
        return {**super().to_json(), "stepped": places}

    def check(self, full: Answer) -> tuple[Diagnostic, ...]:
        """Compare with the first run's results."""
        return super().check(full) or tuple(self._differences())[:1]

    def _differences(self) -> Iterator[Diagnostic]:
        first = self._first
        hint = "keep nothing between calls, and let no row see another one"
        for split, chosen in self.chosen.items():
            how = f"when fewer episodes of {split!r} run, in another order"
            sent = first.payloads[split].array[chosen]
            yield from _compare(sent, self.payloads[split].array, self.payload_components, "PD416", how, hint)
        for (split, condition), shared in self.messages.items():
            how = f"when fewer episodes of {split!r} run, in another order"
            kept = first.messages[split, condition].array[self.chosen[split]]
            yield from _compare(kept, shared.array, self.components, "PD416", how, hint)
            stepped = self.stepped[split, condition].array
            how = f"between whole episodes of {split!r} and step by step"
            hint_steps = "the result must not depend on the number of rows"
            yield from _compare(kept[: len(stepped)], stepped, self.components, "PD418", how, hint_steps)

    def _arrays(self) -> Iterator[SharedArray]:
        yield from super()._arrays()
        yield from self.stepped.values()


def _compare(
    values: Float32Array, others: Float32Array, components: Sequence[Component], code: str, how: str, hint: str
) -> Iterator[Diagnostic]:
    """Name the component that differs most, and the first step at which it does."""
    if agree(values, others):
        return
    apart = np.abs(values - others)
    worst = float(apart.max())
    column = int(apart.max(axis=(0, 1, 2)).argmax())
    step = int(apart[..., column].max(axis=(0, 2)).argmax())
    owners = [component for component in components for _ in range(component.width)]
    who = owners[column]
    message = f"component {who.name!r} differs by up to {worst:.3g} {how}, first so at step {step}"
    yield Diagnostic(0, 0, code, message, hint, f"part{who.part}.py")
