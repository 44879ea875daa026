"""Code that the static validator would refuse, run all the same: contained, reported, and nothing is left of it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sandbox_tasks import HONEST, SCHEMA, recorded

from protocol_designer.sandbox import Sandbox, SandboxLimits, SandboxRun

DATA = {"fit": recorded(4)}
OS = "np.lib._npyio_impl.os"  # NumPy's own modules lead everywhere: the loader's builtins are no fence
MODULES = "np.__builtins__['__import__']('sys').modules"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def descendants(pid: int | None) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def attempt(sandbox: Sandbox, statement: str, *, seconds: float = 20.0, memory: int = 2**29) -> SandboxRun:
    """Run a part that does `statement` in its `send`; whatever happened, the sandbox goes on and nothing runs on."""
    reach = f"os, modules = {OS}, {MODULES}; libc = modules['ctypes'].CDLL(None)"
    source = (
        f"import numpy as np\n\ndef send(own):\n    {reach}\n    {statement}\n    return {{'x': own['enemy_0.x']}}\n"
    )
    limits = SandboxLimits(seconds=seconds, memory_bytes=memory)
    run = sandbox.run([source], SCHEMA, 3, DATA, limits=limits)
    assert sandbox.worker_pid is None or not descendants(sandbox.worker_pid)
    after = sandbox.run([HONEST], SCHEMA, 3, DATA)
    assert after.diagnostics == ()
    assert not descendants(sandbox.worker_pid)
    return run


def codes(run: SandboxRun) -> list[str]:
    return [diagnostic.code for diagnostic in run.diagnostics]


def test_a_loop_without_end_is_ended_at_the_deadline(sandbox: Sandbox) -> None:
    started = time.monotonic()
    run = attempt(sandbox, "while True: pass", seconds=1.0)
    assert codes(run) == ["PD501"]
    assert run.seconds <= 1.0 + 2.0
    assert time.monotonic() - started >= 1.0


def test_a_loop_in_c_is_ended_at_the_deadline(sandbox: Sandbox) -> None:
    run = attempt(sandbox, "10 ** 10 ** 9", seconds=1.0)
    assert codes(run) == ["PD501"]
    assert run.seconds <= 1.0 + 2.0


def test_a_memory_bomb_meets_its_limit(sandbox: Sandbox) -> None:
    run = attempt(sandbox, "bomb = np.ones(2**28)", memory=2**28)
    assert codes(run) == ["PD502"]
    assert run.diagnostics[0].line == 5


@pytest.mark.parametrize(
    "statement",
    [
        "os.fork()",
        "os.kill(os.getppid(), 9)",
        "os.kill(os.getppid(), 19)",
        "os.killpg(0, 9)",
        "os.kill(1, 0)",
        "os.execv('/bin/true', ['true'])",
        "os.listdir('/')",
        "os.stat('/etc/passwd')",
        "os.unlink('/tmp/protocol-sandbox-canary')",
        "os.mkdir('/tmp/protocol-sandbox-folder')",
        "os.open('/proc/self/environ', 0)",
        "os.memfd_create('x')",
        "os.setsid()",
        "os.setuid(0)",
        "np.loadtxt('/etc/passwd', dtype='U99')",
        "np.__builtins__['open']('/etc/passwd')",
        "os.close(libc.ptrace(0, 0, 0, 0))",
        "os.close(libc.socket(2, 2, 0))",
        "os.close(libc.prctl(1, 0) - 1)",
    ],
)
def test_what_reaches_out_is_refused(sandbox: Sandbox, statement: str) -> None:
    run = attempt(sandbox, statement)
    assert codes(run) == ["PD410"]
    (found,) = run.diagnostics
    assert (found.file, found.line) == ("part0.py", 5)
    # -1 from libc is no descriptor to close; everything else says EPERM
    assert ("Operation not permitted" in found.message) or ("libc" in statement and "Bad file" in found.message)


def test_no_file_is_made(sandbox: Sandbox, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("as it was", encoding="utf-8")
    for target in (kept, tmp_path / "new"):
        run = attempt(sandbox, f"np.__builtins__['open']({str(target)!r}, 'w').write('gotcha')")
        assert codes(run) == ["PD410"]
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert kept.read_text(encoding="utf-8") == "as it was"


def test_the_environment_holds_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with Sandbox() as sandbox:
        run = attempt(sandbox, "raise np.exceptions.AxisError('{}'.format(sorted(os.environ)))")
    assert codes(run) == ["PD410"]
    assert "PATH" in run.diagnostics[0].message
    assert "KEY" not in run.diagnostics[0].message


@pytest.mark.parametrize(
    ("statement", "how"),
    [
        ("os._exit(0)", "without an answer"),
        ("os._exit(3)", "status 3"),
        ("modules['ctypes'].string_at(0)", "signal 11"),
        ("os.abort()", "signal"),
    ],
)
def test_a_child_that_dies_is_a_diagnostic(sandbox: Sandbox, statement: str, how: str) -> None:
    run = attempt(sandbox, statement)
    assert codes(run) == ["PD503"]
    assert how in run.diagnostics[0].message


def test_leaving_by_exception_is_a_diagnostic_with_its_line(sandbox: Sandbox) -> None:
    run = attempt(sandbox, "raise np.__builtins__['SystemExit'](0)")
    assert codes(run) == ["PD410"]
    assert run.diagnostics[0].line == 5
    assert "SystemExit" in run.diagnostics[0].message


def test_what_an_exception_says_is_limited_and_cannot_act_on_a_terminal(sandbox: Sandbox) -> None:
    run = attempt(sandbox, r"raise np.exceptions.AxisError('\x1b[31m' + 'x' * 100_000)")
    assert codes(run) == ["PD410"]
    assert run.diagnostics[0].message.replace("x", "").isprintable()
    assert len(run.diagnostics[0].message) < 500


@pytest.mark.parametrize(
    "answer",
    [
        "{'components': [[0, '../../x', 1]], 'payload_components': []}",
        "{'components': [[0, 'x', 10**9]], 'payload_components': [[0, 'x', 1]]}",
        "{'components': [[0, 'x', -1]], 'payload_components': [[0, 'x', 1]]}",
        "{'components': 7, 'payload_components': []}",
        "{'diagnostics': [{'line': 'x'}]}",
        "[[[[]]]]",
        "{'diagnostics': []}",
        "{'components': [], 'payload_components': [], 'used': [0, 0]}",
        "{'components': [[0, 'x', 1], [0, 'x', 1]], 'payload_components': [[0, 'x', 1]], 'used': [0, 0]}",
        "{'components': [[0, 'x', True]], 'payload_components': [[0, 'x', 1]], 'used': [0, 0]}",
        "'text'",
    ],
)
def test_a_forged_answer_is_not_believed(sandbox: Sandbox, answer: str) -> None:
    # the child's own modules are within its reach: it may make its reporter say anything
    forge = "worker = modules['generated_protocols.worker']; worker.json.dumps = "
    run = attempt(sandbox, f"{forge}lambda said, d=worker.json.dumps: d({answer})")
    assert codes(run) == ["PD503"]


def test_recorded_data_cannot_be_changed(sandbox: Sandbox) -> None:
    extended, _ = DATA["fit"]
    before = extended.copy()
    run = attempt(sandbox, "libc.memset(modules['ctypes'].c_void_p(own._now.ctypes.data), 0, 64 * (len(own.age) > 6))")
    assert codes(run) == ["PD503"]
    assert "signal 11" in run.diagnostics[0].message
    np.testing.assert_array_equal(extended, before)
    run = sandbox.run([HONEST], SCHEMA, 3, DATA)
    with Sandbox() as fresh:
        again = fresh.run([HONEST], SCHEMA, 3, {"fit": (before, DATA["fit"][1])})
    np.testing.assert_array_equal(run.messages["fit", "full"], again.messages["fit", "full"])


def test_a_worker_that_dies_is_started_again(sandbox: Sandbox) -> None:
    sandbox.layers()
    first = sandbox.worker_pid
    assert first is not None
    os.kill(first, 9)
    assert sandbox.run([HONEST], SCHEMA, 3, DATA).diagnostics == ()
    assert sandbox.worker_pid not in (None, first)


def test_closing_ends_the_worker() -> None:
    with Sandbox() as sandbox:
        sandbox.layers()
        pid = sandbox.worker_pid
        assert pid is not None
    assert sandbox.worker_pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_interrupted_run_leaves_nothing_to_the_next(sandbox: Sandbox) -> None:
    sandbox.layers()
    interrupt = threading.Timer(0.3, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        sandbox.run(["def send(own):\n    while True: pass"], SCHEMA, 3, DATA)
    assert sandbox.worker_pid is None
    assert sandbox.run([HONEST], SCHEMA, 3, DATA).diagnostics == ()
