"""The parent's end of the sandbox worker: start it, give it one job at a time, and end it when it is not in time."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from buffers.errors import MissingDependencyError, ResourceError
from generated_protocols.worker import ANSWER_BYTES
from protocol_designer.sandbox_memory import SharedArray

__all__ = ["BUBBLEWRAP", "JobResult", "Worker", "bubblewrap"]

BUBBLEWRAP = "DESIGN_PROTOCOL_BUBBLEWRAP"
"""The environment variable that asks for the worker to be started under bubblewrap."""

_ROOT = Path(__file__).resolve().parents[1]
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from generated_protocols.worker import main; "
    "main(joint=sys.argv[2] == 'joint')"
)
_START_SECONDS = 60.0
_GRACE = 1.5  # the worker ends a child at the deadline; if it does not say so within this time, it is ended itself


@dataclass(frozen=True)
class JobResult:
    """How a job ended. `answer` is what the child said: JSON from an untrusted process, None where it said nothing.

    `status` is the child's exit status, negative for a signal; None when the worker itself died or was ended.
    """

    status: int | None
    timed_out: bool
    answer: Any


def bubblewrap() -> list[str]:
    """Return the command under which the worker is started: bubblewrap where `DESIGN_PROTOCOL_BUBBLEWRAP` asks for it.

    The variable is `1`, or the path of `bwrap`. The worker then sees the interpreter and this program, read-only, and
    no network. Asked for and not there raises `MissingDependencyError`.
    """
    wanted = os.environ.get(BUBBLEWRAP, "")
    if wanted in ("", "0"):
        return []
    program = shutil.which("bwrap" if wanted == "1" else wanted)
    if program is None:
        raise MissingDependencyError(
            f"{BUBBLEWRAP}={wanted} asks for bubblewrap, which is not here: install the package bubblewrap, or unset it"
        )
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    seen = [sys.prefix, sys.base_prefix, str(_ROOT), "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", *libraries]
    binds = [word for path in dict.fromkeys(seen) if path for word in ("--ro-bind-try", path, path)]
    # the shared arrays are found by process and descriptor, so processes are not hidden
    return [
        program, "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--new-session",
        *binds, "--ro-bind", "/proc", "/proc", "--dev", "/dev", "--chdir", "/", "--",
    ]  # fmt: skip


class Worker:
    """A warm worker process, started when first needed and again whenever it died; a `joint` one holds torch."""

    def __init__(self, *, joint: bool = False) -> None:
        self._joint = joint
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._child: int | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id while it runs."""
        running = self._process is not None and self._process.poll() is None
        return self._process.pid if running and self._process else None

    def run(self, job: Mapping[str, Any], seconds: float) -> JobResult:
        """Run a job in a child of the worker, for `seconds` at most; raises `ResourceError` where no worker starts."""
        answer = SharedArray((ANSWER_BYTES,), np.uint8)
        try:
            line = json.dumps({**job, "seconds": seconds, "answer": answer.path}).encode() + b"\n"
            # a worker that somebody ended between two jobs fails before it has a child: nobody's code is to blame
            begun = self._ask(line) or self._ask(line)
            if begun is None:
                raise ResourceError("the sandbox worker starts no process: is there memory left?")
            self._child = begun["child"]
            reply = self._reply(seconds + _GRACE)
            if reply is None:
                return JobResult(None, self.pid is not None, None)
            self._child = None
            said = None if reply["killed"] else _read(answer.array.tobytes())
            return JobResult(reply["status"], reply["killed"], said)
        finally:
            answer.close()
            if self._child is not None:  # late, or interrupted: its answer must not become the next job's
                self.close()

    def close(self) -> None:
        """End the worker, and the child that runs."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        if self._child is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, signal.SIGKILL)
        self._child = None
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process, self._unread = None, b""

    def _start(self) -> None:
        if self.pid is not None:
            return
        self.close()
        if not hasattr(os, "fork"):
            raise ResourceError("the sandbox needs fork(): run it on Linux or macOS")
        # no keys in the child; one BLAS thread, because threads do not survive a fork
        kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        command = [*bubblewrap(), sys.executable, "-I", "-c", _BOOT, str(_ROOT), "joint" if self._joint else "parts"]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**kept, **threads},
                cwd="/",
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise ResourceError(f"no sandbox worker: {error.strerror or error}") from error
        if self._reply(_START_SECONDS) is None:
            self.close()
            raise ResourceError(
                "the sandbox worker does not start; try `python -c 'import generated_protocols.worker'`"
            )

    def _ask(self, line: bytes) -> dict[str, Any] | None:
        """Return what the worker says when a child has begun, or None, and no worker, when it died."""
        self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        view = memoryview(line)
        try:
            while view:
                view = view[self._process.stdin.write(view) :]
            begun = self._reply(_START_SECONDS)
        except BrokenPipeError:
            begun = None
        if begun is None:
            self.close()
        return begun

    def _reply(self, seconds: float) -> dict[str, Any] | None:
        """Return the worker's next line, or None when it died or is late."""
        assert self._process is not None
        assert self._process.stdout is not None
        deadline = time.monotonic() + seconds
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                return None
            piece = os.read(self._process.stdout.fileno(), 1 << 16)
            if not piece:
                self._process.wait()
                return None
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return cast(dict[str, Any], json.loads(line))


def _read(answer: bytes) -> Any:
    """Return what stands in an answer's memory; None where it is no length and ASCII JSON of that length."""
    length = int.from_bytes(answer[:8], "little")
    if not 0 < length <= ANSWER_BYTES - 8:
        return None
    try:
        return json.loads(answer[8 : 8 + length].decode("ascii"))
    except (ValueError, RecursionError):
        return None
