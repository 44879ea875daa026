"""Runs on a Ray cluster: a real one of two workers here, and folders that are sent to a machine and back."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from made_runs import SMALL

from buffers.errors import MissingDependencyError
from marl_runtime.run_folder import RunFolder
from marl_runtime.sweeping.jobs import Limits
from marl_runtime.sweeping.ray_jobs import TOKEN, RayCluster, RemoteRun, read_files, write_files
from marl_runtime.sweeping.reading import read_sweep
from marl_runtime.sweeping.status import sweep_status
from marl_runtime.sweeping.sweep import read_state, train_sweep
from marl_runtime.training import prepare

HERE = importlib.util.find_spec("ray") is not None
Write = Callable[[str], Path]


@pytest.mark.skipif(not HERE, reason="Ray is not installed: pip install 'protocol-designer[ray]'")
@pytest.mark.filterwarnings("ignore")  # Ray's own: unclosed files and sockets of its daemons
def test_a_sweep_on_a_local_cluster_survives_a_dead_actor(written: Write, tmp_path: Path) -> None:
    plan = read_sweep(written(SMALL.replace("seeds: 3", "seeds: 1")))
    killed: list[str] = []
    with RayCluster("local") as cluster:
        assert cluster.cores == 2

        def kill_once(done: int, total: int, text: str) -> None:
            if not killed and jobs:
                killed.append(text)
                cluster._ray.kill(jobs[0]._actor)

        jobs = []

        def start(run: Path):  # type: ignore[no-untyped-def]
            jobs.append(cluster.start(run))
            return jobs[-1]

        tally = train_sweep(plan, tmp_path, Limits(2), start, kill_once)
    assert len(tally.done) == 2
    assert list(tally.deaths.values()) == [1]
    assert sum(read_state(plan.folder(tmp_path)).deaths.values()) == 1
    assert sweep_status(plan, tmp_path).to_json()["done"] == 2
    assert not list(tmp_path.rglob(TOKEN))


def test_without_ray_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'protocol-designer\[ray\]'"):
        RayCluster("local")


def test_a_run_is_sent_to_a_machine_that_does_not_see_it_and_comes_back(written: Write, tmp_path: Path) -> None:
    run = prepare(read_sweep(written(SMALL)).entries[0].config, tmp_path)
    (run / TOKEN).write_text("here")
    assert not RemoteRun(str(run), "here").needs_files()
    remote = RemoteRun(str(run), "of another disk")
    assert remote.needs_files()
    remote.start(read_files(run))
    while remote.poll()[0] is None:
        time.sleep(0.05)
    status, step, reason = remote.poll()
    assert (status, RunFolder(run).finished) == (0, False), reason
    assert step >= 400
    write_files(run, remote.files())
    assert RunFolder(run).finished
    assert len(list((run / "checkpoints").glob("step-*"))) >= 1
    assert not remote._run.exists()


def test_checkpoints_that_a_newer_one_replaced_are_removed(tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / "step-1").mkdir(parents=True)
    write_files(tmp_path, {"checkpoints/step-2/x": b"new", "result.json": b"{}"})
    assert read_files(tmp_path) == {"checkpoints/step-2/x": b"new", "result.json": b"{}"}
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-2"]
