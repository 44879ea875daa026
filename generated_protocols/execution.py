"""One part's source as two functions: compiled from the text that was hashed, in a namespace of its own."""

from __future__ import annotations
import __future__

import builtins
import hashlib
import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from generated_protocols.contract import Array, ContractError, Inbox, Observation

__all__ = ["Part", "as_components", "source_hash"]

_BUILTINS = (
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "int", "len", "list", "max", "min", "range",
    "reversed", "round", "slice", "sorted", "sum", "tuple", "zip",
)  # fmt: skip
_CONTRACT = SimpleNamespace(Array=Array, Inbox=Inbox, Observation=Observation)


def source_hash(source: bytes) -> str:
    """Return the SHA-256 of a part's bytes, as manifests record it."""
    return hashlib.sha256(source).hexdigest()


def _import(name: str, _globals: Any = None, _locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """Import what the contract allows. NumPy imports parts of itself lazily through this function, too."""
    if level == 0 and name == "math":
        return math
    if level == 0 and name == "generated_protocols" and fromlist:
        return _CONTRACT
    if level == 0 and name.partition(".")[0] in ("numpy", "__future__"):
        return builtins.__import__(name, {}, {}, fromlist, 0)
    raise ContractError("PD450", f"import of {name!r}", "a protocol imports numpy, math and generated_protocols only")


def _make_read_only(value: Any) -> None:
    """Let no call change an array that is a constant of the module, alone or inside a container."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, dict):
        for inside in value.values():
            _make_read_only(inside)
    elif isinstance(value, tuple | list):
        for inside in value:
            _make_read_only(inside)


class Part:
    """A protocol part: `send`, and `receive` where the source defines one.

    This restricts builtins and imports for hygiene; it is not a sandbox. Code that nobody reviewed runs in
    `protocol_designer.sandbox` only.
    """

    def __init__(self, source: str | bytes, number: int) -> None:
        raw = source.encode() if isinstance(source, str) else source
        self.number = number
        self.file = f"part{number}.py"
        self.source = raw.decode("utf-8-sig")
        self.sha256 = source_hash(raw)
        namespace: dict[str, Any] = {
            "__name__": f"protocol_part{number}",
            "__builtins__": {**{name: getattr(builtins, name) for name in _BUILTINS}, "__import__": _import},
        }
        # annotations are for readers: as text, they need no names
        flags = __future__.annotations.compiler_flag
        exec(compile(self.source, self.file, "exec", flags=flags, dont_inherit=True), namespace)
        for value in namespace.values():
            _make_read_only(value)
        self._send = namespace.get("send")
        self._receive = namespace.get("receive")
        if not callable(self._send):
            raise ContractError("PD451", f"{self.file} defines no function send(own)", "every part sends something")
        self.looks_back = "past" in self.source
        """Whether the part may ask for histories; a stepper keeps none otherwise."""

    @property
    def has_receive(self) -> bool:
        """Whether the part says itself what is kept."""
        return callable(self._receive)

    def send(self, own: Observation) -> dict[str, Array]:
        """Return what goes on the air, by component, as the part returned it: each `[R]` or `[R, k]` float32."""
        assert callable(self._send)
        with np.errstate(all="ignore"):
            return as_components(self._send(own), len(own.agent_id), f"{self.file}: send")

    def receive(self, own: Observation, inbox: Inbox) -> dict[str, Array]:
        """Return what is kept, by component: each `[R]` or `[R, k]` float32."""
        assert callable(self._receive)
        with np.errstate(all="ignore"):
            return as_components(self._receive(own, inbox), len(own.agent_id), f"{self.file}: receive")


def as_components(value: Any, n_rows: int, where: str) -> dict[str, Array]:
    """Check what a function returned and make float32 of it; what breaks the contract raises `ContractError`."""
    if not isinstance(value, Mapping):
        raise ContractError("PD452", f"{where} returned {type(value).__name__}", 'return a dict: {"name": array, …}')
    components: dict[str, Array] = {}
    for name, array in value.items():
        if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or len(name) > 64:
            raise ContractError(
                "PD453", f"{where} has a component named {name!r}", "names are identifiers, at most 64 long"
            )
        found = np.asarray(array)
        if found.dtype.kind not in "fiub":
            raise ContractError(
                "PD454", f"{where}: component {name!r} is of type {found.dtype}", "numbers or bools only"
            )
        if found.ndim not in (1, 2) or found.shape[0] != n_rows or 0 in found.shape[1:]:
            raise ContractError(
                "PD455",
                f"{where}: component {name!r} has shape {found.shape} for {n_rows} rows",
                "[R] or [R, k] is needed",
            )
        components[name] = found.astype(np.float32)
    return components
