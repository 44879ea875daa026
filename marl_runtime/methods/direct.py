"""The protocol without the encoder: messages straight into the utility network."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from marl_runtime.methods.base import Carry, Method, MethodConfig, MethodInputs, Unrolled, required
from marl_runtime.networks.batch import TensorBatch, by_episode, by_row
from marl_runtime.networks.utility import UtilityNetwork

__all__ = ["Direct"]


class Direct(Method):
    """The utility network on the extended observation and the messages."""

    name = "direct"
    summary = "control: the protocol's messages straight into the utility network, no encoder"
    needs_protocol = True
    needs_messages = True

    def __init__(self, inputs: MethodInputs, config: MethodConfig) -> None:
        super().__init__(inputs, config)
        schema = inputs.schema
        self.utility = UtilityNetwork(schema.extended_dim + inputs.message_dim, config.hidden_dim, schema.n_actions)

    @torch.inference_mode()
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step and the next carry."""
        q, h = self.utility.step(torch.cat([extended, required(messages, "messages", self.name)], dim=-1), carry[0])
        return q, (h,)

    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes."""
        messages = required(batch.messages, "messages", self.name)
        known = torch.cat([by_row(batch.extended), by_row(messages)], dim=-1)
        return Unrolled(by_episode(self.utility.unroll(known), batch.n_agents))
