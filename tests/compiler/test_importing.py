"""Published joint modules: run in a torch sandbox, scored, looked through; what fails is reported and left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buffers.dataset import DataSet
from buffers.errors import CorruptFileError, NotFrozenError, RejectedError, UsageError
from generated_protocols.joint import JointPart, JointProtocol
from generated_protocols.manifest import part_sources
from protocol_designer.importing import beside, import_modules, read_reach
from protocol_designer.joint_sandbox import JointSandbox
from protocol_designer.sandbox import SandboxLimits
from sai import SaiConfig

QUICK = SaiConfig(decoder_seeds=1, updates=120, decision_updates=20, decision_episodes=100)
# the scout (agent 0) tells the workers the beacon, column 0, and everybody the scout's last action, columns 2 and 3
FIRST = """
import torch as th

def message_design_instruction():
    return "the beacon"

def communication(o):
    rows, n, d = o.shape
    told = o[:, 0:1, 0:1].expand(rows, n, 1).clone()
    told[:, 0] = 0
    return th.cat([o, told, o[:, 0:1, 2:4].expand(rows, n, 2)], dim=-1)
"""
WINDOWED = """
import torch as th

def communication(o):
    rows, t, n, d = o.shape
    assert t == 10
    return th.cat([o[:, -1], (o[..., 1] == -1).float().sum(dim=1).unsqueeze(-1), o[:, -2, :, 1:2]], dim=-1)
