"""TarMAC: messages with a signature, and receivers that attend to them (Das et al. 2019)."""

from __future__ import annotations

import math

from jaxtyping import Bool, Float
from torch import Tensor, nn

from marl_runtime.methods.talking import Talking, masked_softmax

__all__ = ["TarMac"]


class TarMac(Talking):
    """c_i = Σ_j softmax_j(q_i · k_j / √32) v_j over the agents that reach i and itself; signature 32, value 10.

    As published an agent attends to its own message, too. The published c reaches the next step's network; here it acts
    at once. Gradients of TD alone.
    """

    name = "tarmac"
    summary = "learned: attention over signed messages"
    signature_dim = 32
    value_dim = 10

    @property
    def heard_dim(self) -> int:
        """The attended value."""
        return self.value_dim

    @property
    def sent_values(self) -> int | None:
        """Signature and value."""
        return self.signature_dim + self.value_dim

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make query, signature and value."""
        self.query = nn.Linear(own_dim, self.signature_dim)
        self.signature = nn.Linear(own_dim, self.signature_dim)
        self.value = nn.Linear(own_dim, self.value_dim)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return the attended values."""
        scores = self.query(own) @ self.signature(own).transpose(-1, -2) / math.sqrt(self.signature_dim)
        attention = masked_softmax(scores, with_oneself(links))
        return {"heard": attention @ self.value(own), "attention": attention}


def with_oneself(links: Bool[Tensor, "*batch N N"]) -> Bool[Tensor, "*batch N N"]:
    """Return the links with one from each agent to itself."""
    n = links.shape[-1]
    return links | links.new_ones(n).diag()
