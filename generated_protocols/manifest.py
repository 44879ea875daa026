"""A protocol's manifest: what it was made for, from what, how good it was, and the hashes that freeze it.

<folder>/
    part0.py [part1.py part2.py]   the sources that people read and edit
    joint0.py […]                  instead of them: published joint modules that were imported
    manifest.json  schema.json     this file's `Manifest`, and the task layout it was made for
    frozen/<n>/                    the sources and manifest of each version that was frozen
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

from buffers.errors import CorruptFileError, NotFrozenError, RejectedError, nearest
from buffers.files import read_json_object, require_form
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Component
from generated_protocols.execution import source_hash

__all__ = [
    "CONTRACT_VERSION",
    "Component",
    "Manifest",
    "edited_parts",
    "freeze",
    "joint_sources",
    "part_sources",
    "read_frozen",
    "read_manifest",
    "require_unedited",
]

CONTRACT_VERSION = 1
MAX_PARTS = 10
_PART = re.compile(r"part(\d)\.py")
_JOINT = re.compile(r"joint(\d)\.py")


class _Interval(TypedDict):
    mean: float
    low: float
    high: float


class _Card(TypedDict):
    """What is shown of a score card's summary."""

    success_full: float
    success_empty: float
    success_zero: float
    skill_full: float
    skill_empty: float
    scored: list[str]
    gain: _Interval


# what is shown of an entry of `Manifest.scores`; functional because "pass" is a keyword
_Entry = TypedDict(
    "_Entry",
    {
        "pass": int | str | None,
        "part": str | None,
        "reason": str,
        "card": _Card | None,
        "message_dim": int | None,
        "bits_per_step": float | None,
    },
    total=False,
)


class _Bandwidth(TypedDict, total=False):
    varying: list[int]
    speaking: list[float]
    bits_per_step: list[float]
    total: float


class _DataSet(TypedDict, total=False):
    hash: str
    gathering: dict[str, Any]
    episodes: int
    steps: int


class _Joint(TypedDict):
    """One imported module: its part number, the file it came from, its window (0: one step), why it is left out."""

    part: int
    file: str
    window: int
    width: int
    reason: str


class _Measured(TypedDict, total=False):
    """The entries of a manifest whose form its annotations leave open."""

    message: list[Component]
    payload: list[Component]
    scores: list[_Entry]
    bandwidth: _Bandwidth
    data_set: _DataSet
    joint: list[_Joint]


@dataclass(frozen=True)
class Manifest:
    """What a protocol's folder records beside its sources.

    `parts` maps file names to SHA-256; `message` and `payload` list components as (part, name, width); `state_fields`
    maps the state fields that the protocol is meant to tell to their measured (low, high). `scores` has one entry per
    pass: what was measured before and after. `calls` is what a language model was asked for: requests, tokens, cost.
    `frozen` counts the frozen versions. `joint` lists the modules of an imported joint protocol; empty for parts.
    """

    task: str
    layout_hash: str
    contract: int = CONTRACT_VERSION
    window: int = 10
    parts: Mapping[str, str] = field(default_factory=dict)
    message: Sequence[Mapping[str, Any]] = ()
    payload: Sequence[Mapping[str, Any]] = ()
    state_fields: Mapping[str, Sequence[float]] = field(default_factory=dict)
    data_set: Mapping[str, Any] = field(default_factory=dict)
    designer: str = "manual"
    model: str = ""
    prompt_versions: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, Any] = field(default_factory=dict)
    scores: Sequence[Mapping[str, Any]] = ()
    bandwidth: Mapping[str, Any] = field(default_factory=dict)
    validator: int = 0
    seed: int = 0
    created_at: str = ""
    frozen: int = 0
    frozen_at: str = ""
    edited_by_hand: bool = False
    scored: bool = True
    reviewed_by: Sequence[Mapping[str, str]] = ()
    joint: Sequence[Mapping[str, Any]] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any], where: Path) -> Manifest:
        """Read a manifest; an entry that is unknown, missing or of another form raises `CorruptFileError` naming it."""
        known = {f.name for f in fields(cls)}
        for name in value:
            if name not in known:
                close = nearest(name, known)
                hint = f", did you mean {close[0]!r}?" if close else ""
                raise CorruptFileError(f"{where}: unknown entry {name!r}{hint}")
        require_form(value, cls, where)
        require_form(value, _Measured, where)
        manifest = cls(**value)
        if manifest.contract != CONTRACT_VERSION:
            raise RejectedError(
                f"{where}: written for contract version {manifest.contract}, this program runs {CONTRACT_VERSION}; "
                "design the protocol again"
            )
        return manifest


