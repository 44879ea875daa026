"""Freezing an edit: what is refused and leaves the folder alone, what is compared, and what the manifest then says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buffers.errors import CorruptFileError, LayoutMismatchError, NotFrozenError, RejectedError
from buffers.schema import Field, TaskSchema
from generated_protocols.manifest import Manifest, freeze, read_manifest
from generated_protocols.protocol import Protocol
from protocol_designer.freezing import FreezeReport, Recording, freeze_edited, imagined_episodes
from protocol_designer.sandbox import Sandbox, SandboxRun
from protocol_designer.validation import VALIDATOR_VERSION

N, B, T = 3, 6, 5
SCHEMA = TaskSchema(
    "toy",
    "an overseer that sees and two that do not",
    ("overseer", "roach", "roach"),
    (
        Field("enemy_0.relative_x", "x", low=-1),
        Field("own.health", "health"),
        Field("own.ready", "ready", kind="count"),
    ),
    (Field("enemy_0.x", "x", low=-1),),
    ("stay", "go"),
    T,
)
SAYS_HEALTH = "def send(own):\n    return {'health': own['own.health']}\n"
SAYS_MORE = "def send(own):\n    return {'health': own['own.health'], 'ready': own['own.ready'] > 0}\n"


CARD = {
    **{f"{measure}_{inbox}": 0.5 for measure in ("success", "skill") for inbox in ("full", "empty", "zero")},
    "scored": ["own.health"],
    "gain": {"mean": 0.0, "low": -0.1, "high": 0.1},
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as warm:
        yield warm


@pytest.fixture
def recorded() -> dict[str, Recording]:
    rng = np.random.default_rng(0)
    splits = {}
    for name in ("fit", "select"):
        extended = np.zeros((B, T + 1, N, SCHEMA.extended_dim), dtype=np.float32)
        extended[..., 1] = rng.uniform(0.1, 1, size=(B, T + 1, N))  # everybody has health and so speaks
        extended[..., 2] = rng.integers(0, 2, size=(B, T + 1, N))
        extended[..., SCHEMA.obs_dim + SCHEMA.n_actions :] = np.eye(N)
        splits[name] = Recording(extended, np.ones((B, T + 1, N), dtype=bool), np.ones((B, T, N), dtype=bool))
    return splits


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "mine"
    path.mkdir()
    (path / "part0.py").write_text(SAYS_HEALTH)
    before = Manifest("toy", SCHEMA.layout_hash, window=4, designer="search", scores=[{"pass": 0, "card": CARD}])
    freeze(path, before, SCHEMA)
    return path


def mean_heard(run: SandboxRun) -> dict[str, Any]:
    return {
        **CARD,
        "heard": float(run.messages["select", "full"].mean()),
        "width": run.messages["fit", "empty"].shape[-1],
    }


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_an_edit_is_compared_with_the_version_before_and_frozen(
    folder: Path, recorded: dict[str, Recording], sandbox: Sandbox
) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)
    with pytest.raises(NotFrozenError):
        Protocol.load(folder, SCHEMA)
    report = freeze_edited(
        folder, SCHEMA, sandbox, recorded=recorded, scorer=mean_heard, data_set={"hash": "abc"}, reviewed_by="Ann"
    )
    assert report.accepted
    assert report.edited == ("part0.py",)
    assert "--- frozen/part0.py\n+++ part0.py\n" in report.diff
    assert "-    return {'health': own['own.health']}\n+    return {'health'" in report.diff
    assert report.before is not None
    assert report.before.bandwidth is not None
    assert report.after is not None
    assert report.after.bandwidth is not None
    assert (report.before.message_dim, report.after.message_dim) == (N, 2 * N)
    # one value of 32 bits from each of three senders, and then a bit more
    assert (report.before.bandwidth.total, report.after.bandwidth.total) == (96.0, 99.0)
    assert report.before.scores is not None
    assert report.before.scores["width"] == 3
    assert report.after.scores is not None
    assert report.after.scores["width"] == 6

    manifest = read_manifest(folder)
    assert (manifest.frozen, manifest.edited_by_hand, manifest.scored) == (2, True, True)
    assert (manifest.designer, manifest.window, manifest.validator) == ("search", 4, VALIDATOR_VERSION)
    assert manifest.data_set == {"hash": "abc"}
    assert manifest.reviewed_by[0]["name"] == "Ann"
    assert [component["name"] for component in manifest.payload] == ["health", "ready"]
    assert manifest.scores[0] == {"pass": 0, "card": CARD}
    assert manifest.scores[1]["bits_per_step"] == 99.0
    assert manifest.scores[1]["before"]["message_dim"] == 3
    assert (folder / "frozen/1/part0.py").read_text() == SAYS_HEALTH
    assert (folder / "frozen/2/part0.py").read_text() == SAYS_MORE
    assert Protocol.load(folder, SCHEMA).message_dim == 6


def test_an_edit_that_breaks_a_rule_leaves_the_folder_as_it_was(folder: Path, sandbox: Sandbox) -> None:
    (folder / "part0.py").write_text("import os\n" + SAYS_MORE)
    before = files(folder)
    report = freeze_edited(folder, SCHEMA, sandbox)
    assert not report.accepted
    assert [d.code for d in report.diagnostics] == ["PD301"]
    assert report.diagnostics[0].file == "part0.py"
    assert report.edited == ("part0.py",)
    assert report.after is None
    assert files(folder) == before


def test_an_edit_that_fails_when_it_runs_leaves_the_folder_as_it_was(
    folder: Path, recorded: dict[str, Recording], sandbox: Sandbox
) -> None:
    (folder / "part0.py").write_text(
        "import numpy as np\n\ndef send(own):\n    return {'health': np.log(own['own.ready'] * 0)}\n"
    )
    before = files(folder)
    report = freeze_edited(folder, SCHEMA, sandbox, recorded=recorded, scorer=mean_heard)
    assert not report.accepted
    assert report.diagnostics[0].code.startswith("PD4")
    assert "finite" in report.diagnostics[0].message
    assert files(folder) == before


def test_nothing_changed_freezes_nothing(folder: Path, recorded: dict[str, Recording], sandbox: Sandbox) -> None:
    before = files(folder)
    report = freeze_edited(folder, SCHEMA, sandbox, recorded=recorded, scorer=mean_heard)
    assert report.unchanged
    assert report.accepted
    assert files(folder) == before


def test_without_a_data_set_it_runs_on_imagined_episodes_and_is_recorded_as_unscored(
    folder: Path, recorded: dict[str, Recording], sandbox: Sandbox
) -> None:
    (folder / "part1.py").write_text("def send(own):\n    return {'ready': own['own.ready']}\n")
    report = freeze_edited(folder, SCHEMA, sandbox)
    assert report.accepted
    assert report.diff.startswith("--- /dev/null\n+++ part1.py\n")
    assert report.after is not None
    assert report.after.scores is None
    assert report.after.message_dim == 6
    manifest = read_manifest(folder)
    assert (manifest.scored, manifest.bandwidth) == (False, {})

    # scored later, the same source becomes another version; nothing was edited in between
    late = freeze_edited(folder, SCHEMA, sandbox, recorded=recorded, scorer=mean_heard)
    assert late.edited == ()
    assert late.before is None
    manifest = read_manifest(folder)
    assert (manifest.frozen, manifest.scored) == (3, True)
    assert [entry["pass"] for entry in manifest.scores] == [0, "edit", "again"]


def test_a_review_keeps_what_was_measured(folder: Path, recorded: dict[str, Recording], sandbox: Sandbox) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)
    freeze_edited(folder, SCHEMA, sandbox, recorded=recorded, scorer=mean_heard)
    measured = read_manifest(folder)
    freeze_edited(folder, SCHEMA, sandbox, reviewed_by="Bea")
    reviewed = read_manifest(folder)
    assert reviewed.scored
    assert reviewed.scores == measured.scores
    assert reviewed.bandwidth == measured.bandwidth
    assert [review["name"] for review in reviewed.reviewed_by] == ["Bea"]


def test_a_folder_written_by_hand_can_be_frozen(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "part0.py").write_text(SAYS_HEALTH)
    report = freeze_edited(tmp_path, SCHEMA, sandbox)
    assert report.accepted
    assert report.before is None
    manifest = read_manifest(tmp_path)
    assert (manifest.designer, manifest.edited_by_hand, manifest.frozen) == ("manual", True, 1)
    assert Protocol.load(tmp_path, SCHEMA).message_dim == 3


def test_a_manifest_is_read_as_it_was_written(folder: Path, recorded: dict[str, Recording], sandbox: Sandbox) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)
    report = freeze_edited(folder, SCHEMA, sandbox, recorded=recorded, scorer=mean_heard, reviewed_by="Cem")
    assert report.manifest is not None
    written = json.loads(json.dumps(report.manifest.to_json()))
    assert read_manifest(folder).to_json() == written
    assert json.loads((folder / "frozen/2/manifest.json").read_text()) == written
    assert set(written) >= {
        "contract", "layout_hash", "parts", "message", "payload", "window", "state_fields", "data_set", "designer",
        "model", "prompt_versions", "scores", "validator", "seed", "frozen_at", "edited_by_hand", "reviewed_by",
    }  # fmt: skip


def test_parts_without_a_gap_are_needed(folder: Path, sandbox: Sandbox) -> None:
    (folder / "part2.py").write_text(SAYS_HEALTH)
    with pytest.raises(RejectedError, match=r"no part1\.py"):
        freeze_edited(folder, SCHEMA, sandbox)


def test_a_protocol_of_another_layout_is_refused(folder: Path, sandbox: Sandbox) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)
    with pytest.raises(LayoutMismatchError):
        freeze_edited(folder, replace(SCHEMA, action_names=("stay", "go", "stop")), sandbox)


def test_a_version_before_that_was_changed_is_named_and_one_that_is_gone_is_not_needed(
    folder: Path, sandbox: Sandbox
) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)
    (folder / "frozen/1/part0.py").write_text("# gone")
    with pytest.raises(CorruptFileError, match="not what was frozen"):
        freeze_edited(folder, SCHEMA, sandbox)
    (folder / "frozen/1/part0.py").unlink()
    (folder / "frozen/1/manifest.json").unlink()
    (folder / "frozen/1").rmdir()
    report = freeze_edited(folder, SCHEMA, sandbox)
    assert report.accepted
    assert report.before is None


def test_an_edit_while_it_is_checked_freezes_nothing(folder: Path, sandbox: Sandbox) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)

    def interfere(done: int, total: int, text: str) -> None:
        if "sandbox" in text:
            (folder / "part0.py").write_text(SAYS_HEALTH + "# later\n")

    with pytest.raises(RejectedError, match="edited while it was being checked"):
        freeze_edited(folder, SCHEMA, sandbox, progress=interfere)
    assert read_manifest(folder).frozen == 1


def test_the_report_is_plain_json(folder: Path, sandbox: Sandbox) -> None:
    (folder / "part0.py").write_text(SAYS_MORE)
    report: FreezeReport = freeze_edited(folder, SCHEMA, sandbox)
    plain = json.loads(json.dumps(report.to_json()))
    assert (plain["accepted"], plain["version"], plain["edited"]) == (True, 2, ["part0.py"])
    assert plain["after"].pop("microseconds_per_row") > 0
    assert plain["after"].pop("bytes_per_row") >= 0
    assert plain["after"] == {"card": None, "message_dim": 6, "bits_per_step": None}
    assert "per_row" not in (folder / "manifest.json").read_text()
    assert any("seccomp" in layer or "Landlock" in layer for layer in plain["layers"])


def test_imagined_episodes_stay_in_range_and_the_dead_stay_dead() -> None:
    extended, alive = imagined_episodes(SCHEMA)
    assert extended.shape == (32, T + 1, N, SCHEMA.extended_dim)
    obs = extended[..., : SCHEMA.obs_dim]
    for index, field in enumerate(SCHEMA.obs_fields):
        assert field.low <= obs[..., index].min()
        assert obs[..., index].max() <= field.high
    assert set(np.unique(obs[..., 2])) == {0.0, 1.0}
    assert not (alive[:, 1:] & ~alive[:, :-1]).any()
    assert not alive.all()
    np.testing.assert_array_equal(extended[..., -N:], np.broadcast_to(np.eye(N), (*alive.shape, N)))


@pytest.mark.parametrize(
    ("entry", "value", "says"),
    [
        ("window", "ten", r"Expected `int`, got `str` - at `\$\.window`"),
        ("parts", ["part0.py"], r"Expected `object`, got `array` - at `\$\.parts`"),
        ("message", [{"part": 0, "name": "health"}], r"missing required field `width` - at `\$\.message\[0\]`"),
        ("scores", [{"pass": 0, "card": {**CARD, "skill_full": None}}], r"at `\$\.scores\[0\]\.card\.skill_full`"),
        ("bandwidth", {"total": "much"}, r"got `str` - at `\$\.bandwidth\.total`"),
        ("data_set", {"gathering": 5000}, r"got `int` - at `\$\.data_set\.gathering`"),
        ("widnow", 10, "unknown entry 'widnow', did you mean 'window'"),
    ],
)
def test_a_manifest_with_an_entry_of_another_form_names_it(folder: Path, entry: str, value: object, says: str) -> None:
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), entry: value}))
    with pytest.raises(CorruptFileError, match=rf"manifest\.json.*{says}"):
        read_manifest(folder)
