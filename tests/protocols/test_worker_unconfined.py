"""Where the kernel confines nothing, the clock and the clearing away hold all the same; and each layer holds alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_tasks import HONEST, SCHEMA, recorded

from buffers.errors import MissingDependencyError
from generated_protocols import worker as worker_module
from protocol_designer import sandbox_worker
from protocol_designer.sandbox import Sandbox, SandboxLimits, SandboxWarning
from protocol_designer.sandbox_worker import BUBBLEWRAP, bubblewrap

ROOT = Path(worker_module.__file__).parents[1]
DATA = {"fit": recorded(2)}
OPEN = "w.confine = lambda *a: (w.Layer('Landlock', False, 'switched off'),)"
BOOT = f"""
import sys; sys.path.insert(0, sys.argv[1])
import generated_protocols.worker as w; from generated_protocols.confinement import Layer; w.Layer = Layer
{OPEN}
w.main()
"""


@pytest.fixture
def unconfined(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setattr(sandbox_worker, "_BOOT", BOOT)
    with Sandbox() as sandbox:
        with pytest.warns(SandboxWarning, match="Landlock: MISSING, switched off"):
            sandbox.layers()
        yield sandbox


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pid: int) -> bool:
    """Whether a process has ended; a signal that was sent takes a moment to arrive."""
    for _ in range(200):
        if not runs(pid):
            return True
        time.sleep(0.01)
    return False


def attempt(sandbox: Sandbox, statements: str, seconds: float) -> list[str]:
    source = (
        "import numpy as np\n\ndef send(own):\n    os = np.lib._npyio_impl.os\n    open = np.__builtins__['open']\n"
        f"{statements}\n    return {{'x': own['enemy_0.x']}}\n"
    )
    run = sandbox.run([source], SCHEMA, 3, DATA, limits=SandboxLimits(seconds=seconds))
    assert run.seconds <= seconds + 2.0
    assert sandbox.run([HONEST], SCHEMA, 3, DATA).diagnostics == ()
    return [diagnostic.code for diagnostic in run.diagnostics]


def write_pid(path: Path, pid: str) -> str:
    return f"open({str(path)!r}, 'w').write('%d' % {pid})"


@pytest.mark.parametrize("last_words", ["os._exit(0)", "while True: pass"])
def test_what_a_child_starts_ends_with_it(unconfined: Sandbox, tmp_path: Path, last_words: str) -> None:
    note = tmp_path / "pid"
    statements = f"""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            {write_pid(note, "os.getpid()")}
            while True: pass
        os._exit(0)
    while not os.path.exists({str(note)!r}) or not open({str(note)!r}).read(): pass
    {last_words}
"""
    assert attempt(unconfined, statements, 2.0) in (["PD503"], ["PD501"])
    assert ended(int(note.read_text(encoding="ascii")))


def test_a_child_that_kills_the_worker_ends_too(unconfined: Sandbox, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    statements = f"    {write_pid(note, 'os.getpid()')}\n    os.kill(os.getppid(), 9)\n    while True: pass"
    assert attempt(unconfined, statements, 5.0) == ["PD503"]
    assert ended(int(note.read_text(encoding="ascii")))


def test_a_child_that_stops_the_worker_is_ended_by_the_second_clock(unconfined: Sandbox, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    statements = f"    {write_pid(note, 'os.getpid()')}\n    os.kill(os.getppid(), 19)\n    while True: pass"
    assert attempt(unconfined, statements, 1.0) == ["PD501"]
    assert ended(int(note.read_text(encoding="ascii")))


def test_the_worker_and_its_child_end_with_the_program_that_started_them(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    program = f"""
import os, sys, threading, time
sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]
from pathlib import Path
from protocol_designer.sandbox import Sandbox
from sandbox_tasks import SCHEMA
sandbox = Sandbox()
sandbox.layers()
loop = "def send(own):\\n    while True: pass"
threading.Thread(target=lambda: sandbox.run([loop], SCHEMA), daemon=True).start()
worker = sandbox.worker_pid
while not (children := Path(f"/proc/{{worker}}/task/{{worker}}/children").read_text()): time.sleep(0.01)
Path({str(note)!r}).write_text(f"{{worker}} {{children}}")
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert done.returncode == -9
    pids = [int(pid) for pid in note.read_text(encoding="ascii").split()]
    assert len(pids) == 2
    assert all(ended(pid) for pid in pids)


@pytest.mark.parametrize(
    ("layer", "deed", "refusal"),
    [
        ("c._landlock()", "open('/etc/passwd')", "PermissionError"),
        ("c._landlock()", "open('/tmp/protocol-sandbox-new', 'w')", "PermissionError"),
        ("c._seccomp()", "open('/etc/passwd')", "PermissionError"),
        ("c._seccomp()", "os.fork()", "PermissionError"),
        ("c._seccomp()", "socket.socket()", "PermissionError"),
        ("c._seccomp()", "os.kill(os.getpid(), 0)", "PermissionError"),
        ("c._limit(5, c._mapped() + 2**26)", "bytearray(2**27)", "MemoryError"),
        ("c._limit(5, c._mapped() + 2**26)", "open('/etc/passwd')", "OSError"),
    ],
)
def test_each_layer_holds_alone(layer: str, deed: str, refusal: str) -> None:
    program = f"""
import os, socket, sys
sys.path.insert(0, {str(ROOT)!r})
from generated_protocols import confinement as c
c._prctl(c._PR_SET_NO_NEW_PRIVS, 1)
try:
    {layer}
except c._UnavailableError as error:
    os.write(1, str(error).encode()); os._exit(4)
try:
    {deed}
except BaseException as error:
    os.write(1, type(error).__name__.encode()); os._exit(0)
os.write(1, b"done"); os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    if done.returncode == 4:
        pytest.skip(f"this system lacks it: {done.stdout}")
    assert done.stdout == refusal


def test_bubblewrap_that_is_asked_for_and_not_there_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(BUBBLEWRAP, str(tmp_path / "bwrap"))
    with pytest.raises(MissingDependencyError, match="install the package bubblewrap"), Sandbox() as sandbox:
        sandbox.layers()
    monkeypatch.setenv(BUBBLEWRAP, "0")
    assert bubblewrap() == []


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_hides_what_the_worker_does_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BUBBLEWRAP, "1")
    with Sandbox() as sandbox:
        assert "bubblewrap" in {layer.name for layer in sandbox.layers()}
        assert not sandbox.run(["def send(own):\n    return {'x': own['enemy_0.x']}\n"], SCHEMA).diagnostics
