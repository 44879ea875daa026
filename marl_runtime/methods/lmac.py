"""LMAC: messages through the meta-cognitive, cycle-consistent encoder (LMAC section 5)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from marl_runtime.methods.base import Carry, Method, MethodConfig, MethodInputs, Unrolled, required
from marl_runtime.networks.batch import TensorBatch, by_episode, by_row
from marl_runtime.networks.communication import CommunicationModule
from marl_runtime.networks.utility import UtilityNetwork

__all__ = ["Lmac"]


class Lmac(Method):
    """The utility network on the extended observation and the latent z.

    z is detached before the utility network: TD never trains the communication module, and reconstruction, SAI and
    cycle losses never train the utility network.
    """

    name = "lmac"
    summary = "the protocol's messages through the SAI-supervised, cycle-consistent encoder"
    needs_protocol = True
    needs_messages = True

    def __init__(self, inputs: MethodInputs, config: MethodConfig) -> None:
        super().__init__(inputs, config)
        if not inputs.target_fields:
            raise ValueError(f"method {self.name!r} needs at least one state field to rebuild")
        schema = inputs.schema
        self.communication = CommunicationModule(
            schema.extended_dim + inputs.message_dim,
            torch.tensor(inputs.target_low),
            torch.tensor(inputs.target_high),
            hidden_dim=config.hidden_dim,
            latent_dim=config.latent_dim,
            dropout=config.dropout,
            alpha=config.alpha,
            residual="carried" if config.encoder_loop == "published" else "output",
        )
        self.utility = UtilityNetwork(schema.extended_dim + config.latent_dim, config.hidden_dim, schema.n_actions)

    @property
    def carry_widths(self) -> tuple[int, ...]:
        """The encoder's hidden state and the utility network's."""
        return (self.config.hidden_dim, self.config.hidden_dim)

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """Return the parameters by the loss that trains them."""
        return {
            "utility": list(self.utility.parameters()),
            "communication": list(self.communication.parameters()),
        }

    def heard(self, messages: Tensor | None, extended: Float[Tensor, "*rows D"]) -> Float[Tensor, "*rows M"]:
        """Return what reaches the encoder of the `messages`; a control puts something else in their place."""
        return required(messages, "messages", self.name)

    @torch.inference_mode()
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step and the next carry."""
        heard = self.heard(messages, extended)
        z, encoder_h = self.communication.encoder.step(torch.cat([extended, heard], dim=-1), carry[0])
        q, utility_h = self.utility.step(torch.cat([extended, z], dim=-1), carry[1])
        return q, (encoder_h, utility_h)

    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes, and in training mode the communication module's losses."""
        extended, heard = by_row(batch.extended), by_row(self.heard(batch.messages, batch.extended))
        latent = self.communication.encoder.unroll(torch.cat([extended, heard], dim=-1))
        known = torch.cat([extended, latent.z.detach()], dim=-1)
        q = by_episode(self.utility.unroll(known), batch.n_agents)
        if not self.training:
            return Unrolled(q)
        # what an agent knew when it chose: the observation after the last step is left out
        receivers = by_row(batch.receivers[..., None]).flatten().nonzero().flatten()
        states = batch.state.transpose(0, 1).flatten(0, 1).index_select(0, receivers // batch.n_agents)
        losses, logs = self.communication.losses(latent, states[:, list(self.inputs.target_fields)], receivers)
        return Unrolled(q, losses, logs)
