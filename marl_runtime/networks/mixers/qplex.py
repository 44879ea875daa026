"""QPLEX: a duplex dueling joint value that can represent every IGM function (Wang et al. 2021).

    Q_tot = Σ_i (w_i Q_i + b_i) + Σ_i (λ_i - 1) w_i (Q_i - V_i),    V_i = the greatest available Q_i

w_i > 0 and b_i come from the state, λ_i > 0 from state and joint action. An agent's advantage Q_i - V_i is never above
0, so Q_tot is greatest where every Q_i is.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.networks.mixers.base import Mixer

__all__ = ["QplexMixer"]

LEAST_WEIGHT = 1e-10
"""Added to weights that have to stay above 0."""


class QplexMixer(Mixer):
    """w and b come from two-layer networks of width 64, λ is a sum over 10 heads of |key(s)| agent_i(s) action_i(s, a).

    The advantages do not train the utilities through λ's term, as published: their gradient is stopped there.
    """

    name = "qplex"
    hypernet_dim = 64
    heads = 10

    def __init__(self, n_agents: int, state_dim: int, n_actions: int) -> None:
        super().__init__(n_agents, state_dim, n_actions)
        self.hyper_w = _two_layers(state_dim, self.hypernet_dim, n_agents)
        self.hyper_b = _two_layers(state_dim, self.hypernet_dim, n_agents)
        self.key = nn.Linear(state_dim, self.heads)
        self.agent = nn.Linear(state_dim, self.heads * n_agents)
        self.action = nn.Linear(state_dim + n_agents * n_actions, self.heads * n_agents)

    def forward(
        self,
        chosen: Float[Tensor, "*batch N"],
        best: Float[Tensor, "*batch N"],
        actions: Int[Tensor, "*batch N"],
        state: Float[Tensor, "*batch S"],
    ) -> Float[Tensor, "*batch"]:
        """Return `q_tot`."""
        weight = self.hyper_w(state).abs() + LEAST_WEIGHT
        value = (weight * chosen + self.hyper_b(state)).sum(dim=-1)
        advantage = (weight * (chosen - best)).detach()
        return value + ((self._lambda(state, actions) - 1.0) * advantage).sum(dim=-1)

    def _lambda(self, state: Float[Tensor, "*batch S"], actions: Int[Tensor, "*batch N"]) -> Float[Tensor, "*batch N"]:
        joint = functional.one_hot(actions, self.n_actions).flatten(-2).to(state.dtype)
        shape = (*state.shape[:-1], self.heads, self.n_agents)
        key = self.key(state).abs() + LEAST_WEIGHT
        agent = self.agent(state).sigmoid().view(shape)
        action = self.action(torch.cat([state, joint], dim=-1)).sigmoid().view(shape)
        return (key[..., None] * agent * action).sum(dim=-2)


def _two_layers(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
