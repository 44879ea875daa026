"""The control for the claim that messages help: LMAC's encoder, losses and parameters, and silence."""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor

from marl_runtime.methods.lmac import Lmac

__all__ = ["EncZero"]


class EncZero(Lmac):
    """LMAC with zeros for messages; the protocol gives their width alone, so that the parameters are the same."""

    name = "enc_zero"
    summary = "control: the same encoder and losses, zeros for messages"
    needs_messages = False

    @property
    def sent_values(self) -> int | None:
        """Nothing."""
        return 0

    def heard(
        self,
        messages: Tensor | None,
        extended: Float[Tensor, "*batch N D"],
        links: Bool[Tensor, "*batch N N"] | None,
    ) -> Float[Tensor, "*batch N M"]:
        """Return zeros, whatever was sent."""
        return extended.new_zeros(*extended.shape[:-1], self.inputs.message_dim)
