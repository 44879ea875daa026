"""Methods that are compared under the same learner; one file each, and one line here."""

from __future__ import annotations

from buffers.errors import UnknownNameError
from marl_runtime.methods.base import Carry, Features, Losses, Method, MethodConfig, MethodInputs, Now, Unrolled
from marl_runtime.methods.cola import Cola
from marl_runtime.methods.commnet import CommNet
from marl_runtime.methods.direct import Direct
from marl_runtime.methods.enc_scrambled import EncRandom, EncShuffled
from marl_runtime.methods.enc_zero import EncZero
from marl_runtime.methods.lmac import Estimate, Lmac
from marl_runtime.methods.maic import Maic
from marl_runtime.methods.masia import Masia
from marl_runtime.methods.ndq import Ndq
from marl_runtime.methods.observations import EncFull, FullComm
from marl_runtime.methods.qmix import Qmix, Qplex, Vdn
from marl_runtime.methods.qmix_state import QmixState
from marl_runtime.methods.qmix_wide import QmixWide
from marl_runtime.methods.sms import Sms
from marl_runtime.methods.t2mac import T2Mac
from marl_runtime.methods.tarmac import TarMac

__all__ = [
    "Carry",
    "Estimate",
    "Features",
    "Losses",
    "Method",
    "MethodConfig",
    "MethodInputs",
    "Now",
    "Unrolled",
    "build_method",
    "find_method",
    "method_names",
]

_METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        *(Qmix, Vdn, Qplex, QmixWide),
        *(Direct, EncZero, EncRandom, EncShuffled, EncFull, Lmac),
        *(FullComm, CommNet, TarMac, Ndq, Maic, Masia, T2Mac, Cola, Sms),
        QmixState,
    )
}


def method_names() -> list[str]:
    """Return the names of all methods, in the order of a comparison's table."""
    return list(_METHODS)


def find_method(name: str) -> type[Method]:
    """Return the method class `name`; an unknown name raises `UnknownNameError` with the nearest ones."""
    if name not in _METHODS:
        raise UnknownNameError("method", name, _METHODS)
    return _METHODS[name]


def build_method(name: str, inputs: MethodInputs, config: MethodConfig | None = None) -> Method:
    """Build the method `name`; its weights mean nothing until a learner draws or loads them."""
    return find_method(name)(inputs, config or MethodConfig())
