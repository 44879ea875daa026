"""Material for pages: a design, a small run that is trained here, and logs written by hand.

`material/` holds llm-b of 1o_2r_vs_4r as it was shipped at first, its prompts cut: what is shipped may change.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marl_runtime.configuration import to_json
from marl_runtime.training import prepare, train
from marl_runtime.training_config import TrainConfig

ROOT = Path(__file__).parents[2]
DESIGN = Path(__file__).parent / "material" / "1o_2r_vs_4r" / "llm-b"
# the driver of the browser, which the tests of `watch` have as well
sys.path.append(str(ROOT / "tests" / "watch"))


@pytest.fixture
def design(tmp_path: Path) -> Path:
    """A copy of the design: 3 agents, two kept parts (passes 0 and 2), 6 calls."""
    return shutil.copytree(DESIGN, tmp_path / "1o_2r_vs_4r" / "llm-b")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run of `lmac` on 1o_2r_vs_4r, of 400 steps: it has learnt nothing and can play."""
    config = TrainConfig(
        "1o_2r_vs_4r", "lmac", protocol=str(DESIGN), steps=400, envs=4, replay_episodes=50, batch_size=4,
        steps_per_update=50, eval_every=200, eval_episodes=4, log_every=200, checkpoint_every=200,
    )  # fmt: skip
    run = prepare(config, tmp_path_factory.mktemp("runs"))
    train(config, run.parent)
    return next(path.parent for path in run.parent.glob("*/result.json"))


@pytest.fixture
def log_run(tmp_path: Path) -> Callable[..., Path]:
    """Write a run's files by hand: its configuration, and one evaluation for each of `success`, 100 steps apart."""

    def written(method: str, seed: int, success: list[float], complete: bool = True, **settings: Any) -> Path:
        folder = tmp_path / "runs" / f"2026-1o_2r_vs_4r-{method}-s{seed}-{len(settings)}"
        folder.mkdir(parents=True)
        config = TrainConfig("1o_2r_vs_4r", method, seed=seed, **settings)
        (folder / "config.json").write_text(json.dumps(to_json(config)))
        (folder / "environment.json").write_text(json.dumps({"versions": {"python": "3.11"}}))
        rows = [
            {"step": 100 * k, "test/success": value, "test/return": 20 * value, "test/episodes": 50.0}
            for k, value in enumerate(success)
        ]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        if complete:
            (folder / "result.json").write_text("{}")
        return folder

    return written
