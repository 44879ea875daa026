"""A run's folder: what was asked for, what it ran on, its protocol, its log, its checkpoints and its result.

runs/<utc>-<task>-<method>-s<seed>/
    config.json  environment.json  protocol/  start/ (of a fine-tuned one)  metrics.jsonl  tensorboard/  checkpoints/
    result.json (when complete)
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buffers.errors import CorruptFileError, UsageError
from buffers.files import held, read_json_object
from buffers.memory import naming_full_disk
from buffers.packing import fsync_folder, write_bytes
from buffers.schema import TaskSchema
from marl_runtime.checkpoints import Start

__all__ = ["RunFolder", "versions", "write_json"]

_PACKAGES = ("protocol-designer", "numpy", "numba", "torch", "safetensors", "scipy", "lbforaging")


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    found = {"python": platform.python_version(), "platform": platform.platform(), "machine": platform.machine()}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def write_json(path: Path, value: Any) -> None:
    """Write `value` to `path` so that a kill leaves the old file or the new one, never half of one."""
    partial = path.with_name(f".{path.name}.partial")
    with naming_full_disk(f"writing {path}"):
        write_bytes(partial, (json.dumps(value, indent=1) + "\n").encode())
        partial.rename(path)
        fsync_folder(path.parent)


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run."""

    path: Path

    @classmethod
    def create(
        cls,
        root: Path,
        name: str,
        config: dict[str, Any],
        schema: TaskSchema,
        protocol: Path | None,
        origin: Mapping[str, str],
        start: Start | None = None,
    ) -> RunFolder:
        """Make `<root>/<utc>-<name>` with the configuration, versions, schema and a copy of the frozen protocol.

        `origin` says what a user's own task was made from, `start` which networks the run begins with.

        The configuration is written last: a folder without one was never a run.
        """
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        path, count = root / f"{stamp}-{name}", 1
        while path.exists():
            count += 1
            path = root / f"{stamp}-{name}-{count}"
        with naming_full_disk(f"making {path}"):
            path.mkdir(parents=True)
            if protocol is not None:
                (path / "protocol").mkdir()
                for file in sorted(protocol.iterdir()):
                    if file.is_file():
                        shutil.copyfile(file, path / "protocol" / file.name)
            if start is not None:
                start.write(path)
        made_from: dict[str, Any] = {"origin": dict(origin)} if origin else {}
        if start is not None:
            made_from["started_from"] = {"run": start.run, "checkpoint": start.which, "step": start.steps}
        write_json(path / "environment.json", {"versions": versions(), **made_from, "schema": schema.to_json()})
        write_json(path / "config.json", config)
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Return the run at `path`; anything else there, or nothing, raises `UsageError`."""
        if not (path / "config.json").exists():
            raise UsageError(f"{path} is not a run: it has no config.json")
        return cls(path)

    def read_json(self, name: str) -> dict[str, Any]:
        """Read one of the run's JSON files."""
        try:
            return read_json_object(self.path / name)
        except FileNotFoundError as error:
            raise CorruptFileError(f"{self.path / name} is missing: the run is not complete") from error

    @property
    def protocol(self) -> Path | None:
        """The run's own copy of its protocol, or None."""
        path = self.path / "protocol"
        return path if path.exists() else None

    @property
    def finished(self) -> bool:
        """True once all steps were trained and the result was written."""
        return (self.path / "result.json").exists()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for this process; one that is held elsewhere raises `ResourceError`."""
        with held(self.path / ".lock", "trained"):
            yield
