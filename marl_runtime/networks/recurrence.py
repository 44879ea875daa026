"""A gated recurrent unit over whole sequences and over single steps, with an optional residual."""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

__all__ = ["Recurrence", "Residual"]

# Where the input is added to the hidden state: nowhere; to the output alone; or to the hidden state that is carried.
Residual = Literal["none", "output", "carried"]


class Recurrence(nn.Module):
    """A GRU cell of one width H, carried over a sequence.

    `residual` is "none" for a plain GRU, "output" for `GRU(x) + x` with the plain state carried, and "carried" for the
    published communication encoder, whose sum `h = GRUCell(x, h) + x` is the next step's hidden state.
    """

    def __init__(self, width: int, residual: Residual = "none") -> None:
        super().__init__()
        self.residual = residual
        self.gru = nn.GRU(width, width)

    def step(
        self, x: Float[Tensor, "R H"], carry: Float[Tensor, "R H"]
    ) -> tuple[Float[Tensor, "R H"], Float[Tensor, "R H"]]:
        """Return the output and the next carry of one step."""
        w_ih, w_hh, b_ih, b_hh = self.gru.parameters()
        h = torch.gru_cell(x, carry, w_ih, w_hh, b_ih, b_hh)
        if self.residual == "none":
            return h, h
        output = h + x
        return output, output if self.residual == "carried" else h

    def unroll(self, x: Float[Tensor, "T R H"]) -> Float[Tensor, "T R H"]:
        """Return the outputs of a whole sequence that starts from a zero state."""
        if self.residual == "carried":
            carry = torch.zeros_like(x[0])
            outputs = []
            for x_t in x.unbind(0):
                output, carry = self.step(x_t, carry)
                outputs.append(output)
            return torch.stack(outputs)
        h, _ = self.gru(x)
        return h if self.residual == "none" else h + x
