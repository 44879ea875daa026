"""Frozen dataclasses to and from JSON; an unknown key is an error that names the nearest valid one."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from buffers.errors import UnknownNameError

__all__ = ["from_json", "to_json"]

Config = TypeVar("Config")


def to_json(config: Any) -> dict[str, Any]:
    """Return the dataclass `config` as plain JSON values."""
    return dataclasses.asdict(config)


def from_json(kind: type[Config], value: Mapping[str, Any]) -> Config:
    """Return a `kind` made from what `to_json` wrote; an unknown key raises `UnknownNameError`."""
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    arguments: dict[str, Any] = {}
    for name, entry in value.items():
        if name not in fields:
            raise UnknownNameError(f"{kind.__name__} option", name, fields)
        hint = hints[name]
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            arguments[name] = from_json(hint, entry)
        else:
            arguments[name] = tuple(entry) if isinstance(entry, list) else entry
    return kind(**arguments)
