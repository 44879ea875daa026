"""No communication: each agent acts on its own history alone."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from marl_runtime.methods.base import Carry, Method, MethodConfig, MethodInputs, Unrolled
from marl_runtime.networks.batch import TensorBatch, by_episode, by_row
from marl_runtime.networks.utility import UtilityNetwork

__all__ = ["Qmix"]


class Qmix(Method):
    """The utility network on the extended observation."""

    name = "qmix"
    summary = "no communication"

    def __init__(self, inputs: MethodInputs, config: MethodConfig) -> None:
        super().__init__(inputs, config)
        self.utility = UtilityNetwork(inputs.schema.extended_dim, config.hidden_dim, inputs.schema.n_actions)

    @torch.inference_mode()
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step and the next carry."""
        q, h = self.utility.step(extended, carry[0])
        return q, (h,)

    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes."""
        return Unrolled(by_episode(self.utility.unroll(by_row(batch.extended)), batch.n_agents))
