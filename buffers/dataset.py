"""The data set on disk: gathered episodes with their schema, in shards of safetensors.

    <root>/<task>-<first 12 of the gathering hash>/
        manifest.json         who played what, the gathering configuration, sizes and hashes of every file
        schema.json           the task schema, with the ranges measured from the episodes
        policy.safetensors    per episode: which policy played it, with which epsilon
        episodes-0000.safetensors …

It is written into a folder of another name beside it and renamed when complete, so a folder of this name is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypedDict

import numpy as np

from buffers.episodes import EpisodeBatch, Float32Array, IntArray
from buffers.errors import CorruptFileError, LayoutMismatchError, RejectedError, UnknownNameError
from buffers.files import read_json_object, require_form
from buffers.memory import naming_full_disk
from buffers.packing import (
    concatenate,
    file_sha256,
    fsync_folder,
    pack,
    read_arrays,
    require_schema,
    unpack,
    value_ranges,
    write_arrays,
    write_bytes,
)
from buffers.schema import TaskSchema

__all__ = [
    "DATA_SET_VERSION",
    "SPLIT_SHARES",
    "DataSet",
    "DataSetWriter",
    "SplitName",
    "gathering_hash",
    "split_episodes",
]

DATA_SET_VERSION = 1
SHARD_EPISODES = 512
SplitName = Literal["fit", "select", "held_out"]
SPLIT_SHARES: dict[SplitName, float] = {"fit": 0.70, "select": 0.15, "held_out": 0.15}


def gathering_hash(schema: TaskSchema, config: Mapping[str, Any]) -> str:
    """Return the SHA-256 that names a data set: the task's layout and everything that decides what is gathered."""
    text = json.dumps([DATA_SET_VERSION, schema.name, schema.layout_hash, config], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def split_episodes(n_episodes: int, root_seed: int) -> dict[SplitName, IntArray]:
    """Return each split's episode indices, ascending; disjoint, together all, decided by the two numbers alone."""
    order = np.random.default_rng([root_seed, 0x5911]).permutation(n_episodes)
    counts = {name: int(n_episodes * share) for name, share in SPLIT_SHARES.items()}
    counts["fit"] += n_episodes - sum(counts.values())
    splits, start = {}, 0
    for name, count in counts.items():
        splits[name] = np.sort(order[start : start + count])
        start += count
    return splits


class _File(TypedDict):
    bytes: int
    sha256: str


class _Policy(TypedDict):
    name: str
    episodes: int


class _Manifest(TypedDict):
    """What is read of a data set's `manifest.json`."""

    gathering_hash: str
    gathering: dict[str, Any]
    seed: int
    episodes: int
    steps: int
    policies: list[_Policy]
    shards: list[dict[str, str | int]]
    files: dict[str, _File]
    hash: str


@dataclass(frozen=True)
class DataSet:
    """A data set that was opened; arrays are read when they are asked for.

    `found` is True when it was there already and is used again.
    """

    path: Path
    schema: TaskSchema
    manifest: dict[str, Any]
    found: bool = False

    @classmethod
    def open(cls, path: Path, expected: TaskSchema | None = None, *, verify: bool = True) -> DataSet:
        """Open the data set at `path`.

        A missing, half-written or damaged file raises `CorruptFileError` (`verify=False` skips reading every byte for
        it); a data set of another layout than `expected` raises `LayoutMismatchError`.
        """
        manifest = _read_json(path / "manifest.json")
        if manifest.get("version") != DATA_SET_VERSION:
            raise LayoutMismatchError(
                f"{path} is a data set of version {manifest.get('version')!r}, this program reads {DATA_SET_VERSION}"
            )
        require_form(manifest, _Manifest, path / "manifest.json")
        for name, known in manifest["files"].items():
            file = path / name
            size = file.stat().st_size if file.exists() else -1
            if size != known["bytes"]:
                found = "missing" if size < 0 else f"{size:,} bytes long"
                raise CorruptFileError(f"{file} is {found}, expected {known['bytes']:,} bytes; gather it again")
            if verify and file_sha256(file) != known["sha256"]:
                raise CorruptFileError(f"{file} is damaged: its SHA-256 is not the one recorded; gather it again")
        schema = TaskSchema.from_json(_read_json(path / "schema.json"))
        if expected is not None:
            expected.require_same_layout(schema, f"the data set {path}")
        return cls(path, schema, manifest)

    @classmethod
    def find(cls, root: Path, gathering: str, expected: TaskSchema | None = None) -> DataSet | None:
        """Return the complete data set under `root` with this gathering hash, or None."""
        for path in sorted(root.glob(f"*-{gathering[:12]}")):
            found = cls.open(path, expected)
            if found.manifest["gathering_hash"] == gathering:
                return replace(found, found=True)
        return None

    @property
    def n_episodes(self) -> int:
        """Episodes in all splits."""
        return int(self.manifest["episodes"])

    @property
    def hash(self) -> str:
        """SHA-256 over the hashes of all files: what a protocol records of the data it was designed on."""
        return str(self.manifest["hash"])

    @property
    def policy_names(self) -> tuple[str, ...]:
        """The policies that played; `policy` indexes them."""
        return tuple(p["name"] for p in self.manifest["policies"])

    @cached_property
    def _by_episode(self) -> dict[str, Any]:
        return read_arrays(self.path / "policy.safetensors")

    @property
    def policy(self) -> IntArray:
        """Which policy played each episode, `[B]`."""
        return self._by_episode["policy"].astype(np.int64)

    @property
    def epsilon(self) -> Float32Array:
        """The share of random actions in each episode, `[B]`."""
        return self._by_episode["epsilon"]

    def split_index(self, name: SplitName) -> IntArray:
        """Return the indices of the episodes in split `name`, ascending."""
        splits = split_episodes(self.n_episodes, int(self.manifest["seed"]))
        if name not in splits:
            raise UnknownNameError("split", name, splits)
        return splits[name]

    def split(self, name: SplitName) -> EpisodeBatch:
        """Read the episodes of `"fit"`, `"select"` or `"held_out"`, padded to the episode limit."""
        return self.episodes(self.split_index(name))

    def episodes(self, index: IntArray) -> EpisodeBatch:
        """Read the episodes at `index` (ascending), padded to the episode limit, one shard in memory at a time."""
        parts, start = [], 0
        for shard in self.manifest["shards"]:
            end = start + shard["episodes"]
            here = index[(index >= start) & (index < end)] - start
            if len(here):
                packed = read_arrays(self.path / shard["file"])
                parts.append(unpack(packed, self.schema, self.schema.episode_limit, here))
            start = end
        if not parts:
            raise ValueError(f"no episode of {self.path} is at the {len(index)} indices asked for")
        return concatenate(parts)


class DataSetWriter:
    """Writes a data set shard by shard; use it in a `with` block and call `finish`.

    Leaving the block without `finish` removes what was written. `finish(interrupted=True)` keeps the episodes so far
    as a data set of their own, under a name that says so, which is never found by its gathering hash.
    """

    def __init__(
        self,
        root: Path,
        schema: TaskSchema,
        policy_names: Sequence[str],
        *,
        config: Mapping[str, Any],
        seed: int,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.schema = schema
        self._policy_names = tuple(policy_names)
        self._config, self._seed, self._extra = dict(config), seed, dict(extra or {})
        self._gathering = gathering_hash(schema, config)
        self.path = root / f"{schema.name}-{self._gathering[:12]}"
        self._partial = root / f".{self.path.name}.{os.getpid()}.partial"
        self._pending: list[EpisodeBatch] = []
        self._shards: list[dict[str, Any]] = []
        self._files: dict[str, dict[str, Any]] = {}
        self._policy: list[IntArray] = []
        self._epsilon: list[Float32Array] = []
        self._success: list[np.ndarray[Any, Any]] = []
        self._returns: list[np.ndarray[Any, Any]] = []
        self._lengths: list[IntArray] = []
        self._low = np.full(schema.state_dim, np.inf, dtype=np.float32)
        self._high = np.full(schema.state_dim, -np.inf, dtype=np.float32)

    def __enter__(self) -> Self:
        for stale in self._partial.parent.glob(f".{self.path.name}.*.partial"):
            shutil.rmtree(stale)
        self._partial.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._partial.exists():
            shutil.rmtree(self._partial)

    @property
    def n_episodes(self) -> int:
        """Episodes added so far."""
        return sum(len(p) for p in self._policy)

    def add(self, batch: EpisodeBatch, policy: IntArray, epsilon: Float32Array) -> None:
        """Add episodes with the index of the policy `[B]` and the epsilon `[B]` that played each."""
        require_schema(batch, self.schema, 0, "a data set")
        if not len(policy) == len(epsilon) == batch.n_episodes:
            raise ValueError(f"{batch.n_episodes} episodes, {len(policy)} policies and {len(epsilon)} epsilons")
        low, high = value_ranges(batch, self.schema)
        self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)
        self._policy.append(policy.astype(np.int64))
        self._epsilon.append(epsilon.astype(np.float32))
        self._success.append(batch.success)
        self._returns.append(batch.returns)
        self._lengths.append(batch.lengths)
        self._pending.append(batch)
        if sum(b.n_episodes for b in self._pending) >= SHARD_EPISODES:
            self._write_shard()

    def _write_shard(self) -> None:
        if not self._pending:
            return
        packed = [pack(batch, self.schema) for batch in self._pending]
        arrays = {name: np.concatenate([p[name] for p in packed]) for name in packed[0]}
        name = f"episodes-{len(self._shards):04d}.safetensors"
        self._write(name, arrays)
        self._shards.append({"file": name, "episodes": len(arrays["lengths"])})
        self._pending = []

    def _write(self, name: str, content: Mapping[str, Any] | bytes) -> None:
        path = self._partial / name
        with naming_full_disk(f"writing the data set {self.path}"):
            sha256 = write_bytes(path, content) if isinstance(content, bytes) else write_arrays(path, content)
        self._files[name] = {"bytes": path.stat().st_size, "sha256": sha256}

    def finish(self, *, interrupted: bool = False) -> DataSet:
        """Complete the data set, move it to its place and open it; at least one episode is needed."""
        if not self.n_episodes:
            raise RejectedError("a data set without episodes is not written")
        self._write_shard()
        policy, epsilon = np.concatenate(self._policy), np.concatenate(self._epsilon)
        self._write("policy.safetensors", {"policy": policy, "epsilon": epsilon})
        measured = self.schema.with_state_ranges(self._low, self._high)
        self._write("schema.json", json.dumps(measured.to_json(), indent=1).encode())
        manifest = {
            "version": DATA_SET_VERSION,
            "task": self.schema.name,
            "layout_hash": self.schema.layout_hash,
            "gathering_hash": "" if interrupted else self._gathering,
            "gathering": self._config,
            "interrupted": interrupted,
            "seed": self._seed,
            "episodes": self.n_episodes,
            "steps": int(np.concatenate(self._lengths).sum()),
            "policies": self._policy_rows(policy, epsilon),
            "split": SPLIT_SHARES,
            "shards": self._shards,
            "files": self._files,
            "hash": hashlib.sha256(json.dumps(self._files, sort_keys=True).encode()).hexdigest(),
            **self._extra,
        }
        target = self.path
        if interrupted:
            target = target.with_name(f"{target.name}-interrupted-{self.n_episodes}")
        with naming_full_disk(f"writing the data set {target}"):
            write_bytes(self._partial / "manifest.json", json.dumps(manifest, indent=1).encode())
            fsync_folder(self._partial)
        if target.exists():
            shutil.rmtree(target)
        self._partial.rename(target)
        fsync_folder(target.parent)
        return DataSet.open(target, verify=False)

    def _policy_rows(self, policy: IntArray, epsilon: Float32Array) -> list[dict[str, Any]]:
        success, returns = np.concatenate(self._success), np.concatenate(self._returns)
        lengths = np.concatenate(self._lengths)
        rows = []
        for index, name in enumerate(self._policy_names):
            mine = policy == index
            row: dict[str, Any] = {"name": name, "episodes": int(mine.sum())}
            if mine.any():
                row |= {
                    "success_rate": round(float(success[mine].mean()), 4),
                    "mean_return": round(float(returns[mine].mean()), 4),
                    "mean_length": round(float(lengths[mine].mean()), 2),
                    "epsilon": [round(float(e), 4) for e in (epsilon[mine].min(), epsilon[mine].max())],
                }
            rows.append(row)
        return rows


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return read_json_object(path)
    except FileNotFoundError as error:
        raise CorruptFileError(f"{path} is missing: {path.parent} is not a complete data set") from error
