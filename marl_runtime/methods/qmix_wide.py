"""The control for size: `qmix` with as many parameters per agent as `lmac` executes with."""

from __future__ import annotations

from functools import cached_property

from marl_runtime.methods.lmac import Lmac
from marl_runtime.methods.qmix import Qmix

__all__ = ["QmixWide"]


class QmixWide(Qmix):
    """`qmix` of the smallest width that gives an agent no fewer parameters than `lmac`'s encoder and utility network.

    The protocol gives the width of `lmac`'s input alone; nothing is heard.
    """

    name = "qmix_wide"
    summary = "control: no communication, as many parameters as lmac executes with"
    needs_protocol = True

    @property
    def utility_dim(self) -> int:
        """The width W with W (D + 1) + 6 W (W + 1) + A (W + 1) parameters: embedding, GRU, head."""
        return self._width

    @cached_property
    def _width(self) -> int:
        wanted = Lmac(self.inputs, self.config).executed_parameters
        inputs, actions = self.features_dim + 1, self.inputs.schema.n_actions
        width = 1
        while width * inputs + 6 * width * (width + 1) + actions * (width + 1) < wanted:
            width += 1
        return width
