"""The utility network: from what one agent knows to a value per action."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.networks.recurrence import Recurrence

__all__ = ["UtilityNetwork"]


class UtilityNetwork(nn.Module):
    """Linear, ReLU, GRU, Linear; shared over agents (LMAC section 5, as in QMIX).

    F is the width of what an agent knows, H the hidden width, A the number of actions.
    """

    def __init__(self, input_dim: int, hidden_dim: int, n_actions: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.embed = nn.Linear(input_dim, hidden_dim)
        self.memory = Recurrence(hidden_dim)
        self.head = nn.Linear(hidden_dim, n_actions)

    def step(
        self, known: Float[Tensor, "R F"], carry: Float[Tensor, "R H"]
    ) -> tuple[Float[Tensor, "R A"], Float[Tensor, "R H"]]:
        """Return the utilities of one step and the next hidden state."""
        h, carry = self.memory.step(functional.relu(self.embed(known)), carry)
        return self.head(h), carry

    def unroll(self, known: Float[Tensor, "T R F"]) -> Float[Tensor, "T R A"]:
        """Return the utilities of whole sequences."""
        utilities: Tensor = self.head(self.memory.unroll(functional.relu(self.embed(known))))
        return utilities
