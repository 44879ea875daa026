"""The protocol without the encoder: messages straight into the utility network."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from marl_runtime.methods.base import Carry, Features, Method, Now, required
from marl_runtime.networks.batch import TensorBatch, by_row

__all__ = ["Direct"]


class Direct(Method):
    """The utility network on the extended observation and the messages."""

    name = "direct"
    summary = "control: the protocol's messages straight into the utility network, no encoder"
    needs_protocol = True
    needs_messages = True

    @property
    def features_dim(self) -> int:
        """The extended observation and the messages."""
        return self.inputs.schema.extended_dim + self.inputs.message_dim

    @property
    def sent_values(self) -> int | None:
        """The protocol's to say."""
        return None

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation and the messages."""
        return torch.cat([now.extended, required(now.messages, "messages", self.name)], dim=-1), ()

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations and the messages."""
        messages = required(batch.messages, "messages", self.name)
        return Features(torch.cat([by_row(batch.extended), by_row(messages)], dim=-1))
