"""No communication: each agent acts on its own history alone; and the same under the other mixers."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from marl_runtime.methods.base import Carry, Features, Method, Now
from marl_runtime.networks.batch import TensorBatch, by_row

__all__ = ["Qmix", "Qplex", "Vdn"]


class Qmix(Method):
    """The utility network on the extended observation."""

    name = "qmix"
    summary = "no communication"

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation."""
        return now.extended, ()

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations."""
        return Features(by_row(batch.extended))


class Vdn(Qmix):
    """`qmix` whose utilities are added up (Sunehag et al. 2018)."""

    name = "vdn"
    summary = "no communication, the joint value is the sum of the utilities"
    mixer = "vdn"


class Qplex(Qmix):
    """`qmix` under the duplex dueling mixer (Wang et al. 2021)."""

    name = "qplex"
    summary = "no communication, the duplex dueling mixer"
    mixer = "qplex"
