"""An upper reference that no decentralised agent can be: the true state in every agent's input."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from marl_runtime.methods.base import Carry, Features, Method, Now, required
from marl_runtime.networks.batch import TensorBatch, by_row

__all__ = ["QmixState"]


class QmixState(Method):
    """The utility network on the extended observation and the state."""

    name = "qmix_state"
    summary = "reference: every agent reads the true state"
    needs_state = True

    @property
    def features_dim(self) -> int:
        """The extended observation and the state."""
        return self.inputs.schema.extended_dim + self.inputs.schema.state_dim

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation and the state."""
        return torch.cat([now.extended, required(now.state, "states", self.name)], dim=-1), ()

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations and the states."""
        state = by_row(batch.state[:, :, None].expand(-1, -1, batch.n_agents, -1))
        return Features(torch.cat([by_row(batch.extended), state], dim=-1))
