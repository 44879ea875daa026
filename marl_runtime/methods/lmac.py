"""LMAC: messages through the meta-cognitive, cycle-consistent encoder (LMAC section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from marl_runtime.methods.base import Carry, Features, Losses, Method, Now, required
from marl_runtime.networks.batch import TensorBatch, by_row
from marl_runtime.networks.communication import CommunicationModule, Latent

__all__ = ["Estimate", "Lmac"]


@dataclass(frozen=True)
class Estimate:
    """What an agent believes of the state, from its latent z alone; no other agent and no training is needed for it.

    `fields` are the K target fields as they are stored, `known` the probability that each is right within `alpha` (the
    SAI head: one less an agent's own uncertainty).
    """

    z: Float[Tensor, "*rows Z"]
    fields: Float[Tensor, "*rows K"]
    known: Float[Tensor, "*rows K"]


class Lmac(Method):
    """The utility network on the extended observation and the latent z.

    z is detached before the utility network, unless the configuration says otherwise: TD never trains the communication
    module, and reconstruction, SAI and cycle losses never train the utility network.
    """

    name = "lmac"
    summary = "the protocol's messages through the SAI-supervised, cycle-consistent encoder"
    needs_protocol = True
    needs_messages = True
    training_only = ("communication.decoder", "communication.cycle")

    def build(self) -> None:
        """Make the communication module."""
        inputs, config = self.inputs, self.config
        if not inputs.target_fields:
            raise ValueError(f"method {self.name!r} needs at least one state field to rebuild")
        self.communication = CommunicationModule(
            inputs.schema.extended_dim + self.heard_dim,
            torch.tensor(inputs.target_low),
            torch.tensor(inputs.target_high),
            hidden_dim=config.hidden_dim,
            latent_dim=config.latent_dim,
            dropout=config.dropout,
            alpha=config.alpha,
            residual="carried" if config.encoder_loop == "published" else "output",
        )

    @property
    def features_dim(self) -> int:
        """The extended observation and z."""
        return self.inputs.schema.extended_dim + self.config.latent_dim

    @property
    def heard_dim(self) -> int:
        """The width of what reaches the encoder beside the extended observation."""
        return self.inputs.message_dim

    @property
    def sent_values(self) -> int | None:
        """The protocol's to say."""
        return None

    @property
    def memory_widths(self) -> tuple[int, ...]:
        """The encoder's hidden state."""
        return (self.config.hidden_dim,)

    def parameter_groups(self) -> dict[str, list[nn.Parameter]]:
        """Return the parameters by the loss that trains them."""
        return {
            "utility": list(self.utility.parameters()),
            "communication": list(self.communication.parameters()),
        }

    def heard(
        self,
        messages: Tensor | None,
        extended: Float[Tensor, "*batch N D"],
        links: Bool[Tensor, "*batch N N"] | None,
    ) -> Float[Tensor, "*batch N M"]:
        """Return what reaches the encoder of the `messages`; a control puts something else in their place.

        In a step the axes N may be rows of several environments, unless the method asks for links.
        """
        return required(messages, "messages", self.name)

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation and z."""
        z, h = self._latent_now(now, carry)
        return torch.cat([now.extended, z], dim=-1), (h,)

    def _latent_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R Z"], Float[Tensor, "R H"]]:
        heard = now.arriving(self.heard(now.messages, now.extended, now.links))
        return self.communication.encoder.step(torch.cat([now.extended, heard], dim=-1), carry[0])

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations and z."""
        links = batch.links if self.needs_links else None
        extended, heard = by_row(batch.extended), by_row(self.heard(batch.messages, batch.extended, links))
        latent = self.communication.encoder.unroll(torch.cat([extended, heard], dim=-1))
        z = latent.z.detach() if self.config.detach_latent else latent.z
        known = torch.cat([extended, z], dim=-1)
        return Features(known, {"z": latent.z, "gate": latent.gate})

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return reconstruction, SAI and cycle loss over the receivers that live."""
        # what an agent knew when it chose: the observation after the last step is left out
        receivers = by_row(batch.receivers[..., None]).flatten().nonzero().flatten()
        states = batch.state.transpose(0, 1).flatten(0, 1).index_select(0, receivers // batch.n_agents)
        latent = Latent(features.parts["z"], features.parts["gate"])
        return Losses(*self.communication.losses(latent, states[:, list(self.inputs.target_fields)], receivers))

    @torch.inference_mode()
    def estimate_now(self, now: Now, carry: Carry) -> Estimate:
        """Return what R agents believe at a step, from the `carry` before it: what `step` with the same acts on."""
        return self.estimate(self._latent_now(now, carry)[0])

    @torch.inference_mode()
    def estimate(self, z: Float[Tensor, "*rows Z"]) -> Estimate:
        """Return what agents whose latent is `z` believe of the state, and how sure they are; no dropout."""
        decoder, module = self.communication.decoder, self.communication
        was_training = decoder.training
        decoder.eval()
        fields, logits = decoder(z)
        decoder.train(was_training)
        return Estimate(z, module.low + fields * module.span, torch.sigmoid(logits))