"""


def failing(body: str) -> str:
    head = "import torch as th\nimport os\n\ndef communication(o):\n"
    return f"{head}    {body}\n    return th.cat([o, o[..., :1]], dim=-1)\n"


def write(folder: Path, *sources: str) -> Path:
    folder.mkdir(parents=True)
    for name, source in zip(("comm_init.py", "comm_update.py", "comm_update_timestep_wise2.py"), sources, strict=False):
        (folder / name).write_text(source, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def imported(beacon_data: DataSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("import")
    source = write(base / "published", FIRST, failing("return o.expand(22, -1, -1)"), WINDOWED)
    import_modules(source, beacon_data, base / "beacon" / "published", QUICK)
    return base / "beacon" / "published"


def test_what_works_is_scored_and_what_raises_is_reported(imported: Path, beacon_data: DataSet) -> None:
    found = JointProtocol.load(imported, beacon_data.schema, trust=True).manifest
    assert [entry["reason"] == "" for entry in found.joint] == [True, False, True]
    assert "expand" in found.joint[1]["reason"]
    assert "line 5" in found.joint[1]["reason"]
    none, first, last = found.scores
    assert first["card"]["gain"]["low"] > 0.1
    assert (none["message_dim"], first["message_dim"], last["message_dim"]) == (0, 3, 5)


def test_who_tells_what_to_whom_is_found_by_perturbation(imported: Path) -> None:
    first = [row for row in read_reach(imported) if row["part"] == 0]
    assert first == [
        {"part": 0, "sender": 0, "receivers": [1, 2], "fields": ["beacon.x"]},
        {"part": 0, "sender": 0, "receivers": [0, 1, 2], "fields": ["last_action.stay", "last_action.go"]},
    ]
    own = [row for row in read_reach(imported) if row["part"] == 2]
    assert own == [{"part": 2, "sender": i, "receivers": [i], "fields": ["own.x"]} for i in range(3)]


def test_step_by_step_says_what_whole_episodes_say(imported: Path, beacon_data: DataSet) -> None:
    protocol = JointProtocol.load(imported, beacon_data.schema, trust=True)
    rng = np.random.default_rng(3)
    extended = rng.normal(size=(4, 6, 3, beacon_data.schema.extended_dim)).astype(np.float32)
    alive = rng.random((4, 6, 3)) > 0.2
    whole = protocol.messages(extended, alive)
    assert whole.shape == (4, 6, 3, protocol.message_dim) == (4, 6, 3, 5)
    # steps before the episode are -1: nine of them at the first step, eight at the second
    np.testing.assert_array_equal(whole[0, :, 0, 3][alive[0, :, 0]], (9 - np.arange(6))[alive[0, :, 0]])
    stepper = protocol.stepper(4)
    for _ in range(2):  # a second time after a reset
        stepper.reset(np.ones(4, dtype=bool))
        for step in range(6):
            np.testing.assert_allclose(stepper.step(extended[:, step], alive[:, step]), whole[:, step], rtol=1e-6)
    assert not whole[~alive].any()


def test_a_lost_message_is_an_observation_of_zeros(imported: Path, beacon_data: DataSet) -> None:
    protocol = JointProtocol.load(imported, beacon_data.schema, trust=True)
    extended = np.ones((1, 1, 3, beacon_data.schema.extended_dim), dtype=np.float32)
    alive = np.ones((1, 1, 3), dtype=bool)
    empty = protocol.messages(extended, alive, inbox="empty")[0, 0]
    np.testing.assert_array_equal(empty[:, :3], [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    lost = np.ones((1, 3, 3), dtype=bool)
    lost[0, 2, 0] = False  # agent 2 does not hear agent 0
    heard = protocol.stepper(1).step(extended[:, 0], alive[:, 0], lost)[0]
    np.testing.assert_array_equal(heard[:, :3], [[0, 1, 1], [1, 1, 1], [0, 0, 0]])


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (failing("raise ValueError('no')"), "PD410"),
        (failing("return undefined"), "PD410"),
        (failing("return o[0]"), "PD455"),
        (failing("return o"), "PD455"),
        (failing("return th.cat([o, o[..., :1 + o.shape[0] % 2]], dim=-1)"), "PD459"),
        (failing("return th.cat([o, o[..., :1] / 0], dim=-1)"), "PD413"),
        (failing("return th.cat([o, o[..., :1] - o[..., :1].mean()], dim=-1)"), "PD415"),
        (failing("open('/etc/hostname')"), "PD410"),
        (failing("os.fork()"), "PD410"),
        (failing("os.kill(os.getppid(), 9)"), "PD410"),
        (failing("th.save(o, '/tmp/protocol-joint-canary')"), "PD410"),
        (failing("os._exit(0)"), "PD503"),
        (failing("while True: pass"), "PD501"),
        ("def communication(o:\n", "PD410"),
        ("x = 1\n", "PD451"),
        ("import requests\n", "PD410"),
    ],
)
def test_a_module_that_fails_or_reaches_out_is_a_diagnostic(source: str, code: str, beacon_data: DataSet) -> None:
    extended = np.random.default_rng(0).normal(size=(3, 6, 3, beacon_data.schema.extended_dim)).astype(np.float32)
    limits = SandboxLimits(seconds=10, probe_seconds=3, memory_bytes=2**30)
    with JointSandbox({"fit": extended[:, :5], "select": extended}, limits) as sandbox:
        (found,) = sandbox.run(source, 0, 0).diagnostics
        assert found.code == code, found
        assert not sandbox.run(FIRST, 0, 0).diagnostics
    assert not Path("/tmp/protocol-joint-canary").exists()


def test_what_a_killed_import_left_does_not_get_into_the_next(beacon_data: DataSet, tmp_path: Path) -> None:
    left = tmp_path / ".out.partial"
    left.mkdir()
    (left / "joint7.py").write_text("of another import")
    import_modules(write(tmp_path / "one", FIRST), beacon_data, tmp_path / "out", QUICK)
    assert JointProtocol.load(tmp_path / "out", beacon_data.schema, trust=True).message_dim == 3
    assert not left.exists()


def test_nothing_works_and_nothing_is_there(beacon_data: DataSet, tmp_path: Path) -> None:
    broken = write(tmp_path / "broken", failing("raise ValueError('no')"))
    with pytest.raises(RejectedError, match=r"comm_init.py: ValueError: no \(line 5\)"):
        import_modules(broken, beacon_data, tmp_path / "out", QUICK)
    assert not (tmp_path / "out").exists()
    (tmp_path / "nothing").mkdir()
    with pytest.raises(RejectedError, match=r"none of comm_init.py"):
        import_modules(tmp_path / "nothing", beacon_data, tmp_path / "out", QUICK)
    with pytest.raises(UsageError, match="not a folder"):
        import_modules(tmp_path / "none", beacon_data, tmp_path / "out", QUICK)


def test_it_needs_trust_and_what_was_imported(imported: Path, beacon_data: DataSet, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--trust"):
        JointProtocol.load(imported, beacon_data.schema, trust=False)
    with pytest.raises(RejectedError, match="imported joint protocol"):
        part_sources(imported)
    with pytest.raises(UsageError, match="exists"):
        import_modules(write(tmp_path / "again", FIRST), beacon_data, imported, QUICK)
    assert beside(beacon_data, [imported.parents[1]]) == []
    source = (imported / "joint0.py").read_bytes()
    (imported / "joint0.py").write_bytes(source + b"\n# edited\n")
    with pytest.raises(NotFrozenError, match=r"joint0.py changed"):
        JointProtocol.load(imported, beacon_data.schema, trust=True)
    (imported / "joint0.py").write_bytes(source)
    reach = (imported / "reach.json").read_bytes()
    (imported / "reach.json").write_bytes(b'{"reach": [{"part": "x"}]}')
    with pytest.raises(CorruptFileError, match=r"reach.json"):
        read_reach(imported)
    (imported / "reach.json").write_bytes(reach)


def test_the_observation_may_be_changed_but_only_what_is_appended_counts() -> None:
    part = JointPart("import torch\ndef communication(o):\n    return torch.cat([o * 0, o[..., :1]], dim=-1)\n", 0)
    found = part.messages(np.full((2, 3, 4), 7, dtype=np.float32))
    np.testing.assert_array_equal(found, np.full((2, 3, 1), 7))
