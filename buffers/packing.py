"""Episodes as they lie in files: the steps that were played, end to end, without padding."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array, IntArray
from buffers.errors import CorruptFileError, LayoutMismatchError
from buffers.schema import TaskSchema

__all__ = [
    "action_dtype",
    "concatenate",
    "file_sha256",
    "fsync_folder",
    "pack",
    "read_arrays",
    "unpack",
    "write_arrays",
    "write_bytes",
]

_ENTRIES = ("obs", "state", "avail_actions", "alive", "messages")  # T + 1 of them
_STEPS = ("actions", "rewards", "terminated", "truncated")  # T of them


def action_dtype(n_actions: int) -> np.dtype[Any]:
    """Return the smallest unsigned integer type that holds every action."""
    return np.dtype(np.min_scalar_type(n_actions - 1))


def _played(lengths: IntArray, n_steps: int) -> tuple[BoolArray, BoolArray]:
    """Return which entries `[B, T+1]` and which steps `[B, T]` belong to episodes of `lengths` `[B]`."""
    steps = np.arange(n_steps + 1)
    entries = steps <= lengths[:, None]
    return entries, entries[:, 1:]


def pack(batch: EpisodeBatch, schema: TaskSchema) -> dict[str, NDArray[Any]]:
    """Return the played steps of `batch` end to end, `[sum(lengths) (+ B), …]`, with `lengths` and `success` `[B]`."""
    lengths = batch.lengths
    entries, steps = _played(lengths, batch.n_steps)
    packed: dict[str, NDArray[Any]] = {"lengths": lengths, "success": batch.success}
    for name in _ENTRIES:
        array = getattr(batch, name)
        if array is not None:
            packed[name] = array[entries]
    for name in _STEPS:
        packed[name] = getattr(batch, name)[steps]
    packed["actions"] = packed["actions"].astype(action_dtype(schema.n_actions))
    return packed


def unpack(
    packed: Mapping[str, NDArray[Any]], schema: TaskSchema, n_steps: int, index: IntArray | None = None
) -> EpisodeBatch:
    """Return what `pack` was given, padded to `n_steps`; with `index`, only those episodes in that order."""
    lengths = packed["lengths"]
    first = np.concatenate([[0], np.cumsum(lengths)])[:-1]  # of each episode's steps
    chosen = np.arange(len(lengths)) if index is None else np.asarray(index)
    kept = lengths[chosen]
    entries, steps = _played(kept, n_steps)
    step_rows = _ranges(first[chosen], kept)
    entry_rows = _ranges(first[chosen] + chosen, kept + 1)
    out: dict[str, Any] = {"success": packed["success"][chosen], "filled": steps}
    for name, places, rows in [*((n, entries, entry_rows) for n in _ENTRIES), *((n, steps, step_rows) for n in _STEPS)]:
        if name not in packed:
            out[name] = None
            continue
        flat = packed[name]
        dtype = np.int64 if name == "actions" else flat.dtype
        padded = np.zeros((*places.shape, *flat.shape[1:]), dtype=dtype)
        if name == "avail_actions":
            padded[..., 0] = True
        padded[places] = flat[rows]
        out[name] = padded
    return EpisodeBatch(**out)


def _ranges(first: IntArray, counts: IntArray) -> IntArray:
    """Return counts[0] numbers from first[0] upwards, then counts[1] from first[1], and so on, as one array."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - counts), counts)


def concatenate(batches: list[EpisodeBatch]) -> EpisodeBatch:
    """Return the episodes of all `batches` (padded to one length) as one batch, in order."""
    names = [name for name in EpisodeBatch.__dataclass_fields__ if getattr(batches[0], name) is not None]
    return EpisodeBatch(**{name: np.concatenate([getattr(b, name) for b in batches]) for name in names})


def write_bytes(path: Path, content: bytes) -> str:
    """Write `content` to a new file that is on the disk when this returns, and return its SHA-256."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return hashlib.sha256(content).hexdigest()


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write `arrays` as safetensors, flushed to the disk, and return the file's SHA-256."""
    return write_bytes(path, safetensors.numpy.save({k: np.ascontiguousarray(v) for k, v in arrays.items()}))


def read_arrays(path: Path, names: tuple[str, ...] | None = None) -> dict[str, NDArray[Any]]:
    """Read the arrays of a safetensors file (`names` of them); a damaged file raises `CorruptFileError`."""
    try:
        with safetensors.safe_open(path, framework="np") as file:
            return {name: file.get_tensor(name) for name in (file.keys() if names is None else names)}
    except FileNotFoundError as error:
        raise CorruptFileError(f"{path} is missing") from error
    except (safetensors.SafetensorError, ValueError) as error:
        raise CorruptFileError(f"{path} is half-written or damaged: {error}") from error


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file; a missing one raises `CorruptFileError`."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise CorruptFileError(f"{path} is missing") from error


def fsync_folder(folder: Path) -> None:
    """Make a rename inside `folder` last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def require_schema(batch: EpisodeBatch, schema: TaskSchema, message_dim: int, what: str) -> None:
    """Raise `LayoutMismatchError` when the widths of `batch` are not those of `schema` and `message_dim`."""
    messages = 0 if batch.messages is None else batch.messages.shape[-1]
    pairs = [
        ("agents", batch.obs.shape[2], schema.n_agents),
        ("observation width", batch.obs.shape[3], schema.obs_dim),
        ("state width", batch.state.shape[2], schema.state_dim),
        ("actions", batch.avail_actions.shape[3], schema.n_actions),
        ("message width", messages, message_dim),
    ]
    for name, got, expected in pairs:
        if got != expected:
            raise LayoutMismatchError(f"{what}: {name} {got}, but task {schema.name!r} has {expected}")


def value_ranges(batch: EpisodeBatch, schema: TaskSchema) -> tuple[Float32Array, Float32Array]:
    """Return the lowest and highest value of each state field over played entries where the field means anything.

    Both are `[S]`; a field that never meant anything gives (inf, -inf).
    """
    entries, _ = _played(batch.lengths, batch.n_steps)
    states = batch.state[entries]
    present = np.ones(states.shape, dtype=bool)
    for column, field in enumerate(schema.state_fields):
        if field.present_if:
            present[:, column] = states[:, schema.state_index(field.present_if)] > 0
    low = np.where(present, states, np.inf).min(axis=0, initial=np.inf)
    high = np.where(present, states, -np.inf).max(axis=0, initial=-np.inf)
    return low.astype(np.float32), high.astype(np.float32)
