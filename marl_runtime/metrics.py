"""The log of a run: one JSON object per line, and the same numbers for its boards. `docs/metrics.md` defines them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from buffers.memory import naming_full_disk
from buffers.packing import write_bytes
from marl_runtime.boards import Board, TensorBoard, WeightsAndBiases

__all__ = ["MetricsLog", "Window", "read_metrics"]


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Return every line of a run's log, oldest first; from a line on that a kill cut or something damaged, none."""
    path = run / "metrics.jsonl"
    if not path.exists():
        return []
    rows = []
    for line in path.read_bytes().splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            break
        if not isinstance(row, dict) or "step" not in row:
            break
        rows.append(row)
    return rows


class MetricsLog:
    """Appends to `metrics.jsonl` and to the boards, each row at once; `rows` counts them all."""

    def __init__(self, run: Path, keep: int = 0, *, wandb: str = "", config: Mapping[str, Any] | None = None) -> None:
        """Open the log of `run`; what is behind its first `keep` rows is cut: it will be made again.

        `wandb` is the project of Weights & Biases to show it in too, `config` what is shown of the run there.
        """
        self._path = run / "metrics.jsonl"
        kept = read_metrics(run)[:keep]
        self.rows = len(kept)
        partial = self._path.with_suffix(".partial")
        with naming_full_disk(f"writing {self._path}"):
            write_bytes(partial, "".join(json.dumps(row) + "\n" for row in kept).encode())
        partial.rename(self._path)
        self._file = self._path.open("a", encoding="utf-8")
        self._boards: list[Board] = [TensorBoard(run)]
        if wandb:
            self._boards.append(WeightsAndBiases(run, wandb, config or {}))
        for row in kept:
            self._show(row, self._boards[:1])

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Log `values` at environment step `step`; numbers that are not finite are logged as null."""
        row = {"step": step, **{k: v if math.isfinite(v) else None for k, v in values.items()}}
        with naming_full_disk(f"writing {self._path}"):
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()
        self.rows += 1
        self._show(row, self._boards)

    @staticmethod
    def _show(row: Mapping[str, float | None], boards: Sequence[Board]) -> None:
        values = {name: value for name, value in row.items() if name != "step" and value is not None}
        for board in boards:
            board.show(int(row["step"] or 0), values)

    def sync(self) -> None:
        """Make every row so far last: called before a checkpoint."""
        self._file.flush()
        os.fsync(self._file.fileno())
        for board in self._boards:
            board.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        for board in self._boards:
            board.close()


class Window:
    """Means over what happened since the last row of the log: never over the whole run."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, float] = {}

    def add(self, values: Mapping[str, float], weight: float = 1.0) -> None:
        """Take in `values`, each with `weight`."""
        for name, value in values.items():
            self._sums[name] = self._sums.get(name, 0.0) + weight * value
            self._counts[name] = self._counts.get(name, 0.0) + weight

    def take(self) -> dict[str, float]:
        """Return the means, and begin a new window."""
        means = {name: total / self._counts[name] for name, total in self._sums.items() if self._counts[name]}
        self._sums, self._counts = {}, {}
        return means
