"""What every mixer is."""

from __future__ import annotations

import abc
from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor, nn

__all__ = ["Mixer"]


class Mixer(nn.Module, abc.ABC):
    """A joint value whose greatest joint action is made of each agent's own (IGM), so that agents may choose alone."""

    name: ClassVar[str]

    def __init__(self, n_agents: int, state_dim: int, n_actions: int) -> None:
        super().__init__()
        self.n_agents = n_agents
        self.state_dim = state_dim
        self.n_actions = n_actions

    @abc.abstractmethod
    def forward(
        self,
        chosen: Float[Tensor, "*batch N"],
        best: Float[Tensor, "*batch N"],
        actions: Int[Tensor, "*batch N"],
        state: Float[Tensor, "*batch S"],
    ) -> Float[Tensor, "*batch"]:
        """Return `q_tot` of `actions`.

        `chosen` holds their utilities, and `best` the greatest utility of an action that is available to each agent.
        """
