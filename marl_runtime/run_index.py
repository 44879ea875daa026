"""Runs found again: by the hash of what decides them, how far they are, and whether somebody trains them now."""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
from pathlib import Path
from typing import Any

from buffers.errors import CorruptFileError, UsageError
from buffers.files import read_json_object
from marl_runtime.configuration import from_json, to_json
from marl_runtime.run_folder import RunFolder
from marl_runtime.training_config import TrainConfig

__all__ = ["UNDECIDING", "find_run", "gathering_steps", "is_held", "last_step", "read_config", "run_hash"]


UNDECIDING = ("protocol", "log_every", "checkpoint_every", "wandb")
"""Options that decide nothing about what is learnt; a protocol counts by its content."""


def run_hash(config: TrainConfig, protocol: Path | None = None) -> str:
    """Return the SHA-256 of what decides a run: options that are not at their default, and the protocol's content.

    `protocol` is the folder to read, `config.protocol` unless it is given. Where a protocol lies does not count, nor
    how often a run is logged and saved; and an option that a later version adds changes no hash of runs that leave it
    at its default.
    """
    # through JSON and back, so that 1 and 1.0 are the same
    told = _told(from_json(TrainConfig, to_json(config), "the configuration"))
    for name in UNDECIDING:
        told.pop(name, None)
    folder = protocol if protocol is not None or config.protocol is None else Path(config.protocol)
    return hashlib.sha256(json.dumps([told, _protocol_hash(folder)], sort_keys=True).encode()).hexdigest()


def _told(config: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, as plain values."""
    told = {}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        if value != default:
            told[field.name] = _told(value) if dataclasses.is_dataclass(value) else value
    return told


def _protocol_hash(folder: Path | None) -> str:
    """Return the SHA-256 over a protocol's parts and over what training reads of its manifest; empty without one."""
    if folder is None:
        return ""
    digest = hashlib.sha256()
    for part in sorted([*folder.glob("part*.py"), *folder.glob("joint*.py")]):
        digest.update(part.name.encode() + b"\0" + part.read_bytes())
    try:
        manifest = read_json_object(folder / "manifest.json")
    except (FileNotFoundError, CorruptFileError):  # whoever loads it says so
        manifest = {}
    read = {name: manifest.get(name) for name in ("window", "state_fields")}
    digest.update(json.dumps(read, sort_keys=True).encode())
    return digest.hexdigest()


def read_config(run: Path) -> TrainConfig:
    """Return the configuration of a run, options that came later at their defaults; see `RunFolder.open`."""
    folder = RunFolder.open(run)
    return from_json(TrainConfig, folder.read_json("config.json"), folder.path / "config.json")


def find_run(config: TrainConfig, root: Path) -> Path | None:
    """Return the run under `root` with this configuration and the same protocol, or None.

    A complete one is preferred to one that has further to go, of those the one that is furthest, then the newest.
    """
    wanted = run_hash(config)
    found = []
    for path in sorted(root.glob(f"*-{config.run_name}*/config.json"), reverse=True):
        folder = RunFolder(path.parent)
        try:
            known = run_hash(read_config(folder.path), folder.protocol)
        except (CorruptFileError, UsageError, TypeError, ValueError):  # of another version
            continue
        if known == wanted:
            found.append(folder)
    if not found:
        return None
    return max(found, key=lambda folder: (folder.finished, last_step(folder.path))).path


def last_step(run: Path) -> int:
    """Return the last logged environment step without reading the whole log; 0 before the first."""
    path = run / "metrics.jsonl"
    if not path.exists():
        return 0
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 8192))
        lines = file.read().decode(errors="replace").splitlines()
    for line in reversed(lines):
        try:
            return int(json.loads(line)["step"])
        except (ValueError, KeyError, TypeError):
            continue  # cut by a kill, or by our seek
    return 0


def is_held(run: Path) -> bool:
    """Return whether a living process trains the run."""
    lock = run / ".lock"
    if not lock.exists():
        return False
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def gathering_steps(protocol: Path | None) -> int | None:
    """Return the environment steps that were spent on the data set of a protocol: 0 without one, None if not known.

    They were played before training, so a learning curve with that protocol starts there.
    """
    if protocol is None:
        return 0
    try:
        steps = read_json_object(protocol / "manifest.json").get("data_set", {}).get("steps")
    except (FileNotFoundError, CorruptFileError, AttributeError):
        return None
    return steps if isinstance(steps, int) else None
