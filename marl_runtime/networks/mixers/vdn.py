"""VDN: the joint value is the sum of the utilities (Sunehag et al. 2018)."""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from marl_runtime.networks.mixers.base import Mixer

__all__ = ["VdnMixer"]


class VdnMixer(Mixer):
    """Add the utilities up; the state plays no part."""

    name = "vdn"

    def forward(
        self,
        chosen: Float[Tensor, "*batch N"],
        best: Float[Tensor, "*batch N"],
        actions: Int[Tensor, "*batch N"],
        state: Float[Tensor, "*batch S"],
    ) -> Float[Tensor, "*batch"]:
        """Return `q_tot`."""
        return chosen.sum(dim=-1)
