"""The data set on disk: whole or refused, split the same way for ever."""

from __future__ import annotations

import errno
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buffers.dataset import DataSet, DataSetWriter, gathering_hash, split_episodes
from buffers.episodes import EpisodeBatch
from buffers.errors import CorruptFileError, LayoutMismatchError, RejectedError, ResourceError, UnknownNameError
from buffers.packing import concatenate
from buffers.schema import Field, TaskSchema
from tests.strategies import make_batch

SCHEMA = TaskSchema(
    name="walk",
    summary="Two walkers.",
    roles=("left", "right"),
    obs_fields=(Field("own.x", "where", low=-1), Field("other.x", "where", low=-1), Field("own.alive", "1 alive")),
    state_fields=(
        Field("left.alive", "1 when it lives", kind="binary"),
        Field("left.x", "where", "cells", low=-9, high=9, present_if="left.alive"),
        Field("constant", "always the same", low=-2, high=2),
    ),
    action_names=("stay", "go"),
    episode_limit=4,
)
CONFIG = {"episodes": 1100, "seed": 3}


def written(root: Path, n: int = 1100) -> tuple[DataSet, EpisodeBatch]:
    """A data set of `n` random episodes in two shards, and what was put into it."""
    rng, parts = np.random.default_rng(0), []
    with DataSetWriter(root, SCHEMA, ["first", "second"], config=CONFIG, seed=3, extra={"note": "a test"}) as writer:
        for start in range(0, n, 50):
            batch = make_batch(SCHEMA, rng.integers(1, 5, 50).tolist(), rng)
            batch.state[..., 0] = batch.state[..., 0] > 0
            batch.state[..., 2] = 1
            parts.append(batch)
            writer.add(batch, np.full(50, int(start >= n / 2)), np.full(50, start / n, dtype=np.float32))
        return writer.finish(), concatenate(parts)


def assert_same(a: EpisodeBatch, b: EpisodeBatch) -> None:
    for f in fields(EpisodeBatch):
        mine, theirs = getattr(a, f.name), getattr(b, f.name)
        assert (mine is None) == (theirs is None), f.name
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs, err_msg=f.name)


def test_every_split_returns_what_was_written(tmp_path: Path) -> None:
    data, everything = written(tmp_path)
    # padding of the constant field was set to 1 above; a data set's padding is zero
    everything.state[~np.pad(everything.filled, ((0, 0), (1, 0)), constant_values=True)] = 0
    assert len(data.manifest["shards"]) == 2
    counts = {"fit": 770, "select": 165, "held_out": 165}
    for name, count in counts.items():
        index = data.split_index(name)  # type: ignore[arg-type]
        assert len(index) == count
        assert_same(data.split(name), everything.select(index))  # type: ignore[arg-type]
    assert sorted(np.concatenate([data.split_index(n) for n in ("fit", "select", "held_out")])) == list(range(1100))
    with pytest.raises(UnknownNameError, match="split 'held-out': did you mean 'held_out'"):
        data.split("held-out")  # type: ignore[arg-type]


@given(st.integers(1, 300), st.integers(0, 2**40))
def test_splits_are_disjoint_complete_and_stable(n: int, seed: int) -> None:
    splits, again = split_episodes(n, seed), split_episodes(n, seed)
    together = np.concatenate(list(splits.values()))
    assert sorted(together.tolist()) == list(range(n))
    assert all((splits[name] == again[name]).all() for name in splits)
    assert len(splits["select"]) == len(splits["held_out"]) == int(0.15 * n)


def test_the_manifest_names_who_played_what(tmp_path: Path) -> None:
    data, everything = written(tmp_path)
    assert data.policy_names == ("first", "second")
    assert data.policy.tolist() == [0] * 550 + [1] * 550
    assert data.epsilon[-1] == pytest.approx(1050 / 1100)
    second = data.manifest["policies"][1]
    assert second["episodes"] == 550
    assert second["success_rate"] == round(float(everything.success[550:].mean()), 4)
    assert second["mean_length"] == round(float(everything.lengths[550:].mean()), 2)
    assert data.manifest["steps"] == everything.filled.sum()
    assert data.manifest["note"] == "a test"


def test_ranges_are_measured_where_the_field_means_anything(tmp_path: Path) -> None:
    data, everything = written(tmp_path)
    played = np.pad(everything.filled, ((0, 0), (1, 0)), constant_values=True)
    lives = everything.state[played][everything.state[played][:, 0] > 0][:, 1]
    low, high = data.schema.state_fields[1].low, data.schema.state_fields[1].high
    assert (low, high) == (pytest.approx(lives.min()), pytest.approx(lives.max()))
    assert (data.schema.state_fields[2].low, data.schema.state_fields[2].high) == (-2, 2)  # constant: its own range
    assert data.schema.layout_hash == SCHEMA.layout_hash


