"""Methods that are compared under the same learner; one file each, and one line here."""

from __future__ import annotations

from buffers.errors import UnknownNameError
from marl_runtime.methods.base import Carry, Method, MethodConfig, MethodInputs, Unrolled
from marl_runtime.methods.direct import Direct
from marl_runtime.methods.enc_zero import EncZero
from marl_runtime.methods.lmac import Lmac
from marl_runtime.methods.qmix import Qmix
from marl_runtime.methods.qmix_state import QmixState

__all__ = [
    "Carry",
    "Method",
    "MethodConfig",
    "MethodInputs",
    "Unrolled",
    "build_method",
    "find_method",
    "method_names",
]

_METHODS: dict[str, type[Method]] = {method.name: method for method in (Qmix, Direct, EncZero, Lmac, QmixState)}


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
