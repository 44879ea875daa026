"""A sweep of small runs, and runs that are there without having been trained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from marl_runtime.run_folder import write_json
from marl_runtime.training import prepare
from marl_runtime.training_config import TrainConfig

SMALL = """
tasks: [Foraging-1s-8x8-2p-2f-coop]
methods: [qmix, qmix_state]
seeds: 3
train: {steps: 400, envs: 4, eval_every: 200, eval_episodes: 4, batch_size: 4, replay_episodes: 100}
"""


def fill(run: Path, values: Sequence[tuple[int, float]], *, complete: bool = True) -> None:
    """Give a run the evaluations (step, success)."""
    rows = [{"step": s, "test/success": v, "test/return": 10 * v, "test/episodes": 4.0} for s, v in values]
    (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if complete:
        write_json(run / "result.json", {"complete": True})


def made(config: TrainConfig, root: Path, values: Sequence[tuple[int, float]], *, complete: bool = True) -> Path:
    """Return a run that looks as if it had been trained."""
    run = prepare(config, root)
    fill(run, values, complete=complete)
    return run
