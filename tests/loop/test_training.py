"""Runs that are the same with the same seed, and that a kill does not change."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from buffers.errors import ResourceError, UnknownNameError, UsageError
from marl_runtime import checkpoints as checkpoints_module
from marl_runtime import training
from marl_runtime.channel import Channel
from marl_runtime.checkpoints import Checkpoints, join_tensors, split_tensors
from marl_runtime.configuration import from_json, to_json
from marl_runtime.learner import Learner
from marl_runtime.metrics import MetricsLog, Window, read_metrics
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_state import Run
from marl_runtime.tasks import Task
from marl_runtime.training import prepare, resume, train
from marl_runtime.training_config import EpsilonSchedule, TrainConfig


def short(**changes: Any) -> TrainConfig:
    config = TrainConfig(
        task="cue-game", method="qmix", steps=3_000, envs=8, steps_per_update=100, batch_size=8, replay_episodes=200,
        epsilon=EpsilonSchedule(steps=2_000), eval_every=1_000, eval_episodes=16, log_every=500, checkpoint_every=700,
    )  # fmt: skip
    return replace(config, **changes)


def weights(run: Path) -> dict[str, torch.Tensor]:
    checkpoint = Checkpoints(run).latest(with_replay=False)
    assert checkpoint is not None
    return split_tensors(checkpoint.tree["learner"])[1]


def assert_same_weights(a: Path, b: Path) -> None:
    mine, theirs = weights(a), weights(b)
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert torch.equal(mine[name], theirs[name]), name


def untimed(run: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if not k.startswith("time/")} for row in read_metrics(run)]


class Killed(BaseException):
    """Stands for a kill: nothing in the program catches it."""


def kill_after(step: int) -> Any:
    def progress(done: int, total: int, text: str) -> None:
        if done >= step:
            raise Killed

    return progress


def test_the_same_seed_gives_the_same_run_and_another_another(cue_game: Task, tmp_path: Path) -> None:
    first, second, other = (train(short(seed=seed), tmp_path) for seed in (4, 4, 5))
    assert_same_weights(first, second)
    assert untimed(first) == untimed(second)
    assert any(not torch.equal(a, b) for a, b in zip(weights(first).values(), weights(other).values(), strict=True))
    assert json.loads((first / "config.json").read_text())["seed"] == 4


@pytest.mark.parametrize("kills", [[150], [720], [1_600, 1_650, 2_950]])
def test_a_killed_run_ends_as_one_that_was_never_stopped(cue_game: Task, tmp_path: Path, kills: list[int]) -> None:
    whole = train(short(), tmp_path / "whole")
    run = prepare(short(), tmp_path / "killed")
    for step in kills:
        with pytest.raises(Killed):
            resume(run, kill_after(step))
    resume(run)
    assert_same_weights(whole, run)
    assert untimed(whole) == untimed(run)
    assert RunFolder(run).finished


def test_an_evaluation_at_a_checkpoints_step_is_not_logged_twice(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoint is written first, the evaluation at the same step comes after it, then the kill."""
    config = short(eval_every=700, checkpoint_every=700)
    whole = train(config, tmp_path / "whole")
    run = prepare(config, tmp_path / "killed")
    play = training._play

    def dying(of: Any) -> Any:
        if of.counters.steps >= 700:
            raise Killed
        return play(of)

    monkeypatch.setattr(training, "_play", dying)
    for _ in range(2):
        with pytest.raises(Killed):
            resume(run)
    assert [row["step"] for row in untimed(run) if "test/success" in row][-1] >= 700
    monkeypatch.undo()
    resume(run)
    assert untimed(whole) == untimed(run)
    assert_same_weights(whole, run)


