"""An upper reference that no decentralised agent can be: the true state in every agent's input."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from marl_runtime.methods.base import Carry, Method, MethodConfig, MethodInputs, Unrolled, required
from marl_runtime.networks.batch import TensorBatch, by_episode, by_row
from marl_runtime.networks.utility import UtilityNetwork

__all__ = ["QmixState"]


class QmixState(Method):
    """The utility network on the extended observation and the state."""

    name = "qmix_state"
    summary = "reference: every agent reads the true state"
    needs_state = True

    def __init__(self, inputs: MethodInputs, config: MethodConfig) -> None:
        super().__init__(inputs, config)
        schema = inputs.schema
        self.utility = UtilityNetwork(schema.extended_dim + schema.state_dim, config.hidden_dim, schema.n_actions)

    @torch.inference_mode()
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step and the next carry."""
        q, h = self.utility.step(torch.cat([extended, required(state, "states", self.name)], dim=-1), carry[0])
        return q, (h,)

    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes."""
        state = by_row(batch.state[:, :, None].expand(-1, -1, batch.n_agents, -1))
        known = torch.cat([by_row(batch.extended), state], dim=-1)
        return Unrolled(by_episode(self.utility.unroll(known), batch.n_agents))
