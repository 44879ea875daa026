"""What a method is: everything between what an agent knows and its utilities.

Axes: B episodes, T timesteps, N agents, D extended observation, S state, A actions, M message, R rows = environments
times agents.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from buffers.schema import TaskSchema
from marl_runtime.networks.batch import TensorBatch

__all__ = ["Carry", "Method", "MethodConfig", "MethodInputs", "Unrolled"]

Carry = tuple[Tensor, ...]


@dataclass(frozen=True)
class MethodInputs:
    """What a method is built for: the task, the protocol's message width, and the state fields to rebuild.

    `message_dim` is 0 without a protocol. `target_low` and `target_high` bound the target fields as they are stored.
    """

    schema: TaskSchema
    message_dim: int = 0
    target_fields: tuple[int, ...] = ()
    target_low: tuple[float, ...] = ()
    target_high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.message_dim < 0:
            raise ValueError(f"message width {self.message_dim} is below 0")
        if not len(self.target_fields) == len(self.target_low) == len(self.target_high):
            raise ValueError(
                f"{len(self.target_fields)} target fields have {len(self.target_low)} lower and "
                f"{len(self.target_high)} upper bounds"
            )
        for index, low, high in zip(self.target_fields, self.target_low, self.target_high, strict=True):
            if not 0 <= index < self.schema.state_dim:
                raise ValueError(f"target field {index} is not among the {self.schema.state_dim} state fields")
            if not low < high:
                raise ValueError(f"target field {index}: low {low} is not below high {high}")

    @classmethod
    def for_schema(
        cls, schema: TaskSchema, message_dim: int = 0, target_fields: Sequence[int] | None = None
    ) -> MethodInputs:
        """Read the bounds of `target_fields` (all state fields by default) from the schema's ranges."""
        columns = tuple(range(schema.state_dim)) if target_fields is None else tuple(target_fields)
        chosen = [schema.state_fields[column] for column in columns]
        return cls(schema, message_dim, columns, tuple(f.low for f in chosen), tuple(f.high for f in chosen))


@dataclass(frozen=True)
class MethodConfig:
    """Widths and options of all methods; the defaults are the published ones.

    `encoder_loop` is "published" (`h = GRUCell(x, h) + x` is carried) or "fused" (a plain GRU over the sequence, x
    added to its output alone). `alpha` is the squared error, of a field's range squared, that counts as known.
    """

    hidden_dim: int = 64
    latent_dim: int = 20
    dropout: float = 0.1
    alpha: float = 0.05
    encoder_loop: Literal["published", "fused"] = "published"

    def __post_init__(self) -> None:
        for name in ("hidden_dim", "latent_dim"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is below 1")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout {self.dropout} is not in [0, 1)")
        if not self.alpha > 0:
            raise ValueError(f"alpha {self.alpha} is not above 0")
        if self.encoder_loop not in ("published", "fused"):
            raise ValueError(f"encoder_loop {self.encoder_loop!r} is neither 'published' nor 'fused'")


@dataclass(frozen=True)
class Unrolled:
    """Whole episodes through a method: utilities, and its own losses by name (none in evaluation mode)."""

    q: Float[Tensor, "B T+1 N A"]
    losses: dict[str, Tensor] = field(default_factory=dict)
    logs: dict[str, Tensor] = field(default_factory=dict)


class Method(nn.Module, abc.ABC):
    """One network shared over agents, with two ways through it that agree.

    `step` acts: one step of R rows, no gradient, no dropout. `unroll` learns: whole episodes at once, with dropout and
    losses in training mode and neither in evaluation mode, which is how the target network runs.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_protocol: ClassVar[bool] = False
    needs_messages: ClassVar[bool] = False
    needs_state: ClassVar[bool] = False

    def __init__(self, inputs: MethodInputs, config: MethodConfig) -> None:
        super().__init__()
        if self.needs_protocol and not inputs.message_dim:
            raise ValueError(f"method {self.name!r} needs a protocol, and this one sends no messages")
        self.inputs = inputs
        self.config = config

    def initial_state(self, rows: int, device: torch.device | str = "cpu") -> Carry:
        """Return the carry before an episode's first step, each `[rows, H]` and zero."""
        return tuple(torch.zeros(rows, width, device=device) for width in self.carry_widths)

    @property
    def carry_widths(self) -> tuple[int, ...]:
        """The width of each tensor that is carried from step to step."""
        return (self.config.hidden_dim,)

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """Return the parameters by the loss that trains them; "utility" is trained by TD and clipped with the mixer."""
        return {"utility": list(self.parameters())}

    @abc.abstractmethod
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step and the next carry. Unneeded messages and states may be None."""

    @abc.abstractmethod
    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes, and in training mode the method's own losses."""


def required(value: Tensor | None, what: str, method: str) -> Tensor:
    """Return `value`, or raise ValueError when a method was not given what it needs."""
    if value is None:
        raise ValueError(f"method {method!r} needs {what}, and none were given")
    return value
