"""How much a protocol says: measured on what was sent, not on what it could say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array

__all__ = ["Bandwidth", "Component", "measure_bandwidth"]


@dataclass(frozen=True)
class Component:
    """A named piece of a payload or a message: which part made it, and its width."""

    part: int
    name: str
    width: int


@dataclass(frozen=True)
class Bandwidth:
    """Per sender: the payload values that ever vary, the share of its steps in which it speaks, and bits per step.

    A value that varies costs 32 bits, or 1 where it takes two values only; a sender that is silent costs nothing in
    that step. `bits_per_step` is what one link, from a sender to one receiver, carries on average.
    """

    varying: tuple[int, ...]  # [N]
    speaking: tuple[float, ...]  # [N]
    bits_per_step: tuple[float, ...]  # [N]

    @property
    def total(self) -> float:
        """Bits per step and link, summed over senders."""
        return float(sum(self.bits_per_step))

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {**{name: list(values) for name, values in asdict(self).items()}, "total": self.total}


def measure_bandwidth(payloads: Float32Array, valid: BoolArray, components: Sequence[Component]) -> Bandwidth:
    """Measure payloads `[B, T, N, P]` over the steps in which the sender lives, `valid` `[B, T, N]`."""
    width = sum(component.width for component in components)
    if payloads.shape[-1] != width:
        raise ValueError(f"payloads are {payloads.shape[-1]} wide, their components {width}")
    varying, speaking, bits = [], [], []
    for agent in range(payloads.shape[2]):
        said = payloads[:, :, agent][valid[:, :, agent]]
        speaks = said.any(axis=1)
        cost = 0
        count = 0
        for column in said.T:
            values = np.unique(column)
            if len(values) > 1:
                count += 1
                cost += 1 if len(values) == 2 else 32
        share = float(speaks.mean()) if len(said) else 0.0
        varying.append(count)
        speaking.append(share)
        bits.append(cost * share)
    return Bandwidth(tuple(varying), tuple(speaking), tuple(bits))
