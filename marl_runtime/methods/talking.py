"""What the methods share whose agents learn what to say.

    own history → memory → h → talk (the method) → heard → [extended observation, heard] → utility network

Messages act in the step in which they are sent, as a protocol's do, so that what differs between methods is what is
said. The papers feed some of theirs to the next step's network; each method's file says where it departs.

Axes: *batch is [T, B] when learning and [E] when acting; N agents (the last but one for senders where there are two),
H own features, C what is heard.
"""

from __future__ import annotations

import abc
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.methods.base import Carry, Features, Method, Now, required
from marl_runtime.networks.batch import TensorBatch, by_row
from marl_runtime.networks.recurrence import Recurrence

__all__ = ["Talking", "masked_softmax", "pair_mean", "two_layers"]


class Talking(Method):
    """A method that says how agents talk: `talk` makes what each hears of all own features and the links."""

    needs_links = True
    history_dim: ClassVar[int] = 64
    """Width of an agent's memory of its own history; 0 when it talks of its extended observation alone."""

    def build(self) -> None:
        """Make the memory, and what the method talks with."""
        if self.history_dim:
            self.embed = nn.Linear(self.inputs.schema.extended_dim, self.history_dim)
            self.memory = Recurrence(self.history_dim)
        self.build_talk(self.history_dim or self.inputs.schema.extended_dim, self.inputs.schema.n_agents)

    @property
    def features_dim(self) -> int:
        """The extended observation and what is heard."""
        return self.inputs.schema.extended_dim + self.heard_dim

    @property
    def memory_widths(self) -> tuple[int, ...]:
        """The memory's width, if there is one."""
        return (self.history_dim,) if self.history_dim else ()

    @property
    @abc.abstractmethod
    def heard_dim(self) -> int:
        """C, the width of what the utility network gets beside the extended observation."""

    @abc.abstractmethod
    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make the networks that talk, for own features of width H = `own_dim`."""

    @abc.abstractmethod
    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return "heard" `[*batch, N, C]`, and by name what the losses need; noise only when `learning`."""

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation and what is heard."""
        n, own, after = self.inputs.schema.n_agents, now.extended, carry
        if self.needs_links:
            links = required(now.links, "links", self.name)
        else:  # nobody reaches anybody
            links = torch.zeros(len(own) // n, n, n, dtype=torch.bool, device=own.device)
        if self.history_dim:
            own, h = self.memory.step(functional.relu(self.embed(own)), carry[0])
            after = (h,)
        heard = self.talk(own.view(-1, n, own.shape[-1]), links, learning=False)["heard"].flatten(0, 1)
        return torch.cat([now.extended, now.arriving(heard)], dim=-1), after

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations and what is heard; the parts are `[T+1, B, N, …]`."""
        extended, links = by_row(batch.extended), batch.links.transpose(0, 1)
        own = self.memory.unroll(functional.relu(self.embed(extended))) if self.history_dim else extended
        by_agent = own.view(*links.shape[:3], -1)
        parts = self.talk(by_agent, links, learning=self.training)
        known = torch.cat([extended, parts["heard"].flatten(1, 2)], dim=-1)
        return Features(known, {"own": by_agent, "links": links, **parts})


def two_layers(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return Linear, ReLU, Linear."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


def masked_softmax(scores: Float[Tensor, "*batch K"], mask: Bool[Tensor, "*batch K"]) -> Float[Tensor, "*batch K"]:
    """Return the softmax over what `mask` lets through, and zeros where it lets nothing through."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask


def pair_mean(
    values: Float[Tensor, "T+1 B N N"], links: Bool[Tensor, "T+1 B N N"], batch: TensorBatch
) -> Float[Tensor, ""]:
    """Return the mean of `values` by (receiver, sender) over links to living receivers at steps played."""
    mask = links[:-1] & batch.receivers.transpose(0, 1)[..., None]
    return (values[:-1] * mask).sum() / mask.sum().clamp(min=1)
