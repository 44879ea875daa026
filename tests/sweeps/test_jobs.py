"""The engine, with workers that do what the test says, and with real ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_runs import SMALL, fill

from buffers.errors import ResourceError
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import is_held, last_step
from marl_runtime.sweeping import jobs
from marl_runtime.sweeping.jobs import Limits, LocalJob, worker_environment
from marl_runtime.sweeping.plan import SweepPlan
from marl_runtime.sweeping.reading import read_sweep
from marl_runtime.sweeping.status import sweep_status
from marl_runtime.sweeping.sweep import find_runs, read_state, require_complete, train_sweep
from marl_runtime.training import prepare
from marl_runtime.training_config import TrainConfig

Write = Callable[[str], Path]


class FakeJob:
    """Ends as it was told: with an exit status, or when it is stopped (None)."""

    def __init__(self, run: Path, status: int | None) -> None:
        self.run, self.status, self.asked = run, status, False

    def poll(self) -> int | None:
        if self.status == 0:
            fill(self.run, [(0, 0.0), (400, 0.5)])
        return 130 if self.status is None and self.asked else self.status

    def step(self) -> int:
        return last_step(self.run)

    def stop(self) -> None:
        self.asked = True

    def reason(self) -> str:
        return f"fake status {self.status}"


class Workers:
    """Starts a fake worker for each run, with the next of the statuses."""

    def __init__(self, statuses: Iterator[int | None]) -> None:
        self.statuses, self.started, self.most = statuses, list[FakeJob](), 0

    def __call__(self, run: Path) -> FakeJob:
        self.started.append(FakeJob(run, next(self.statuses)))
        return self.started[-1]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.001)


@pytest.fixture
def plan(written: Write) -> SweepPlan:
    return read_sweep(written(SMALL))


def always(status: int | None) -> Iterator[int | None]:
    while True:
        yield status


def test_all_runs_are_trained_once_and_found_again(plan: SweepPlan, tmp_path: Path) -> None:
    workers = Workers(always(0))
    tally = train_sweep(plan, tmp_path / "runs", Limits(2), workers)
    assert len(workers.started) == len(tally.done) == 6
    assert sweep_status(plan, tmp_path / "runs").to_json()["done"] == 6
    again = Workers(always(0))
    train_sweep(plan, tmp_path / "runs", Limits(2), again)
    assert again.started == []


def test_a_worker_that_dies_is_tried_again_behind_the_others_and_counted(plan: SweepPlan, tmp_path: Path) -> None:
    # the first run dies twice: by a signal, then with status 1
    workers = Workers(iter([-9, 0, 0, 0, 0, 0, 1, 0]))
    said: list[str] = []
    tally = train_sweep(plan, tmp_path, Limits(1), workers, say=said.append)
    first = plan.entries[0].hash
    assert tally.deaths == {first: 2}
    assert tally.failed == {}
    assert len(tally.done) == 6
    assert [line.partition(":")[0] for line in said] == [
        "a worker died (1 so far in this run)",
        "a worker died (2 so far in this run)",
    ]
    assert read_state(plan.folder(tmp_path)).deaths == {first: 2}
    assert sweep_status(plan, tmp_path).to_json()["deaths"] == 2
    # the same folder each time, so that the third try went on from the first one's checkpoint
    assert len({job.run for job in workers.started}) == 6


@pytest.mark.parametrize(("status", "tries"), [(1, 3), (3, 1), (2, 1)])
def test_tries_are_bounded_and_a_run_that_is_refused_has_one(
    plan: SweepPlan, tmp_path: Path, status: int, tries: int
) -> None:
    one = SweepPlan(plan.name, plan.file, plan.entries[:2])
    statuses = iter([status, 0, *[status] * 10])
    workers = Workers(statuses)
    tally = train_sweep(one, tmp_path, Limits(1, retries=2), workers)
    assert len(workers.started) == tries + 1
    assert list(tally.failed) == [one.entries[0].hash]
    with pytest.raises(ResourceError, match=f"1 of 2 runs failed.*fake status {status}"):
        require_complete(tally, one)
    told = sweep_status(one, tmp_path).to_json()
    assert (told["done"], told["failed"], told["left"]) == (1, 1, 0)


def test_when_the_time_is_over_runs_are_stopped_and_none_begins(plan: SweepPlan, tmp_path: Path) -> None:
    workers = Workers(iter([0, None, None]))
    tally = train_sweep(plan, tmp_path, Limits(2, seconds=0.5), workers)
    assert tally.out_of_time
    assert (len(tally.done), len(tally.stopped)) == (1, 2)
    assert all(job.asked for job in workers.started[1:])
    told = sweep_status(plan, tmp_path).to_json()
    assert (told["done"], told["left"], told["deaths"]) == (1, 5, 0)


def test_ctrl_c_stops_every_run_and_says_how_to_go_on(plan: SweepPlan, tmp_path: Path) -> None:
    workers = Workers(always(None))

    def press(done: int, total: int, text: str) -> None:
        assert text == "2 runs in training, 4 waiting"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="the same command goes on"):
        train_sweep(plan, tmp_path, Limits(2), workers, press)
    assert [job.asked for job in workers.started] == [True, True]


def test_the_run_that_is_furthest_goes_first(plan: SweepPlan, tmp_path: Path) -> None:
    train_sweep(plan, tmp_path, Limits(6, seconds=0.2), Workers(always(None)))
    fill(find_runs(plan, tmp_path)[plan.entries[4].hash], [(200, 0.1)], complete=False)
    workers = Workers(always(0))
    train_sweep(plan, tmp_path, Limits(1), workers)
    assert workers.started[0].run == find_runs(plan, tmp_path)[plan.entries[4].hash]


def test_two_sweeps_of_one_file_do_not_fight(plan: SweepPlan, tmp_path: Path) -> None:
    def second(done: int, total: int, text: str) -> None:
        with pytest.raises(ResourceError, match="small is being swept by another process"):
            train_sweep(plan, tmp_path, Limits(1), Workers(always(0)))

    train_sweep(plan, tmp_path, Limits(1), Workers(always(0)), second)


def test_a_run_that_another_sweep_trains_is_left_to_it(plan: SweepPlan, tmp_path: Path) -> None:
    train_sweep(plan, tmp_path, Limits(6, seconds=0.2), Workers(always(None)))
    held = find_runs(plan, tmp_path)[plan.entries[2].hash]
    workers = Workers(always(0))
    with RunFolder(held).locked():
        assert sweep_status(plan, tmp_path).to_json()["running"] == 1
        tally = train_sweep(plan, tmp_path, Limits(1), workers)
    assert list(tally.elsewhere.values()) == [held]
    assert len(workers.started) == 5
    assert not is_held(held)


def test_the_time_left_is_from_the_pace_of_the_same_method(plan: SweepPlan, tmp_path: Path) -> None:
    train_sweep(plan, tmp_path, Limits(6, seconds=0.2), Workers(always(None)))
    assert sweep_status(plan, tmp_path).seconds_left is None
    runs = find_runs(plan, tmp_path)
    for entry, seconds in zip(plan.entries[:2], (20, 60), strict=True):  # qmix and qmix_state, 200 of 400 steps
        run = runs[entry.hash]
        (run / "metrics.jsonl").write_text(f'{{"step": 200, "time/wall_seconds": {seconds}}}\n')
    # qmix 0.1 s a step, qmix_state 0.3: (200 + 400 + 400) x 0.4 = 400 s, spread over 6 at once, but one run of
    # qmix_state alone takes 400 x 0.3 = 120 s
    assert sweep_status(plan, tmp_path).seconds_left == pytest.approx(120)
    train_sweep(plan, tmp_path, Limits(2, seconds=0.0), Workers(always(None)))
    assert sweep_status(plan, tmp_path).seconds_left == pytest.approx(200)


def test_a_killed_worker_and_a_killed_sweep_lose_nothing(written: Write, tmp_path: Path) -> None:
    """Real processes: the worker is killed and tried again, then the sweep itself is, and the next one goes on."""
    file = written(SMALL.replace("seeds: 3", "seeds: 1").replace("steps: 400", "steps: 1500, checkpoint_every: 200"))
    plan, runs = read_sweep(file), tmp_path / "runs"
    started: list[Path] = []

    def start(run: Path) -> LocalJob:
        job = LocalJob(run)
        started.append(run)
        if len(started) == 1:
            os.kill(job._process.pid, signal.SIGKILL)
        return job

    def checkpoints(done: int, total: int, text: str) -> None:
        if len(started) > 2 and list(runs.glob("*/checkpoints/step-*")):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_sweep(plan, runs, Limits(1), start, checkpoints)
    state = read_state(plan.folder(runs))
    assert list(state.deaths.values()) == [1]
    command = [sys.executable, "-m", "cli", "sweep", str(file), "--runs", str(runs), "--json", "--processes", "2"]
    done = subprocess.run(command, capture_output=True, text=True, env=worker_environment(), check=False)
    assert done.returncode == 0, done.stderr
    assert '"done": 2' in done.stdout
    assert len(list(runs.glob("*/result.json"))) == len(list(runs.glob("*/config.json"))) == 2
    stamps = [path.stat().st_mtime_ns for path in runs.glob("*/metrics.jsonl")]
    assert time.time_ns() > max(stamps)
    assert subprocess.run(command, capture_output=True, env=worker_environment(), check=False).returncode == 0
    assert [path.stat().st_mtime_ns for path in runs.glob("*/metrics.jsonl")] == stamps


def test_a_worker_that_inherited_a_deaf_ear_for_ctrl_c_stops_all_the_same(tmp_path: Path) -> None:
    """A shell without job control starts what runs in the background with SIGINT ignored, and children inherit that."""
    folder = prepare(TrainConfig("bane_vs_hM", steps=10_000_000, log_every=500), tmp_path)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        job = LocalJob(folder)
    finally:
        signal.signal(signal.SIGINT, before)
    while job.step() == 0:
        assert job.poll() is None, job.reason()
        time.sleep(0.1)
    job.stop()
    while job.poll() is None:
        time.sleep(0.1)
    assert job.poll() == 130
    assert "go on with: design-protocol resume" in job.reason()
