"""T2MAC: messages are evidence, sent where they take doubt away, and combined by Dempster's rule (Sun et al. 2024).

Evidence e ≥ 0 over A actions is a Dirichlet distribution of parameters e + 1 and strength S = Σ e + A: belief masses
b = e / S and uncertainty u = A / S, which add up to 1. Two of them combine into

    b = (b₁ b₂ + b₁ u₂ + b₂ u₁) / (1 - C),    u = u₁ u₂ / (1 - C),    C = Σ_{k ≠ l} b₁ₖ b₂ₗ  (the conflict).
"""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.methods.base import Features, Losses
from marl_runtime.methods.talking import Talking, pair_mean
from marl_runtime.networks.batch import TensorBatch

__all__ = ["T2Mac", "combine", "opinion"]

Opinion = tuple[Float[Tensor, "*batch A"], Float[Tensor, "*batch 1"]]


class T2Mac(Talking):
    """The utility network gets one's own evidence with all that came, as ln(1 + e), and the doubt that is left.

    A sender makes evidence for each receiver and a score of its use, query · key / √64 + 1 with the receiver's key by
    id; it sends where the score is above 0. Query and key are 64 wide, as the memory is. Selection (weight 0.05): the
    cross-entropy between that score and whether the evidence alone would take more than 0.1 off the receiver's
    uncertainty. The paper acts on the combined evidence itself; here it is a feature of the utility network, as for
    every method.
    """

    name = "t2mac"
    summary = "learned: evidence for each receiver, sent where it takes doubt away"
    width = 64
    least_gain = 0.1
    coefficients: ClassVar = {"selection": 0.05}

    @property
    def heard_dim(self) -> int:
        """Evidence for A actions and the uncertainty."""
        return self.inputs.schema.n_actions + 1

    @property
    def sent_values(self) -> int | None:
        """Evidence for each action."""
        return self.inputs.schema.n_actions

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make own evidence, evidence for each receiver, and the score of its use."""
        actions = self.inputs.schema.n_actions
        self.own_evidence = nn.Linear(own_dim, actions)
        self.evidence = nn.Linear(own_dim, n_agents * actions)
        self.query = nn.Linear(own_dim, self.width)
        self.key = nn.Linear(n_agents, self.width)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return the combined opinions, and by receiver and sender the scores and what the evidence would take off."""
        n = own.shape[-2]
        belief, doubt = opinion(functional.softplus(self.own_evidence(own)))
        sent = functional.softplus(self.evidence(own)).view(*own.shape[:-1], n, -1).transpose(-2, -3)
        beliefs, doubts = opinion(sent)
        key = self.key(torch.eye(n, dtype=own.dtype, device=own.device))
        scores = (self.query(own) @ key.t()).transpose(-1, -2) / math.sqrt(self.width) + 1
        gain = doubt - combine((belief[..., None, :], doubt[..., None, :]), (beliefs, doubts))[1][..., 0]
        opens = (links & (scores > 0))[..., None].to(own.dtype)
        # what is not sent is an opinion of nothing but doubt, which changes no other
        beliefs, doubts = beliefs * opens, torch.lerp(torch.ones_like(doubts), doubts, opens)
        for sender in range(n):
            belief, doubt = combine((belief, doubt), (beliefs[..., sender, :], doubts[..., sender, :]))
        evidence = belief * belief.shape[-1] / doubt  # e = b S, S = A / u
        return {"heard": torch.cat([torch.log1p(evidence), doubt], dim=-1), "scores": scores, "gain": gain}

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return the selection loss, the share of links in use, and the doubt that is left."""
        scores, gain, links, heard = (features.parts[name] for name in ("scores", "gain", "links", "heard"))
        useful = (gain.detach() > self.least_gain).to(scores.dtype)
        surprise = functional.binary_cross_entropy_with_logits(scores, useful, reduction="none")
        logs = {
            "open_links": pair_mean((scores > 0).to(scores.dtype), links, batch),
            "doubt": pair_mean(heard[..., -1:].detach().expand_as(scores), links, batch),
        }
        return Losses({"selection": pair_mean(surprise, links, batch)}, logs)


def opinion(evidence: Float[Tensor, "*batch A"]) -> Opinion:
    """Return belief masses and uncertainty of `evidence`."""
    actions = evidence.shape[-1]
    strength = evidence.sum(dim=-1, keepdim=True) + actions
    return evidence / strength, actions / strength


def combine(one: Opinion, other: Opinion) -> Opinion:
    """Return what two independent opinions come to."""
    (b1, u1), (b2, u2) = one, other
    agreed = b1 * b2
    conflict = (1 - u1) * (1 - u2) - agreed.sum(dim=-1, keepdim=True)
    return (agreed + b1 * u2 + b2 * u1) / (1 - conflict), u1 * u2 / (1 - conflict)
