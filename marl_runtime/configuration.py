"""Frozen dataclasses to and from JSON; an unknown key is an error that names the nearest valid one."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from buffers.errors import CorruptFileError, UnknownNameError

__all__ = ["from_json", "to_json"]

Config = TypeVar("Config")


def to_json(config: Any) -> dict[str, Any]:
    """Return the dataclass `config` as plain JSON values."""
    return dataclasses.asdict(config)


def from_json(kind: type[Config], value: Mapping[str, Any], where: object) -> Config:
    """Return a `kind` made from what `to_json` wrote into the file `where`.

    An unknown key raises `UnknownNameError`, a value of another type `CorruptFileError`.
    """
    _require_known(kind, value)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise CorruptFileError(f"{where} is damaged: {error}") from error


def _require_known(kind: Any, value: Any) -> None:
    if not dataclasses.is_dataclass(kind) or not isinstance(value, Mapping):
        return
    names = [f.name for f in dataclasses.fields(kind)]
    hints = typing.get_type_hints(kind)
    for name, entry in value.items():
        if name not in names:
            raise UnknownNameError(f"{getattr(kind, '__name__', kind)} option", name, names)
        _require_known(hints[name], entry)
