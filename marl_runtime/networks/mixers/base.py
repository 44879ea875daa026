"""What every mixer is."""

from __future__ import annotations

import abc
from typing import ClassVar

from jaxtyping import Float
from torch import Tensor, nn

__all__ = ["Mixer"]


class Mixer(nn.Module, abc.ABC):
    """A joint value that rises with each agent's utility, so that greedy agents are jointly greedy."""

    name: ClassVar[str]

    def __init__(self, n_agents: int, state_dim: int) -> None:
        super().__init__()
        self.n_agents = n_agents
        self.state_dim = state_dim

    @abc.abstractmethod
    def forward(
        self, utilities: Float[Tensor, "*batch N"], state: Float[Tensor, "*batch S"]
    ) -> Float[Tensor, "*batch"]:
        """Return `q_tot` of the chosen utilities."""
