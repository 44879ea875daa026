"""Environments in real processes: the same episodes, and what becomes of workers that die, hang or raise."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buffers.errors import ResourceError
from marl_runtime.environment import EpisodesLostError
from marl_runtime.evaluation import EvalConfig, evaluate
from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.rollout import Actor, Rollout, View
from marl_runtime.training import train
from marl_runtime.training_config import EpsilonSchedule, TrainConfig
from marl_runtime.workers import WorkerSettings, make_environment
from marl_runtime.workers.pool import ProcessEnvironment

ROOT = Path(__file__).parents[2]
FAULTY = '''
"""Lamps that fail as `how` beside this module says, and where; only while `once` is there, for a fault that ends so."""
import os, time
from pathlib import Path
from lamps import Lamps

HERE = Path(__file__).parent

class Faulty(Lamps):
    def __init__(self):
        super().__init__()
        self._fail("constructor")

    def reset(self, seed=None, options=None):
        self._fail("reset")
        return super().reset(seed, options)

    def step(self, actions):
        self._fail(f"step {self.steps + 1}")
        return super().step(actions)

    def _fail(self, place):
        how, where = (HERE / "how").read_text().split(" at ")
        if where != place:
            return
        if (HERE / "once").exists():
            try:
                (HERE / "once").unlink()
            except FileNotFoundError:
                return
        elif how.endswith(" once"):
            return
        how = how.removesuffix(" once")
        if how == "die":
            os._exit(7)
        if how == "sleep":
            time.sleep(3600)
        raise ConnectionError("the game is gone")
'''


class Faults:
    """The faulty environment's folder, and its task."""

    task = "faulty:Faulty"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plan(self, how: str) -> None:
        (self.folder / "how").write_text(how)
        if " once " in how:
            (self.folder / "once").touch()


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Faults:
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "faulty.py").write_text(FAULTY)
    (folder / "faulty.yaml").write_text((ROOT / "docs/examples/lamps.yaml").read_text())
    monkeypatch.syspath_prepend(ROOT / "docs/examples")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    found = Faults(folder)
    found.plan("nothing at all")
    return found


@pytest.fixture
def made() -> Iterator[Any]:
    environments: list[ProcessEnvironment] = []

    def make(task: str, envs: int = 4, count: int = 2, timeout: float = 10.0, restarts: int = 3) -> ProcessEnvironment:
        found = make_environment(task, envs, WorkerSettings(count, timeout, restarts))
        assert isinstance(found, ProcessEnvironment)
        environments.append(found)
        return found

    yield make
    for environment in environments:
        environment.close()


class FirstAvailable(Actor):
    def reset(self, environment: Any) -> None:
        pass

    def act(self, view: View) -> Any:
        return view.environment.avail_actions.argmax(axis=-1)


def play(environment: Any, episodes: int = 8) -> Any:
    return Rollout(environment).play(FirstAvailable(), 3, 0, episodes, 1.0)


def assert_same(batch: Any, other: Any) -> None:
    for name in ("obs", "state", "actions", "avail_actions", "alive", "rewards", "truncated", "terminated", "success"):
        np.testing.assert_array_equal(getattr(batch, name), getattr(other, name), name)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("task", ["faulty:Faulty", "Foraging-1s-8x8-2p-2f-coop", "bane_vs_hM"])
def test_workers_play_the_episodes_that_one_process_plays(task: str, faults: Faults, made: Any) -> None:
    alone = play(make_environment(task, 5, WorkerSettings()), 12)
    # 5 environments in 2 processes: 3 and 2; the last of 3 rounds has 2 episodes
    assert_same(play(made(task, envs=5), 12), alone)


def test_a_killed_worker_is_named_and_replaced_and_its_round_is_played_again(faults: Faults, made: Any) -> None:
    expected = play(make_environment(faults.task, 4, WorkerSettings()))
    environment = made(faults.task)
    victim = environment._workers[1].process.pid

    class KillsOnce(FirstAvailable):
        steps = 0

        def act(self, view: View) -> Any:
            self.steps += 1
            if self.steps == 3:
                os.kill(victim, signal.SIGKILL)
            return super().act(view)

    named = (
        rf"worker 1 \(process {victim}, environments 2 to 3\) of task 'faulty:Faulty' was killed by SIGKILL, in step 3 "
        r"of the episodes with seeds \d+, \d+; replaced"
    )
    with pytest.warns(RuntimeWarning, match=named):
        batch = Rollout(environment).play(KillsOnce(), 3, 0, 8, 1.0)
    assert_same(batch, expected)
    assert environment._workers[1].process.pid != victim


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ("sleep once at reset", r"worker \d .* did not answer within 2 s, in reset of the episodes"),
        ("sleep once at step 4", r"worker \d .* did not answer within 2 s, in step 4 of the episodes"),
        ("die once at step 5", r"worker \d .* ended with status 7, in step 5 of the episodes"),
        ("raise once at step 2", r"raised: .*ConnectionError: the game is gone \(.*faulty.py, line \d+\), in step 2"),
    ],
)
def test_a_worker_that_fails_once_is_replaced_and_nothing_is_missing(
    how: str, named: str, faults: Faults, made: Any
) -> None:
    expected = play(make_environment(faults.task, 4, WorkerSettings()))
    environment = made(faults.task, timeout=2)
    faults.plan(how)
    with pytest.warns(RuntimeWarning, match=named):
        batch = play(environment)
    assert_same(batch, expected)


