"""Policies written by hand, in families that a map's file picks and parametrises: checks of the simulator, and
reference lines beside learning curves.

A family plays a map without messages (`blind`), with messages of what its agents could tell each other (`shared`) and
with true positions (`oracle`); `Family.references` names these where they have other names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import msgspec

from buffers.errors import RejectedError, nearest
from marl_runtime.environment import ScriptedPolicy
from marl_runtime.skirmish.maps import MapFile
from marl_runtime.skirmish.scripted import focus, junction, ring, seek

__all__ = ["FAMILIES", "Family", "policies_of", "references_of"]

Policies = Mapping[str, Callable[[], ScriptedPolicy]]


@dataclass(frozen=True)
class _None:
    """A family without parameters."""


@dataclass(frozen=True)
class Family:
    """One way to play: `make` gives its policies for `settings`, the dataclass of what a map's file may say."""

    make: Callable[[Any], Policies]
    settings: type[Any] = _None
    references: Mapping[str, str] | None = None


def _plain(*policies: type[ScriptedPolicy]) -> Family:
    return Family(lambda _: {policy.name: policy for policy in policies})


FAMILIES: Mapping[str, Family] = {
    "focus": Family(focus.policies, focus.FocusSettings),
    "junction": Family(
        _plain(junction.Rush, junction.Clock, junction.Share, junction.Oracle).make,
        references={"blind": "clock", "shared": "share"},
    ),
    "ring": _plain(ring.Blind, ring.Shared, ring.Oracle),
    "seek": Family(seek.policies, seek.SeekSettings),
}


def policies_of(file: MapFile) -> Policies:
    """Return the policies that play a map; an unknown family or parameter raises `RejectedError` with the file."""
    script = file.scripted
    if not script.family:
        return {}
    family = FAMILIES.get(script.family)
    if family is None:
        raise _unknown(file, "scripted.family", script.family, list(FAMILIES))
    known = [f.name for f in fields(family.settings)]
    for name in script.parameters:
        if name not in known:
            raise _unknown(file, f"scripted: parameter of family {script.family!r}", name, ["family", *known])
    try:
        return family.make(msgspec.convert(dict(script.parameters), family.settings))
    except (msgspec.ValidationError, ValueError) as error:
        raise RejectedError(f"{file.path}: scripted: {error}") from error


def references_of(file: MapFile) -> Mapping[str, str]:
    """Return which policy of a map is its `blind`, `shared` and `oracle` one."""
    if not file.scripted.family:
        return {}
    names = {name: name for name in ("blind", "shared", "oracle")}
    return {**names, **(FAMILIES[file.scripted.family].references or {})}


def _unknown(file: MapFile, where: str, name: str, valid: list[str]) -> RejectedError:
    close = nearest(name, valid)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"valid: {', '.join(sorted(valid))}"
    return RejectedError(f"{file.path}: {where}: unknown {name!r}; {hint}")
