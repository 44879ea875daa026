"""Where a run's rows are shown beside its own log: TensorBoard always, Weights & Biases only where it was asked for."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from buffers.errors import MissingDependencyError

__all__ = ["Board", "TensorBoard", "WeightsAndBiases", "require_wandb"]


class Board(Protocol):
    """Shows rows of metrics."""

    def show(self, step: int, values: Mapping[str, float]) -> None:
        """Show `values`, all of them finite, at environment step `step`."""

    def flush(self) -> None:
        """Make what was shown last."""

    def close(self) -> None:
        """Show nothing more."""


class TensorBoard:
    """The event file under `run`/tensorboard, written anew: TensorBoard cannot forget rows that a resumed run cuts."""

    def __init__(self, run: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        folder = run / "tensorboard"
        if folder.exists():
            shutil.rmtree(folder)
        self._writer = SummaryWriter(str(folder))

    def show(self, step: int, values: Mapping[str, float]) -> None:
        """Add a scalar for each value."""
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def flush(self) -> None:
        """Write what is buffered."""
        self._writer.flush()

    def close(self) -> None:
        """Close the event file."""
        self._writer.close()


class WeightsAndBiases:
    """A run of the project `project`, named and found again by the run's folder; its key comes from the environment.

    A resumed run goes on in the same one, and rows that it repeats keep the step at which they were first shown.
    `WANDB_MODE=offline` sends nothing, and keeps its files in the run's folder.
    """

    def __init__(self, run: Path, project: str, config: Mapping[str, Any]) -> None:
        require_wandb()
        wandb = importlib.import_module("wandb")
        self._run = wandb.init(
            project=project, id=run.name, name=run.name, dir=str(run), resume="allow", config=dict(config)
        )
        self._run.define_metric("*", step_metric="step")

    def show(self, step: int, values: Mapping[str, float]) -> None:
        """Log one row, its environment step among the values."""
        self._run.log({"step": step, **values})

    def flush(self) -> None:
        """Nothing: wandb sends by itself."""

    def close(self) -> None:
        """Finish the upload."""
        self._run.finish()


def require_wandb() -> None:
    """Raise `MissingDependencyError` where the package is not installed."""
    if importlib.util.find_spec("wandb") is None:
        raise MissingDependencyError(
            "--wandb needs a package that is not installed: pip install wandb; TensorBoard's files have the same rows"
        )
