"""SMS's gate: hear the senders alone whose Shapley value for one's own choice is foretold above 0 (Xue et al. 2022).

An adaptation. The published method is an actor-critic, and the worth of a set of messages is its critic's; here it is
the greatest utility that the receiver finds with that set, all else equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.methods.base import Features, Losses
from marl_runtime.methods.talking import Talking, pair_mean, two_layers
from marl_runtime.networks.batch import TensorBatch, by_row

__all__ = ["Sms", "shapley"]


class Sms(Talking):
    """A message of 8 numbers to everyone; receiver i keeps those whose foretold value v(h_i, m_j) is above 0.

    Value (weight 1, ours): the squared error of v against the Shapley value of m_j, over two orders in which messages
    join (one at random and its reverse). When learning, half of the episodes hear all and half a random set of senders,
    so that utilities mean something for every set. The gate is the receiver's: a message is sent before it is weighed.
    """

    name = "sms"
    summary = "learned: messages kept by their Shapley value (adapted from an actor-critic)"
    message_dim = 8
    coefficients: ClassVar = {"value": 1.0}

    @property
    def heard_dim(self) -> int:
        """A message by sender."""
        return self.message_dim * self.inputs.schema.n_agents

    @property
    def sent_values(self) -> int | None:
        """One message."""
        return self.message_dim

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make the messages and what foretells their value."""
        self.sender = nn.Linear(own_dim, self.message_dim)
        self.value = two_layers(own_dim + self.message_dim, self.config.hidden_dim, 1)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return the messages that are kept, by sender; all of them, and their foretold values by receiver."""
        n = own.shape[-2]
        messages = torch.tanh(self.sender(own))
        pairs = (
            own[..., None, :].expand(*own.shape[:-1], n, -1),
            messages[..., None, :, :].expand(*own.shape[:-1], n, -1),
        )
        # the utilities train the messages, and not what foretells their value
        values = self.value(torch.cat(pairs, dim=-1).detach())[..., 0]
        keeps = links & (_random_sets(links) if learning else values > 0)
        return {"heard": kept(messages, keeps), "messages": messages, "values": values}

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return the value loss, and the share of messages that the gate lets through."""
        parts = features.parts
        target = self._shapley(batch, features)
        losses = {"value": pair_mean((parts["values"] - target).square(), parts["links"], batch)}
        opens = (parts["values"] > 0).to(q.dtype)
        return Losses(losses, {"open_links": pair_mean(opens, parts["links"], batch)})

    @torch.no_grad()
    def _shapley(self, batch: TensorBatch, features: Features) -> Float[Tensor, "T+1 B N N"]:
        extended, links, messages = by_row(batch.extended), features.parts["links"], features.parts["messages"]
        h = self.utility.memory.unroll(functional.relu(self.utility.embed(features.known)))
        before = functional.pad(h[:-1], (0, 0, 0, 0, 1, 0)).flatten(0, 1)
        available = by_row(batch.avail_actions).flatten(0, 1)

        def worth(senders: Bool[Tensor, N]) -> Float[Tensor, "T+1 B N"]:
            """The greatest utility at each step when only these are heard there."""
            known = torch.cat([extended, kept(messages, links & senders).flatten(1, 2)], dim=-1)
            q = self.utility.step(known.flatten(0, 1), before)[0]
            return q.masked_fill(~available, -torch.inf).amax(dim=-1).view(links.shape[:3])

        order = torch.randperm(batch.n_agents, device=links.device).tolist()
        return shapley(worth, batch.n_agents, [order, order[::-1]], links.device)


def _random_sets(links: Bool[Tensor, "T+1 B N N"]) -> Bool[Tensor, "T+1 B N N"]:
    """Return all senders for half of the episodes, and each with probability one half for the others."""
    _, b, n, _ = links.shape
    everyone = torch.rand(b, 1, 1, device=links.device) < 0.5
    drawn = torch.rand(links.shape[0], b, n, n, device=links.device) < 0.5
    return drawn | everyone


def kept(messages: Float[Tensor, "*batch N P"], keeps: Bool[Tensor, "*batch N N"]) -> Float[Tensor, "*batch N N*P"]:
    """Return what each receiver keeps of the `messages`, by sender."""
    return (messages[..., None, :, :] * keeps[..., None]).flatten(-2)


def shapley(
    worth: Callable[[Bool[Tensor, N]], Float[Tensor, "*batch"]],
    n_agents: int,
    orders: Sequence[Sequence[int]],
    device: torch.device | str = "cpu",
) -> Float[Tensor, "*batch N"]:
    """Return what each sender adds to the `worth` of those before it, mean over the `orders` in which they join."""
    total: Tensor | None = None
    for order in orders:
        joined = torch.zeros(n_agents, dtype=torch.bool, device=device)
        last = worth(joined)
        added = last.new_zeros(*last.shape, n_agents)
        for sender in order:
            joined[sender] = True
            now = worth(joined)
            added[..., sender] = now - last
            last = now
        total = added if total is None else total + added
    if total is None:
        raise ValueError("no order was given in which senders join")
    return total / len(orders)