def test_a_constructor_that_raises_ends_it_and_leaves_no_process(faults: Faults) -> None:
    faults.plan("raise at constructor")
    with pytest.raises(
        ResourceError, match=r"cannot be built: worker . .*the game is gone \(.*faulty.py, line"
    ) as error:
        make_environment(faults.task, 4, WorkerSettings(2))
    pids = [int(pid) for pid in re.findall(r"process (\d+)", str(error.value))]
    assert len(pids) == 2
    assert all(map(gone, pids))


def test_a_constructor_that_hangs_ends_it_and_leaves_no_process(faults: Faults) -> None:
    faults.plan("sleep at constructor")
    with pytest.raises(ResourceError, match=r"cannot be built: worker 0 .* did not answer within 1 s") as error:
        make_environment(faults.task, 2, WorkerSettings(1, timeout=1))
    assert all(gone(int(pid)) for pid in re.findall(r"process (\d+)", str(error.value)))


def test_an_environment_that_always_dies_ends_it_after_the_replacements(faults: Faults, made: Any) -> None:
    environment = made(faults.task, restarts=2)
    faults.plan("die at step 3")
    pids = [worker.process.pid for worker in environment._workers]
    with (
        pytest.warns(RuntimeWarning, match="replaced") as warned,
        pytest.raises(ResourceError, match=r"status 7, in step 3 .*\(loss 3 in a row, 2 replacements allowed\)"),
    ):
        play(environment)
    assert len(warned) == 2
    assert all(map(gone, pids))


def test_losses_far_apart_are_not_in_a_row(faults: Faults, made: Any) -> None:
    environment = made(faults.task, restarts=1)
    for _ in range(3):
        faults.plan("die once at step 3")
        with pytest.warns(RuntimeWarning, match="replaced"):
            play(environment)


def test_what_is_lost_has_to_be_reset(faults: Faults, made: Any) -> None:
    environment = made(faults.task)
    everyone = np.ones(4, dtype=bool)
    environment.reset(everyone, np.arange(4))
    os.kill(environment._workers[0].process.pid, signal.SIGKILL)
    with pytest.raises(EpisodesLostError):
        environment.step(np.zeros((4, 2), dtype=np.int64))
    after = environment.step(environment.avail_actions.argmax(axis=-1))
    assert not after.rewards.any()
    environment.reset(everyone, np.arange(4))
    results = [environment.step(np.zeros((4, 2), dtype=np.int64)) for _ in range(8)]
    assert results[-1].truncated.all()


def test_workers_end_with_what_closes_them(faults: Faults, made: Any) -> None:
    environment = made(faults.task)
    pids = [worker.process.pid for worker in environment._workers]
    environment.close()
    assert all(map(gone, pids))


def test_gathering_training_and_evaluating_with_workers_give_what_they_give_without(
    faults: Faults, tmp_path: Path
) -> None:
    two = WorkerSettings(2)
    sizes: dict[str, Any] = {"envs": 4, "replay_episodes": 40}
    plain = gather(faults.task, GatherConfig(episodes=20, **sizes), tmp_path / "a")
    spread = gather(faults.task, GatherConfig(episodes=20, workers=two, **sizes), tmp_path / "b")
    assert plain.hash == spread.hash
    rows = []
    for workers in (WorkerSettings(), two):
        faults.plan("die once at step 6" if workers.count else "nothing at all")
        config = TrainConfig(
            task=faults.task, steps=200, eval_every=100, eval_episodes=4, batch_size=4, workers=workers,
            epsilon=EpsilonSchedule(steps=100), **sizes,
        )  # fmt: skip
        if workers.count:
            with pytest.warns(RuntimeWarning, match="status 7"):
                run = train(config, tmp_path / f"runs{workers.count}")
        else:
            run = train(config, tmp_path / "runs0")
        rows.append(evaluate(run, EvalConfig(episodes=10, workers=workers)).rows)
    assert rows[0].equals(rows[1])
