"""QMIX: a monotone mixing network whose weights come from the state (Rashid et al. 2018)."""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.networks.mixers.base import Mixer

__all__ = ["QmixMixer"]


class QmixMixer(Mixer):
    """Two mixing layers of width 32 with non-negative weights, made by two-layer hypernetworks of width 64.

    The first layers of the four hypernetworks read the same state, so they are one product.
    """

    name = "qmix"
    embed_dim = 32
    hypernet_dim = 64

    def __init__(self, n_agents: int, state_dim: int, n_actions: int) -> None:
        super().__init__(n_agents, state_dim, n_actions)
        self._split = [self.hypernet_dim, self.hypernet_dim, self.embed_dim, self.embed_dim]
        self.hyper_in = nn.Linear(state_dim, sum(self._split))
        self.hyper_w1 = nn.Linear(self.hypernet_dim, n_agents * self.embed_dim)
        self.hyper_w2 = nn.Linear(self.hypernet_dim, self.embed_dim)
        self.hyper_v = nn.Linear(self.embed_dim, 1)

    def forward(
        self,
        chosen: Float[Tensor, "*batch N"],
        best: Float[Tensor, "*batch N"],
        actions: Int[Tensor, "*batch N"],
        state: Float[Tensor, "*batch S"],
    ) -> Float[Tensor, "*batch"]:
        """Return `q_tot`; only `chosen` and `state` count."""
        shape = chosen.shape[:-1]
        utilities, state = chosen.reshape(-1, self.n_agents), state.reshape(-1, self.state_dim)
        for_w1, for_w2, for_v, b1 = self.hyper_in(state).split(self._split, dim=-1)
        w1 = self.hyper_w1(functional.relu(for_w1)).abs().view(-1, self.n_agents, self.embed_dim)
        w2 = self.hyper_w2(functional.relu(for_w2)).abs()
        v = self.hyper_v(functional.relu(for_v))[:, 0]
        hidden = functional.elu((utilities[..., None] * w1).sum(dim=1) + b1)
        return ((hidden * w2).sum(dim=1) + v).view(shape)
