"""Boards beside the run's own log: Weights & Biases where it is asked for, and never otherwise."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from buffers.errors import MissingDependencyError
from marl_runtime.metrics import MetricsLog, read_metrics
from marl_runtime.run_index import run_hash
from marl_runtime.training import prepare
from marl_runtime.training_config import TrainConfig


class Told:
    """Stands where wandb would: what it was told."""

    def __init__(self) -> None:
        self.begun: dict[str, Any] = {}
        self.rows: list[dict[str, float]] = []
        self.finished = 0

    def init(self, **options: Any) -> Told:
        self.begun = options
        return self

    def define_metric(self, name: str, step_metric: str) -> None:
        assert (name, step_metric) == ("*", "step")

    def log(self, row: dict[str, float]) -> None:
        self.rows.append(row)

    def finish(self) -> None:
        self.finished += 1


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> Told:
    told, module = Told(), ModuleType("wandb")
    module.__spec__ = sys.__spec__
    module.init = told.init  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", module)
    return told


def test_rows_are_shown_at_their_environment_step_and_kept_ones_only_once(wandb: Told, tmp_path: Path) -> None:
    run = tmp_path / "a-run"
    run.mkdir()
    with MetricsLog(run, wandb="maps", config={"seed": 3}) as log:
        log.write(10, {"test/success": 0.5, "learner/loss": float("nan")})
        log.write(20, {"test/success": 0.75})
    assert wandb.rows == [{"step": 10, "test/success": 0.5}, {"step": 20, "test/success": 0.75}]
    assert (wandb.begun["project"], wandb.begun["id"], wandb.begun["resume"]) == ("maps", "a-run", "allow")
    assert wandb.begun["config"] == {"seed": 3}
    assert wandb.finished == 1
    # resumed at its first row: that one is there already
    with MetricsLog(run, 1, wandb="maps") as log:
        log.write(30, {"test/success": 1.0})
    assert [row["step"] for row in wandb.rows] == [10, 20, 30]
    assert [row["step"] for row in read_metrics(run)] == [10, 30]


def test_nothing_is_shown_unless_asked_for(wandb: Told, tmp_path: Path) -> None:
    with MetricsLog(tmp_path) as log:
        log.write(10, {"test/success": 0.5})
    assert (wandb.begun, wandb.rows) == ({}, [])


def test_where_it_is_missing_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingDependencyError, match="pip install wandb"):
        prepare(TrainConfig("bane_vs_hM", wandb="maps"), tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_where_a_run_is_shown_makes_it_no_other_run() -> None:
    assert run_hash(TrainConfig("bane_vs_hM", wandb="maps")) == run_hash(TrainConfig("bane_vs_hM"))
