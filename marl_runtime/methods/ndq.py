"""NDQ: Gaussian messages that say what the receiver's choice depends on, and no more (Wang et al. 2020)."""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from marl_runtime.methods.base import Features, Losses
from marl_runtime.methods.talking import Talking, pair_mean, two_layers
from marl_runtime.networks.batch import TensorBatch, masked_mean

__all__ = ["Ndq"]


class Ndq(Talking):
    """A message of 3 numbers for each receiver, N(f(o), 1): drawn when learning, its mean when acting.

    Expressiveness (weight 0.1): the cross-entropy between the receiver's greedy action and q(a | o, messages), a bound
    on the information that messages give about it. Succinctness (weight 1e-4): KL(N(f(o), 1) ‖ N(0, 1)) = ½ |f(o)|².
    Settings of the authors' `bane_vs_hM`. A sender talks of its extended observation, as published.
    """

    name = "ndq"
    summary = "learned: noisy messages that are expressive and succinct"
    history_dim = 0
    message_dim = 3
    coefficients: ClassVar = {"expressiveness": 0.1, "succinctness": 1e-4}
    training_only = ("posterior",)

    @property
    def heard_dim(self) -> int:
        """A message by sender."""
        return self.message_dim * self.inputs.schema.n_agents

    @property
    def sent_values(self) -> int | None:
        """One message."""
        return self.message_dim

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make the sender's encoder and the posterior of the receiver's action."""
        hidden = self.config.hidden_dim
        self.sender = two_layers(own_dim, hidden, n_agents * self.message_dim)
        self.posterior = two_layers(own_dim + self.heard_dim, hidden, self.inputs.schema.n_actions)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return messages by sender, and their means by receiver and sender."""
        n = own.shape[-2]
        mean = self.sender(own).view(*own.shape[:-1], n, self.message_dim).transpose(-2, -3)
        sent = mean + torch.randn_like(mean) if learning else mean
        return {"heard": (sent * links[..., None]).flatten(-2), "mean": mean}

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return expressiveness and succinctness."""
        parts = features.parts
        logits = self.posterior(torch.cat([parts["own"], parts["heard"]], dim=-1)).transpose(0, 1)[:, :-1]
        greedy = q[:, :-1].detach().masked_fill(~batch.avail_actions[:, :-1], -torch.inf).argmax(dim=-1)
        surprise = functional.cross_entropy(logits.flatten(0, 2), greedy.flatten(), reduction="none")
        kl = 0.5 * parts["mean"].square().sum(dim=-1)
        losses = {
            "expressiveness": masked_mean(surprise.view_as(greedy), batch.receivers),
            "succinctness": pair_mean(kl, parts["links"], batch),
        }
        return Losses(losses)
