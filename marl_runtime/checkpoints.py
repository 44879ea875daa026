"""Checkpoints that survive a kill at any moment.

    <run>/checkpoints/
        step-0000050016/learner.safetensors     every tensor: weights, targets, optimiser, torch's generator
        step-0000050016/checkpoint.json         counters, generators, the tree that the tensors hang in, SHA-256 of all
        replay/00000000-00002500.safetensors    an immutable segment of the replay buffer; checkpoints share them
        best-0000040032/…                       the policy of the best evaluation, to act with

A checkpoint is written into a folder of another name, flushed to the disk and renamed. The last two are kept, and the
newest best one.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from buffers.errors import CorruptFileError, ResourceError
from buffers.memory import naming_full_disk
from buffers.packing import file_sha256, fsync_folder, pack, read_arrays, unpack, write_arrays, write_bytes
from buffers.replay import ReplayBuffer
from buffers.schema import TaskSchema

__all__ = [
    "CHECKPOINT_VERSION",
    "Checkpoint",
    "Checkpoints",
    "Start",
    "join_tensors",
    "read_start",
    "split_tensors",
]

CHECKPOINT_VERSION = 1
KEPT = 2
_TENSORS, _JSON = "learner.safetensors", "checkpoint.json"


@dataclass(frozen=True)
class Checkpoint:
    """What one checkpoint holds. `tree` nests dicts, lists and tuples of tensors and JSON values."""

    steps: int
    tree: dict[str, Any]
    segments: tuple[dict[str, Any], ...] = ()  # of the replay buffer: file, first, end, sha256


@dataclass(frozen=True)
class Start:
    """The networks that a run begins with: those of another run at one of its checkpoints."""

    run: str
    which: str
    steps: int
    weights: dict[str, Any]  # the state of the method and of the mixer

    @property
    def name(self) -> str:
        """What tells this start from any other: run, checkpoint, step and the hash of the weights."""
        digest = hashlib.sha256()
        for path, tensor in sorted(split_tensors(self.weights)[1].items()):
            digest.update(path.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return f"{self.run} {self.which} {self.steps} {digest.hexdigest()[:16]}"

    def write(self, run: Path) -> None:
        """Write the networks into the folder of the run that begins with them."""
        (run / "start").mkdir()
        _write(run / "start", self.steps, self.weights, [])


def read_start(run: Path) -> dict[str, Any] | None:
    """Return the networks that a run begins with, None for fresh ones; damaged ones raise `CorruptFileError`."""
    return _read(run / "start").tree if (run / "start").exists() else None


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, run: Path) -> None:
        self.folder = run / "checkpoints"
        self._segments: list[dict[str, Any]] = []

    def save(self, steps: int, tree: dict[str, Any], replay: ReplayBuffer | None) -> Path:
        """Write the checkpoint of step `steps` and drop the oldest; a full disk raises `ResourceError`.

        The last one of a run needs no `replay`.
        """
        target = self.folder / f"step-{steps:010d}"
        (self.folder / "replay").mkdir(parents=True, exist_ok=True)
        with naming_full_disk(f"the checkpoint at step {steps:,} was not written, {self._what_remains()}"):
            if replay is None:
                self._segments = []
            else:
                self._extend_segments(replay)
        self._place(target, steps, tree, self._segments)
        self._prune()
        return target

    def save_best(self, steps: int, tree: dict[str, Any]) -> Path:
        """Keep the policy of step `steps`, and no longer the best ones before it; raises as `save` does."""
        target = self.folder / f"best-{steps:010d}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._place(target, steps, tree, [])
        for path in self.folder.glob("best-*"):
            if path != target:
                _remove(path)
        return target

    def best(self) -> Checkpoint | None:
        """Return the best policy that is whole, warning of one that is not; None when there is none."""
        for path in sorted(self.folder.glob("best-*"), reverse=True):
            try:
                return _read(path)
            except CorruptFileError as error:
                warnings.warn(f"checkpoint {path.name} is left out, {error}", RuntimeWarning, stacklevel=2)
        return None

    def _place(self, target: Path, steps: int, tree: dict[str, Any], segments: list[dict[str, Any]]) -> None:
        """Write a checkpoint under another name, and rename it when it is whole."""
        partial = target.with_name(f".{target.name}.partial")
        try:
            with naming_full_disk(f"the checkpoint at step {steps:,} was not written, {self._what_remains()}"):
                _remove(partial)
                partial.mkdir()
                _write(partial, steps, tree, segments)
                _remove(target)
                partial.rename(target)
                fsync_folder(self.folder)
        except ResourceError:
            _remove(partial)
            raise

    def latest(self, *, with_replay: bool = True) -> Checkpoint | None:
        """Return the newest checkpoint that is whole, warning of each that is not; None when there is none.

        To act, and not to train on, the replay segments need not be there: `with_replay=False`.
        """
        for path in reversed(self._paths()):
            try:
                checkpoint = _read(path)
                for segment in checkpoint.segments if with_replay else ():
                    file = self.folder / segment["file"]
                    if file_sha256(file) != segment["sha256"]:
                        raise CorruptFileError(f"{file} is damaged: its SHA-256 is not the one recorded")
            except CorruptFileError as error:
                warnings.warn(f"checkpoint {path.name} is left out, {error}", RuntimeWarning, stacklevel=2)
                continue
            self._segments = list(checkpoint.segments)
            return checkpoint
        return None

    def replay(self, checkpoint: Checkpoint, schema: TaskSchema, capacity: int, message_dim: int) -> ReplayBuffer:
        """Return the replay buffer as it was at `checkpoint`, slot for slot; empty after the last one of a run."""
        segments = [
            (s["first"], unpack(read_arrays(self.folder / s["file"]), schema, schema.episode_limit))
            for s in checkpoint.segments
        ]
        return ReplayBuffer.restored(schema, capacity, message_dim, segments)

    def drop_replay(self) -> None:
        """Remove the replay segments: the run is complete and will not go on."""
        _remove(self.folder / "replay")

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("step-*"))

    def _what_remains(self) -> str:
        paths = self._paths()
        return f"{paths[-1]} is intact" if paths else "and there is none before it"

    def _extend_segments(self, replay: ReplayBuffer) -> None:
        first = self._segments[-1]["end"] if self._segments else 0
        first = max(first, replay.added - len(replay))
        if first < replay.added:
            name = f"replay/{first:08d}-{replay.added:08d}.safetensors"
            partial = self.folder / f"{name}.partial"
            sha256 = write_arrays(partial, pack(replay.since(first), replay.schema))
            partial.rename(self.folder / name)
            self._segments.append({"file": name, "first": first, "end": replay.added, "sha256": sha256})
        oldest = replay.added - len(replay)
        self._segments = [s for s in self._segments if s["end"] > oldest]

    def _prune(self) -> None:
        paths = self._paths()
        for path in paths[:-KEPT]:
            _remove(path)
        used = {Path(s["file"]).name for s in self._segments}
        for path in paths[-KEPT:]:
            try:
                used |= {Path(s["file"]).name for s in json.loads((path / _JSON).read_text())["segments"]}
            except (OSError, ValueError, KeyError):
                continue  # damaged; `latest` will say so
        for file in (self.folder / "replay").iterdir():
            if file.name not in used:
                file.unlink()


def _remove(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)


def _write(folder: Path, steps: int, tree: dict[str, Any], segments: list[dict[str, Any]]) -> None:
    structure, tensors = split_tensors(tree)
    # clones, because safetensors refuses tensors that share memory
    content = safetensors.torch.save({k: v.detach().cpu().contiguous().clone() for k, v in tensors.items()})
    sha256 = write_bytes(folder / _TENSORS, content)
    value = {
        "version": CHECKPOINT_VERSION,
        "steps": steps,
        "tree": structure,
        "segments": segments,
        "files": {_TENSORS: sha256},
    }
    write_bytes(folder / _JSON, json.dumps({"sha256": _digest(value), **value}, indent=1).encode())
    fsync_folder(folder)


def _digest(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> Checkpoint:
    try:
        value = json.loads((path / _JSON).read_text(encoding="utf-8"))
        recorded = value.pop("sha256")
        if _digest(value) != recorded:
            raise CorruptFileError(f"{path / _JSON} is damaged: its SHA-256 is not the one recorded")
        if value["version"] != CHECKPOINT_VERSION:
            raise CorruptFileError(f"{path} is of version {value['version']}, this program reads {CHECKPOINT_VERSION}")
        if file_sha256(path / _TENSORS) != value["files"][_TENSORS]:
            raise CorruptFileError(f"{path / _TENSORS} is damaged: its SHA-256 is not the one recorded")
        tensors = safetensors.torch.load((path / _TENSORS).read_bytes())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, safetensors.SafetensorError) as error:
        raise CorruptFileError(f"{path} is half-written or damaged: {type(error).__name__} {error}") from error
    return Checkpoint(value["steps"], join_tensors(value["tree"], tensors), tuple(value["segments"]))


def split_tensors(tree: Any) -> tuple[Any, dict[str, Tensor]]:
    """Return `tree` as JSON with a name in place of each tensor, and the tensors by name.

    Dicts become lists of pairs, so that keys keep their type (an optimiser's are integers), and tuples stay tuples.
    """
    tensors: dict[str, Tensor] = {}

    def encode(value: Any, path: str) -> Any:
        if isinstance(value, Tensor):
            tensors[path] = value
            return {"tensor": path}
        if isinstance(value, dict):
            return {"dict": [[key, encode(v, f"{path}/{key}")] for key, v in value.items()]}
        if isinstance(value, (list, tuple)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [encode(v, f"{path}/{index}") for index, v in enumerate(value)]}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise TypeError(f"a checkpoint cannot hold the {type(value).__name__} at {path or '/'}")

    return encode(tree, ""), tensors


def join_tensors(structure: Any, tensors: dict[str, Tensor]) -> Any:
    """Return what `split_tensors` was given."""
    if not isinstance(structure, dict):
        return structure
    ((kind, value),) = structure.items()
    if kind == "tensor":
        return tensors[value]
    if kind == "dict":
        return {key: join_tensors(v, tensors) for key, v in value}
    items = [join_tensors(v, tensors) for v in value]
    return tuple(items) if kind == "tuple" else items


def torch_generators(device: torch.device) -> dict[str, Tensor]:
    """Return the state of torch's global generators: dropout draws from them."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def set_torch_generators(states: dict[str, Tensor], device: torch.device) -> None:
    """Set what `torch_generators` returned."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