def test_a_kill_within_an_update_or_a_checkpoint_changes_nothing(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(short(), tmp_path / "whole")
    run = prepare(short(), tmp_path / "killed")

    def killed(*_: Any, **__: Any) -> Any:
        raise Killed

    for place, name in [
        (checkpoints_module, "_write"),  # the segment is written, the rest is not
        (checkpoints_module, "fsync_folder"),  # after the files, before the rename
        (checkpoints_module.Checkpoints, "_prune"),  # after the rename
        (Learner, "update"),
        (training, "write_json"),  # complete but for the result
    ]:
        monkeypatch.setattr(place, name, killed)
        with pytest.raises(Killed):
            resume(run)
        monkeypatch.undo()
    resume(run)
    assert_same_weights(whole, run)
    assert untimed(whole) == untimed(run)


def test_dropout_draws_go_on_where_they_were(cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's own generator is in the checkpoint: a method that draws from it resumes bit for bit too."""
    update = Learner.update

    def drawing(self: Any, batch: Any) -> dict[str, float]:
        with torch.no_grad():
            for parameter in self.method.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=1e-4)
        return update(self, batch)

    monkeypatch.setattr(Learner, "update", drawing)
    whole = train(short(), tmp_path / "whole")
    run = prepare(short(), tmp_path / "killed")
    with pytest.raises(Killed):
        resume(run, kill_after(2_000))
    torch.manual_seed(99)
    resume(run)
    assert_same_weights(whole, run)


def test_evaluation_checkpoints_and_logs_leave_training_untouched(cue_game: Task, tmp_path: Path) -> None:
    plain = train(short(), tmp_path)
    busy = train(short(eval_every=200, eval_episodes=40, checkpoint_every=5_000, log_every=100), tmp_path)
    assert_same_weights(plain, busy)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("learner.safetensors", lambda content: content[: len(content) // 2]),
        ("checkpoint.json", lambda content: content[:200]),
        ("checkpoint.json", lambda content: content.replace(b'"steps"', b'"stops"', 1)),
        ("learner.safetensors", lambda content: content[:-1] + bytes([content[-1] ^ 1])),
    ],
)
def test_a_damaged_checkpoint_gives_way_to_the_one_before(
    cue_game: Task, tmp_path: Path, name: str, damage: Any
) -> None:
    whole = train(short(), tmp_path / "whole")
    run = prepare(short(), tmp_path / "damaged")
    with pytest.raises(Killed):
        resume(run, kill_after(2_500))
    newest = sorted((run / "checkpoints").glob("step-*"))[-1]
    (newest / name).write_bytes(damage((newest / name).read_bytes()))
    with pytest.warns(RuntimeWarning, match=rf"{newest.name} is left out.*(damaged|half-written)"):
        resume(run)
    assert_same_weights(whole, run)


def test_a_damaged_replay_segment_gives_way_too(cue_game: Task, tmp_path: Path) -> None:
    whole = train(short(), tmp_path / "whole")
    run = prepare(short(), tmp_path / "damaged")
    with pytest.raises(Killed):
        resume(run, kill_after(2_500))
    newest = sorted((run / "checkpoints" / "replay").iterdir())[-1]
    newest.write_bytes(newest.read_bytes()[:-10])
    with pytest.warns(RuntimeWarning, match="is damaged"):
        resume(run)
    assert_same_weights(whole, run)


def test_two_checkpoints_are_kept_and_only_their_segments(cue_game: Task, tmp_path: Path) -> None:
    run = prepare(short(replay_episodes=60), tmp_path)
    with pytest.raises(Killed):
        resume(run, kill_after(2_900))
    kept = sorted((run / "checkpoints").glob("step-*"))
    assert len(kept) == 2
    used = {s["file"] for path in kept for s in json.loads((path / "checkpoint.json").read_text())["segments"]}
    assert {f"replay/{f.name}" for f in (run / "checkpoints" / "replay").iterdir()} == used
    resume(run)
    assert not (run / "checkpoints" / "replay").exists()


def test_ctrl_c_keeps_everything_and_says_how_to_go_on(cue_game: Task, tmp_path: Path) -> None:
    whole = train(short(), tmp_path / "whole")
    run = prepare(short(), tmp_path / "stopped")

    def press(done: int, total: int, text: str) -> None:
        if done > 1_234:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match=r"stopped at step 1,2\d\d of 3,000.*design-protocol resume .*stopped"):
        resume(run, press)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    checkpoint = Checkpoints(run).latest()
    assert checkpoint is not None
    assert 1_234 < checkpoint.steps < 1_300
    resume(run)
    assert_same_weights(whole, run)


