"""What a run says of itself while it trains: greedy tests, rows of its log, and the line that a reader sees."""

from __future__ import annotations

from buffers.episodes import EpisodeBatch
from marl_runtime.calibration import calibrate
from marl_runtime.metrics import MetricsLog
from marl_runtime.run_folder import write_json
from marl_runtime.run_state import Run
from marl_runtime.seeding import stream_seed
from marl_runtime.statistics import wilson

__all__ = ["following", "greedy_test", "log_window", "progress_line"]


def greedy_test(run: Run, log: MetricsLog) -> None:
    """Play greedy episodes that nothing learns from, and log them."""
    config, counters = run.config, run.counters
    batch = run.testing.play(
        run.actor,
        stream_seed(config.seed, "test episodes"),
        counters.evaluations * config.eval_episodes,
        config.eval_episodes,
    )
    calibration = calibrate(run.learner.method, batch, run.device)
    if calibration is not None:
        write_json(run.folder / "calibration.json", {"step": counters.steps, **calibration.to_json()})
    counters.evaluations += 1
    counters.next_evaluation = following(counters.steps, config.eval_every)
    successes = int(batch.success.sum())
    run.tested = successes / batch.n_episodes
    interval = wilson(successes, batch.n_episodes)
    mean_return = float(batch.returns.mean())
    log.write(
        counters.steps,
        {
            "test/success": interval.value,
            "test/success_low": interval.low,
            "test/success_high": interval.high,
            "test/return": mean_return,
            "test/length": float(batch.lengths.mean()),
            "test/episodes": float(batch.n_episodes),
            **({} if calibration is None else calibration.metrics()),
        },
    )
    run.keep_if_best(run.tested, mean_return)


def log_window(run: Run, log: MetricsLog) -> None:
    """Log the window since the last row, and begin a new one."""
    counters = run.counters
    counters.next_log = following(counters.steps, run.config.log_every)
    log.write(
        counters.steps,
        {
            **run.window.take(),
            "count/episodes": counters.episodes,
            "count/updates": counters.updates,
            "count/updates_per_step": counters.updates / max(1, counters.steps),
            "time/wall_seconds": counters.wall_seconds,
            "time/cpu_seconds": counters.cpu_seconds,
            "time/steps_per_cpu_second": counters.steps / max(1e-9, counters.cpu_seconds),
        },
    )


def following(steps: int, every: int) -> int:
    """Return the first multiple of `every` that lies after `steps`."""
    return (steps // every + 1) * every


def progress_line(batch: EpisodeBatch, run: Run) -> str:
    """Return what a reader of the progress line wants to know: wins, losses, and how much is learnt from a step."""
    counters = run.counters
    tested = "" if run.tested is None else f", {run.tested:.0%} tested"
    losses = ", ".join(
        f"{name.removesuffix('_loss')} loss {value:.3g}" for name, value in run.newest.items() if name.endswith("_loss")
    )
    ratio = f"an update per {counters.steps / counters.updates:,.0f} steps" if counters.updates else "no update yet"
    return f"success {batch.success.mean():.0%} this round{tested}, {losses + ', ' if losses else ''}{ratio}"
