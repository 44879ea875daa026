"""Everybody's observation to everybody: into the utility network, or through LMAC's encoder."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from buffers.schema import TaskSchema
from marl_runtime.methods.base import Carry, Features, Method, Now, required
from marl_runtime.methods.lmac import Lmac
from marl_runtime.networks.batch import TensorBatch, by_row

__all__ = ["EncFull", "FullComm"]


def others_observations(
    extended: Float[Tensor, "*batch N D"], links: Bool[Tensor, "*batch N N"], schema: TaskSchema
) -> Float[Tensor, "*batch N N*O"]:
    """Return the observations that reach each agent, by sender; zeros for oneself, the dead and the lost."""
    obs = extended[..., : schema.obs_dim]
    return (obs[..., None, :, :] * links[..., None]).flatten(-2)


class FullComm(Method):
    """The utility network on the extended observation and all other agents' observations."""

    name = "full_comm"
    summary = "everybody's observation to everybody, straight into the utility network"
    needs_links = True

    @property
    def features_dim(self) -> int:
        """The extended observation and N observations."""
        schema = self.inputs.schema
        return schema.extended_dim + schema.n_agents * schema.obs_dim

    @property
    def sent_values(self) -> int | None:
        """The whole observation."""
        return self.inputs.schema.obs_dim

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation and the others' observations."""
        links, schema = required(now.links, "links", self.name), self.inputs.schema
        extended = now.extended.unflatten(0, (-1, schema.n_agents))  # type: ignore[no-untyped-call]
        heard = others_observations(extended, links, schema).flatten(0, 1)
        return torch.cat([now.extended, now.arriving(heard)], dim=-1), ()

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations and the others' observations."""
        heard = others_observations(batch.extended, batch.links, self.inputs.schema)
        return Features(by_row(torch.cat([batch.extended, heard], dim=-1)))


class EncFull(Lmac):
    """LMAC with everybody's observation for messages: what a protocol that chooses nothing is worth.

    The protocol gives the state fields to rebuild. The encoder's first layer is wider than LMAC's.
    """

    name = "enc_full"
    summary = "control: the same encoder and losses, everybody's observation for messages"
    needs_messages = False
    needs_links = True

    @property
    def heard_dim(self) -> int:
        """N observations."""
        return self.inputs.schema.n_agents * self.inputs.schema.obs_dim

    @property
    def sent_values(self) -> int | None:
        """The whole observation."""
        return self.inputs.schema.obs_dim

    def heard(
        self,
        messages: Tensor | None,
        extended: Float[Tensor, "*batch N D"],
        links: Bool[Tensor, "*batch N N"] | None,
    ) -> Float[Tensor, "*batch N M"]:
        """Return the others' observations."""
        links, schema = required(links, "links", self.name), self.inputs.schema
        by_agent = extended.reshape(*links.shape[:-2], schema.n_agents, -1)
        return others_observations(by_agent, links, schema).reshape(*extended.shape[:-1], -1)