def test_a_full_disk_is_named_and_the_last_checkpoint_stays(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = prepare(short(), tmp_path)
    with pytest.raises(Killed):
        resume(run, kill_after(1_000))
    before = sorted((run / "checkpoints").glob("step-*"))

    def full(path: Path, content: bytes) -> str:
        path.write_bytes(content[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoints_module, "write_bytes", full)
    with pytest.raises(ResourceError, match=rf"step 1,0\d\d was not written, .*{before[-1].name} is intact: no space"):
        resume(run)
    monkeypatch.undo()
    left = {path for path in (run / "checkpoints").iterdir() if not path.name.startswith("best-")}
    assert left == {*before, run / "checkpoints" / "replay"}
    resume(run)
    assert_same_weights(train(short(), tmp_path / "whole"), run)


def test_updates_are_made_at_the_ratio_asked_for(cue_game: Task, tmp_path: Path) -> None:
    rows = [row for row in read_metrics(train(short(steps_per_update=150), tmp_path)) if "count/updates" in row]
    steps, updates = rows[-1]["step"], rows[-1]["count/updates"]
    assert updates == steps // 150  # the first round of 8 episodes fills a batch, so every step counts
    assert rows[-1]["count/updates_per_step"] == pytest.approx(updates / steps)


@pytest.mark.parametrize("ratio", [1.0, 0.125])
def test_updates_are_made_by_episodes_where_that_is_asked_for(cue_game: Task, tmp_path: Path, ratio: float) -> None:
    rows = [row for row in read_metrics(train(short(updates_per_episode=ratio), tmp_path)) if "count/updates" in row]
    assert rows[-1]["count/updates"] == ratio * rows[-1]["count/episodes"]


def test_success_is_of_the_window_and_not_of_the_whole_run() -> None:
    window = Window()
    window.add({"train/success": 0.0}, weight=8)
    window.add({"train/success": 1.0}, weight=24)
    assert window.take() == {"train/success": 0.75}
    window.add({"train/success": 1.0}, weight=8)
    assert window.take() == {"train/success": 1.0}
    assert window.take() == {}


def test_rows_after_the_checkpoint_are_cut_and_half_a_row_is_forgiven(tmp_path: Path) -> None:
    with MetricsLog(tmp_path) as log:
        for step in (10, 20, 30):
            log.write(step, {"train/return": step / 10, "learner/loss": float("nan")})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 40, "train/ret')
    assert [row["step"] for row in read_metrics(tmp_path)] == [10, 20, 30]
    with MetricsLog(tmp_path, keep=2) as log:
        assert log.rows == 2
        log.write(25, {"train/return": 9.0})
    assert [row["step"] for row in read_metrics(tmp_path)] == [10, 20, 25]
    assert read_metrics(tmp_path)[0]["learner/loss"] is None
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(event.step, event.value) for event in board.Scalars("train/return")] == [(10, 1.0), (20, 2.0), (25, 9.0)]


def test_two_processes_do_not_train_one_run(cue_game: Task, tmp_path: Path) -> None:
    run = prepare(short(), tmp_path)
    with RunFolder(run).locked(), pytest.raises(ResourceError, match="trained by another process"):
        resume(run)


def test_what_cannot_be_resumed_is_refused(cue_game: Task, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run"):
        resume(tmp_path / "nowhere")
    run = train(short(steps=100), tmp_path)
    with pytest.raises(UsageError, match="is complete"):
        resume(run)


def test_a_replay_buffer_that_does_not_fit_is_refused_with_a_size_that_does(
    cue_game: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # an episode takes (8 + 1) x 58 bytes of entries, 8 x 23 of steps and 1: 707
    monkeypatch.setattr("buffers.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(ResourceError, match=r"of 5,000 episodes needs 3.54 MB.*80%.*1 MB.*; 1,131 episodes would fit"):
        prepare(short(replay_episodes=5_000), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_configuration_survives_json_and_unknown_keys_do_not(cue_game: Task) -> None:
    config = short(seed=7)
    value = json.loads(json.dumps(to_json(config)))
    assert from_json(TrainConfig, value, "config.json") == config
    with pytest.raises(UnknownNameError, match="LearnerConfig option 'gama': did you mean 'gamma'"):
        from_json(TrainConfig, {**value, "learner": {"gama": 0.9}}, "config.json")


@pytest.mark.parametrize(
    "wrong", [{"steps": 0}, {"batch_size": 300}, {"envs": 201}, {"eval_episodes": 10**20}, {"seed": -1}]
)
def test_a_configuration_that_cannot_be(cue_game: Task, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=rf"{next(iter(wrong))} {next(iter(wrong.values()))} is"):
        short(**wrong)


def test_a_tree_of_tensors_survives_json() -> None:
    tree = {"a": [1, 2.5, None, "x", True], 3: {"t": torch.arange(4)}, "p": (0.9, (torch.tensor(1.5),)), "e": {}}
    structure, tensors = split_tensors(tree)
    again = join_tensors(json.loads(json.dumps(structure)), tensors)
    assert again["a"] == tree["a"]
    assert torch.equal(again[3]["t"], torch.arange(4))
    assert again["p"][0] == 0.9
    assert isinstance(again["p"], tuple)
    assert again["e"] == {}
    with pytest.raises(TypeError, match="cannot hold the set at /x"):
        split_tensors({"x": {1}})


def test_it_learns(cue_game: Task, tmp_path: Path) -> None:
    """With the state at hand the guesser names the cue; without, it cannot beat one in three by much."""
    config = replace(
        short(), steps=12_000, envs=16, steps_per_update=50, batch_size=32, replay_episodes=1_000,
        epsilon=EpsilonSchedule(steps=6_000), eval_every=4_000, eval_episodes=64, checkpoint_every=12_000,
    )  # fmt: skip
    final = {}
    for method in ("qmix_state", "qmix"):
        rows = read_metrics(train(replace(config, method=method), tmp_path))
        final[method] = [row["test/success"] for row in rows if "test/success" in row][-1]
    assert final["qmix_state"] > 0.9
    assert final["qmix"] < 0.6


def test_a_process_that_is_killed_resumes_to_the_same_weights(tmp_path: Path) -> None:
    config = replace(
        short(), task="Foraging-1s-8x8-2p-2f-coop", steps=2_000, envs=4, checkpoint_every=300, eval_every=2_000
    )
    whole = train(config, tmp_path / "whole")
    run = prepare(config, tmp_path / "killed")
    command = [sys.executable, "-m", "marl_runtime.worker", str(run)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in [os.getcwd(), *sys.path] if p)}
    process = subprocess.Popen(command, env=environment)
    deadline = time.monotonic() + 120
    while not list((run / "checkpoints").glob("step-*")) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not RunFolder(run).finished
    resume(run)
    assert_same_weights(whole, run)


def test_a_channel_disturbs_messages_in_training(tmp_path: Path) -> None:
    """All actions are random at first, so the same episodes are played; what is kept differs by noise."""
    folder = Path(__file__).parents[2] / "generated_protocols" / "bane_vs_hM" / "search-a"
    kept = []
    for channel in (Channel(), Channel(noise=0.5)):
        config = TrainConfig("bane_vs_hM", method="direct", protocol=str(folder), channel=channel)
        run = Run(RunFolder.open(prepare(config, tmp_path)), config)
        kept.append(training._play(run))
        run.close()
    clean, noisy = kept
    assert np.array_equal(clean.actions, noisy.actions)
    assert clean.messages is not None
    assert noisy.messages is not None
    steps = np.append(clean.filled, np.zeros((32, 1), dtype=bool), axis=1)
    noise = (noisy.messages - clean.messages)[steps]
    # some 57,000 draws: their deviation is 0.5 with a standard error of 0.5 / sqrt(2 x 57,000) = 0.0015
    assert noise.size > 20_000
    assert noise.std() == pytest.approx(0.5, abs=0.01)
    with pytest.raises(ValueError, match="'qmix' is given no protocol's messages"):
        TrainConfig("bane_vs_hM", channel=Channel(loss=0.5))
