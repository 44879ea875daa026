"""The files of a run, read for people: what is damaged is named, and the rest is there all the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from buffers.errors import ProtocolDesignerError
from buffers.files import read_json_object, require_form
from generated_protocols.manifest import Manifest, read_manifest
from marl_runtime.configuration import from_json
from marl_runtime.evaluation import EvalConfig, evaluate_scripted
from marl_runtime.metrics import read_metrics
from marl_runtime.tasks import find_task
from marl_runtime.training_config import TrainConfig

__all__ = ["Run", "is_run", "read_run", "runs_in", "scripted_marks"]

Value = TypeVar("Value")


@dataclass(frozen=True)
class Run:
    """What could be read. `problems` names each file that could not be read, and why; it grows while a page is made."""

    folder: Path
    config: TrainConfig | None
    metrics: Sequence[Mapping[str, Any]]
    result: Mapping[str, Any] | None
    versions: Mapping[str, Any]
    manifest: Manifest | None
    calibration: Mapping[str, Any] | None
    problems: list[str]

    @property
    def label(self) -> str:
        """The method, and the protocol where there is one."""
        if self.config is None:
            return self.folder.name
        name = "" if self.config.protocol is None else Path(self.config.protocol).name
        return f"{self.config.method} ({name})" if name else self.config.method

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the log's rows that have a finite number under `name`, with it as `value`."""
        return [{"step": row["step"], "value": row[name]} for row in self.metrics if _is_number(row.get(name))]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_run(folder: Path) -> bool:
    """Return whether `folder` is one run's."""
    return (folder / "config.json").is_file() or (folder / "metrics.jsonl").is_file()


def runs_in(folder: Path) -> list[Path]:
    """Return the runs that lie in `folder`, by name."""
    return sorted(path for path in folder.iterdir() if path.is_dir() and is_run(path)) if folder.is_dir() else []


def read_run(folder: Path) -> Run:
    """Read what is in `folder`; nothing is played, and nothing is raised for what is damaged."""
    problems: list[str] = []

    def tried(read: Callable[[], Value], otherwise: Value) -> Value:
        try:
            return read()
        except FileNotFoundError as error:
            problems.append(f"{error.filename} is missing")
        except (ProtocolDesignerError, OSError, ValueError, KeyError, TypeError) as error:
            problems.append(str(error) if isinstance(error, ProtocolDesignerError) else f"{folder}: {error!r}")
        return otherwise

    file = folder / "config.json"
    config = tried(lambda: from_json(TrainConfig, read_json_object(file), file), None)
    nothing: dict[str, Any] = {}
    no_rows: list[dict[str, Any]] = []
    environment = tried(lambda: read_json_object(folder / "environment.json"), nothing)
    result = (
        tried(lambda: read_json_object(folder / "result.json"), None) if (folder / "result.json").exists() else None
    )
    manifest = tried(lambda: read_manifest(folder / "protocol"), None) if (folder / "protocol").exists() else None
    metrics = tried(lambda: read_metrics(folder), no_rows)
    log = folder / "metrics.jsonl"
    if log.is_file() and len(metrics) < (lines := log.read_bytes().count(b"\n")):
        problems.append(f"{log}, line {len(metrics) + 1} of {lines}, is damaged: the log is shown up to there")
    versions = environment.get("versions", {})
    return Run(
        folder,
        config,
        metrics,
        result,
        versions if isinstance(versions, dict) else {},
        manifest,
        tried(lambda: _calibration(folder / "calibration.json"), None),
        problems,
    )


class _Bin(TypedDict):
    foretold: float
    right: float
    count: int


class _Calibration(TypedDict):
    """What is shown of `calibration.json`."""

    step: int
    estimates: int
    auroc: float | None
    brier: float
    error: float
    curve: list[_Bin]
    by_field: dict[str, dict[str, float]]


def _calibration(file: Path) -> dict[str, Any] | None:
    if not file.exists():
        return None
    value = read_json_object(file)
    require_form(value, _Calibration, file)
    return value


@cache
def scripted_marks(task: str, measure: str, episodes: int) -> list[dict[str, Any]]:
    """Return what the task's scripted policies come to over `episodes` battles, for lines in a chart; none for 0.

    `measure` is "success" or "return".
    """
    marks = []
    for policy in find_task(task).scripted if episodes else ():
        played = _played(task, policy, episodes)
        estimate = played.success if measure == "success" else played.returns
        marks.append({"label": policy, "value": estimate.value, "low": estimate.low, "high": estimate.high})
    return marks


@cache
def _played(task: str, policy: str, episodes: int) -> Any:
    return evaluate_scripted(task, policy, EvalConfig(episodes=episodes))
