"""CommNet: each agent hears the mean of the others' hidden states, twice (Sukhbaatar et al. 2016)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from marl_runtime.methods.talking import Talking

__all__ = ["CommNet"]


class CommNet(Talking):
    """h ← tanh(H h + C c + h⁰) with c the mean of the h that arrive, K = 2 rounds; 0 where nothing arrives.

    h⁰ is the memory of one's own history; the published module with the skip connection. Gradients of TD alone.
    """

    name = "commnet"
    summary = "learned: the mean of the others' hidden states, two rounds"
    rounds = 2

    @property
    def heard_dim(self) -> int:
        """The last hidden state."""
        return self.history_dim

    @property
    def sent_values(self) -> int | None:
        """The hidden state, once in each round."""
        return self.rounds * self.history_dim

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make one H and one C for each round."""
        self.own_weights = nn.ModuleList(nn.Linear(own_dim, own_dim) for _ in range(self.rounds))
        self.heard_weights = nn.ModuleList(nn.Linear(own_dim, own_dim) for _ in range(self.rounds))

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return the hidden states after the last round."""
        h = own
        for own_weight, heard_weight in zip(self.own_weights, self.heard_weights, strict=True):
            h = torch.tanh(own_weight(h) + heard_weight(mean_of_others(h, links)) + own)
        return {"heard": h}


def mean_of_others(h: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"]) -> Float[Tensor, "*batch N H"]:
    """Return the mean of what arrives at each receiver, 0 where nothing does."""
    arrives = links.to(h.dtype)
    return arrives @ h / arrives.sum(dim=-1, keepdim=True).clamp(min=1)
