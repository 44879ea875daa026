"""What a method is: everything between what an agent knows and its utilities.

Axes: B episodes, T timesteps, N agents, D extended observation, S state, A actions, M message, F
features, R rows = environments times agents.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from buffers.schema import TaskSchema
from marl_runtime.networks.batch import TensorBatch, by_episode
from marl_runtime.networks.utility import UtilityNetwork

__all__ = [
    "Carry",
    "Disturb",
    "Features",
    "Losses",
    "Method",
    "MethodConfig",
    "MethodInputs",
    "Now",
    "Unrolled",
    "required",
]

Carry = tuple[Tensor, ...]
Disturb = Callable[[Float[Tensor, "R C"]], Float[Tensor, "R C"]]
"""What a channel does to what agents hear by a method's own network, in evaluation."""


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
    added to its output alone). `alpha` is the squared error, of a field's range squared, that counts as known. Without
    `detach_latent` the TD loss trains the encoder too. `state_fields` are those to rebuild: "chosen", which the
    protocol's manifest names, or "all".
    """

    hidden_dim: int = 64
    latent_dim: int = 20
    dropout: float = 0.1
    alpha: float = 0.05
    encoder_loop: Literal["published", "fused"] = "published"
    detach_latent: bool = True
    state_fields: Literal["chosen", "all"] = "chosen"

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
        if self.state_fields not in ("chosen", "all"):
            raise ValueError(f"state_fields {self.state_fields!r} is neither 'chosen' nor 'all'")


@dataclass(frozen=True)
class Now:
    """What R rows know and are given at one step.

    `links[e, i, j]` says that what agent j of environment e sends reaches agent i: j lives, is not i, and nothing was
    lost. Rows are environments times agents, an environment's agents next to each other.
    """

    extended: Float[Tensor, "R D"]
    messages: Float[Tensor, "R M"] | None = None
    state: Float[Tensor, "R S"] | None = None
    links: Bool[Tensor, "E N N"] | None = None
    disturb: Disturb | None = None

    def arriving(self, heard: Float[Tensor, "R C"]) -> Float[Tensor, "R C"]:
        """Return what arrives of what R agents would hear of each other: noisy or late, where a channel makes it so."""
        return heard if self.disturb is None else self.disturb(heard)


@dataclass(frozen=True)
class Features:
    """Whole episodes as the utility network gets them, and by name what the method's losses need of the way there."""

    known: Float[Tensor, "T+1 R F"]
    parts: dict[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Losses:
    """A method's own losses by name, and what is logged beside them; all scalars."""

    losses: dict[str, Tensor] = field(default_factory=dict)
    logs: dict[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Unrolled:
    """Whole episodes through a method: utilities, what they were made of, and its own losses (none in evaluation)."""

    q: Float[Tensor, "B T+1 N A"]
    losses: dict[str, Tensor] = field(default_factory=dict)
    logs: dict[str, Tensor] = field(default_factory=dict)
    known: Float[Tensor, "B T+1 N F"] | None = None


class Method(nn.Module, abc.ABC):
    """One network shared over agents: (own features, messages) → features → utility network, and losses of its own.

    A method says how features are made, for one step (`features_now`) and for whole episodes (`features`), which agree;
    how wide they are (`features_dim`); and which losses train the way there (`own_losses`). `step` acts: one step of R
    rows, no gradient, no dropout. `unroll` learns: whole episodes at once, with dropout and losses in training mode and
    neither in evaluation mode, which is how the target network runs.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_protocol: ClassVar[bool] = False
    needs_messages: ClassVar[bool] = False
    needs_state: ClassVar[bool] = False
    needs_links: ClassVar[bool] = False
    """Whether agents talk by a network of the method's own, and not by a protocol."""
    scrambles: ClassVar[Literal["", "shuffled", "random"]] = ""
    """What a control puts in place of the protocol's messages, in the rollout: see `marl_runtime.rollout`."""
    mixer: ClassVar[str] = ""
    """The mixer that the method is named after; empty where any will do."""
    coefficients: ClassVar[Mapping[str, float]] = {}
    """Weights of losses that `LearnerConfig` does not name, as published."""
    training_only: ClassVar[tuple[str, ...]] = ()
    """Modules that no action depends on."""

    def __init__(self, inputs: MethodInputs, config: MethodConfig) -> None:
        super().__init__()
        if self.needs_protocol and not inputs.message_dim:
            raise ValueError(f"method {self.name!r} needs a protocol, and this one sends no messages")
        self.inputs = inputs
        self.config = config
        self.build()
        self.utility = UtilityNetwork(self.features_dim, self.utility_dim, inputs.schema.n_actions)

    def build(self) -> None:
        """Make the networks that come before the utility network."""

    @property
    def features_dim(self) -> int:
        """F, the width of what the utility network gets; the extended observation alone unless said otherwise."""
        return self.inputs.schema.extended_dim

    @property
    def utility_dim(self) -> int:
        """The width of the utility network."""
        return self.config.hidden_dim

    @property
    def memory_widths(self) -> tuple[int, ...]:
        """The width of each tensor that the way to the features carries from step to step."""
        return ()

    @property
    def carry_widths(self) -> tuple[int, ...]:
        """The width of each tensor that is carried from step to step; the utility network's is the last."""
        return (*self.memory_widths, self.utility_dim)

    @property
    def sent_values(self) -> int | None:
        """How many numbers an agent sends to another one in a step; None where the protocol says it."""
        return 0

    @property
    def executed_parameters(self) -> int:
        """How many numbers an agent needs to act: all weights but those of modules for training alone."""
        left_out = [p for name in self.training_only for p in self.get_submodule(name).parameters()]
        return sum(p.numel() for p in self.parameters()) - sum(p.numel() for p in left_out)

    def initial_state(self, rows: int, device: torch.device | str = "cpu") -> Carry:
        """Return the carry before an episode's first step, each `[rows, H]` and zero."""
        return tuple(torch.zeros(rows, width, device=device) for width in self.carry_widths)

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """Return the parameters by the loss that trains them; "utility" is trained by TD and clipped with the mixer."""
        return {"utility": list(self.parameters())}

    @abc.abstractmethod
    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return what the utility network gets at one step, and the next carry of the way there; no dropout."""

    @abc.abstractmethod
    def features(self, batch: TensorBatch) -> Features:
        """Return what the utility network gets in whole episodes."""

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return the method's own losses and logs; called in training mode alone."""
        return Losses()

    @torch.inference_mode()
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
        links: Bool[Tensor, "E N N"] | None = None,
        disturb: Disturb | None = None,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step and the next carry. Unneeded messages, states and links may be None."""
        now = Now(extended, messages, state, links, disturb if self.needs_links else None)
        known, after = self.features_now(now, carry[:-1])
        q, h = self.utility.step(known, carry[-1])
        return q, (*after, h)

    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes, and in training mode the method's own losses."""
        features = self.features(batch)
        q = by_episode(self.utility.unroll(features.known), batch.n_agents)
        own = self.own_losses(batch, features, q) if self.training else Losses()
        return Unrolled(q, own.losses, own.logs, by_episode(features.known, batch.n_agents))


def required(value: Tensor | None, what: str, method: str) -> Tensor:
    """Return `value`, or raise ValueError when a method was not given what it needs."""
    if value is None:
        raise ValueError(f"method {method!r} needs {what}, and none were given")
    return value