def test_it_is_found_again_by_its_gathering_configuration_alone(tmp_path: Path) -> None:
    data, _ = written(tmp_path)
    found = DataSet.find(tmp_path, gathering_hash(SCHEMA, CONFIG), SCHEMA)
    assert found is not None
    assert found.found
    assert not data.found
    assert found.hash == data.hash
    assert DataSet.find(tmp_path, gathering_hash(SCHEMA, {**CONFIG, "seed": 4}), SCHEMA) is None
    assert gathering_hash(SCHEMA, {"seed": 3, "episodes": 1100}) == gathering_hash(SCHEMA, CONFIG)
    assert gathering_hash(replace(SCHEMA, episode_limit=5), CONFIG) != gathering_hash(SCHEMA, CONFIG)


def test_the_same_episodes_have_the_same_hash(tmp_path: Path) -> None:
    assert written(tmp_path / "a")[0].hash == written(tmp_path / "b")[0].hash


def test_another_layout_is_refused_with_what_differs(tmp_path: Path) -> None:
    data, _ = written(tmp_path)
    other = replace(SCHEMA, roles=("left", "right", "middle"))
    with pytest.raises(LayoutMismatchError, match=r"made for 2 agent roles .*has 3"):
        DataSet.open(data.path, other)
    renamed = replace(SCHEMA, obs_fields=(Field("self.x", "where"), *SCHEMA.obs_fields[1:]))
    with pytest.raises(LayoutMismatchError, match=r"index 0, is 'own\.x' there and 'self\.x' in task"):
        DataSet.open(data.path, renamed)


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def _without_size(path: Path) -> None:
    manifest = json.loads(path.read_text())
    del manifest["files"]["schema.json"]["bytes"]
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("episodes-0001.safetensors", lambda p: p.write_bytes(p.read_bytes()[:-5]), "bytes long, expected"),
        ("episodes-0001.safetensors", lambda p: p.unlink(), "is missing, expected"),
        ("episodes-0001.safetensors", _flip, "is damaged: its SHA-256"),
        ("policy.safetensors", _flip, "is damaged: its SHA-256"),
        ("manifest.json", lambda p: p.write_text(p.read_text()[:300]), "half-written or damaged"),
        ("manifest.json", lambda p: p.write_text("[]"), "holds a list"),
        ("manifest.json", lambda p: p.unlink(), "is not a complete data set"),
        ("manifest.json", _without_size, r"manifest.json is damaged: .* `bytes` - at `\$\.files"),
        ("schema.json", lambda p: p.write_text("{}"), "bytes long, expected"),
    ],
)
def test_a_damaged_data_set_is_refused(tmp_path: Path, name: str, damage: Any, message: str) -> None:
    data, _ = written(tmp_path)
    damage(data.path / name)
    with pytest.raises(CorruptFileError, match=message):
        DataSet.open(data.path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    data, _ = written(tmp_path)
    manifest = json.loads((data.path / "manifest.json").read_text())
    (data.path / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(LayoutMismatchError, match="version 99, this program reads 1"):
        DataSet.open(data.path)


def test_an_error_while_writing_leaves_nothing_behind(tmp_path: Path) -> None:
    batch = make_batch(SCHEMA, [2] * 600, np.random.default_rng(0))

    def broken() -> None:
        with DataSetWriter(tmp_path, SCHEMA, ["one"], config=CONFIG, seed=0) as writer:
            writer.add(batch, np.zeros(600, dtype=np.int64), np.zeros(600, dtype=np.float32))
            assert len(list(tmp_path.glob(".*.partial/episodes-*"))) == 1
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        broken()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_not_taken_for_a_data_set(tmp_path: Path) -> None:
    stale = tmp_path / f".{SCHEMA.name}-{gathering_hash(SCHEMA, CONFIG)[:12]}.123.partial"
    stale.mkdir()
    (stale / "episodes-0000.safetensors").write_bytes(b"half")
    assert DataSet.find(tmp_path, gathering_hash(SCHEMA, CONFIG)) is None
    written(tmp_path)
    assert not stale.exists()


def test_an_interrupted_data_set_stands_by_itself(tmp_path: Path) -> None:
    with DataSetWriter(tmp_path, SCHEMA, ["one"], config=CONFIG, seed=0) as writer:
        batch = make_batch(SCHEMA, [1, 2, 3], np.random.default_rng(0))
        writer.add(batch, np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.float32))
        kept = writer.finish(interrupted=True)
    assert kept.path.name.endswith("-interrupted-3")
    assert DataSet.open(kept.path, SCHEMA).n_episodes == 3
    assert DataSet.find(tmp_path, gathering_hash(SCHEMA, CONFIG)) is None


def test_what_makes_no_data_set_is_refused(tmp_path: Path) -> None:
    batch = make_batch(SCHEMA, [1, 2], np.random.default_rng(0))
    with DataSetWriter(tmp_path, SCHEMA, ["one"], config=CONFIG, seed=0) as writer:
        with pytest.raises(RejectedError, match="without episodes"):
            writer.finish()
        with pytest.raises(ValueError, match="2 episodes, 1 policies and 2 epsilons"):
            writer.add(batch, np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.float32))


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("buffers.dataset.write_arrays", full)
    with pytest.raises(ResourceError, match=r"writing the data set .*: no space left on the disk"):
        written(tmp_path)
    assert list(tmp_path.iterdir()) == []