def part_sources(path: Path) -> dict[int, bytes]:
    """Return the sources in a protocol's folder, by part number, in order; none raises `RejectedError`."""
    if not path.is_dir():
        raise RejectedError(f"{path} is not a folder; a protocol is a folder with part0.py and manifest.json")
    found = {int(m[1]): file for file in path.iterdir() if (m := _PART.fullmatch(file.name)) and file.is_file()}
    if not found and joint_sources(path):
        raise RejectedError(
            f"{path} holds an imported joint protocol (joint0.py), no parts: `show`, `train` and `evaluate` take it; "
            "to change it, edit the modules that it came from and import them again"
        )
    if not found:
        raise RejectedError(f"{path} holds no part0.py: there is no protocol in it")
    return {number: found[number].read_bytes() for number in sorted(found)}


def joint_sources(path: Path) -> dict[str, bytes]:
    """Return the sources of an imported joint protocol by file name, in order; none where there are none."""
    return {file.name: file.read_bytes() for file in sorted(path.glob("joint*.py")) if _JOINT.fullmatch(file.name)}


def require_unedited(path: Path, manifest: Manifest, sources: Mapping[str, bytes]) -> None:
    """Raise `NotFrozenError` where the sources of an imported joint protocol are not those that were imported."""
    edited = _changed(manifest, sources)
    if edited:
        raise NotFrozenError(
            f"{path} was edited after it was imported ({', '.join(edited)} changed); import the modules again"
        )


def read_manifest(path: Path) -> Manifest:
    """Read `manifest.json` of the protocol in folder `path`."""
    file = path / "manifest.json"
    try:
        value = read_json_object(file)
    except FileNotFoundError as error:
        raise NotFrozenError(
            f"{path} has no manifest.json: it was never frozen. Freeze it with: design-protocol freeze {path}"
        ) from error
    return Manifest.from_json(value, file)


def read_schema(path: Path) -> TaskSchema:
    """Read `schema.json` of the protocol in folder `path`: the layout it was made for, with measured ranges."""
    file = path / "schema.json"
    try:
        return TaskSchema.from_json(read_json_object(file))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorruptFileError(f"{file} is missing or damaged: {error}") from error


def edited_parts(manifest: Manifest, sources: Mapping[int, bytes]) -> list[str]:
    """Return the part files that differ from the manifest's hashes, were added, or are gone."""
    return _changed(manifest, {f"part{number}.py": source for number, source in sources.items()})


def _changed(manifest: Manifest, sources: Mapping[str, bytes]) -> list[str]:
    now = {name: source_hash(source) for name, source in sources.items()}
    return sorted(name for name in {*now, *manifest.parts} if now.get(name) != manifest.parts.get(name))


def read_frozen(path: Path, schema: TaskSchema, *, require_frozen: bool = True) -> tuple[Manifest, dict[int, bytes]]:
    """Return the manifest and the sources of the protocol at `path`, which must fit `schema` and be frozen."""
    sources = part_sources(path)
    manifest = read_manifest(path)
    schema.require_same_layout(read_schema(path), f"the protocol {path}")
    if require_frozen:
        if not manifest.frozen_at:
            raise NotFrozenError(f"{path} was never frozen. Freeze it with: design-protocol freeze {path}")
        edited = edited_parts(manifest, sources)
        if edited:
            raise NotFrozenError(
                f"{path} was edited after it was frozen ({', '.join(edited)} changed). "
                f"Check and freeze it again with: design-protocol freeze {path}"
            )
    return manifest, sources


def freeze(path: Path, manifest: Manifest, schema: TaskSchema, checked: Mapping[int, bytes] | None = None) -> Manifest:
    """Freeze the sources in `path` as they are: hash them, keep a copy under `frozen/<n>/`, write the manifest last.

    A kill leaves the version before or the new one, never half of one. Sources that are not any more those that were
    `checked` raise `RejectedError`.
    """
    sources = part_sources(path)
    if checked is not None and sources != dict(checked):
        raise RejectedError(f"{path} was edited while it was being checked; nothing is frozen, freeze it again")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    number = 1 + max((int(p.name) for p in (path / "frozen").glob("*") if p.name.isdigit()), default=0)
    frozen = replace(
        manifest,
        layout_hash=schema.layout_hash,
        parts={f"part{n}.py": source_hash(source) for n, source in sources.items()},
        created_at=manifest.created_at or now,
        frozen=number,
        frozen_at=now,
    )
    partial = path / "frozen" / f".{number}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for n, source in sources.items():
        (partial / f"part{n}.py").write_bytes(source)
    text = json.dumps(frozen.to_json(), indent=2) + "\n"
    (partial / "manifest.json").write_text(text, encoding="utf-8")
    partial.rename(path / "frozen" / str(number))
    write_atomically(path / "schema.json", json.dumps(schema.to_json(), indent=1) + "\n")
    write_atomically(path / "manifest.json", text)
    return frozen


def write_atomically(path: Path, text: str) -> None:
    """Write `text` so that a kill leaves the old file or the new one."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
