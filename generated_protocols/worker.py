"""The process that runs unreviewed protocols: it holds NumPy and nothing else, stays warm, and forks a child per job.

    python -I -c "…; from generated_protocols.worker import main; main()"

`main(joint=True)` holds torch as well, for published joint modules (`generated_protocols.joint`).

Jobs come as JSON lines on stdin, answers go as JSON lines to stdout. Each job runs in a child that gives up files,
sockets, processes and privileges first (`confinement`), and that is ended, with all that it may have started, when its
time is over. Arrays cross by shared memory; what the child says crosses as length-limited ASCII JSON in shared memory,
which the reader must not trust. Nothing is ever unpickled.
"""

from __future__ import annotations

import contextlib
import gc
import json
import mmap
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from buffers.schema import Field, TaskSchema
from generated_protocols.confinement import become_subreaper, close_files, confine, usage
from generated_protocols.contract import ContractError
from generated_protocols.contract_checks import BrokenContractError
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.trial import Trial, probe, replay, run_all

__all__ = ["ANSWER_BYTES", "main"]

ANSWER_BYTES = 256 * 1024
"""Size of the shared memory for a child's answer: 8 bytes of length, then ASCII JSON."""
_MESSAGE_LENGTH = 300
_SOURCES = ("part", "joint")
"""How the files of unreviewed sources are called."""


def main(joint: bool = False) -> None:
    """Serve jobs until stdin ends."""
    if joint:
        from generated_protocols.joint import warm_up

        warm_up()
    else:
        _warm_up()
    become_subreaper()
    gc.freeze()
    _say({"ready": os.getpid()})
    while line := _read_line():
        _say(_serve(json.loads(line)))


def _read_line() -> bytes:
    # unbuffered, so that select() on stdin tells the truth
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:
            return b""
        line += piece
    return line


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _warm_up() -> None:
    """Import what NumPy imports late: a confined child can open no file."""
    task = TaskSchema("warm", "", ("a", "b"), (Field("own.x", "x"),), (Field("own.x", "x"),), ("stay",), 2)
    source = """
import numpy as np
import math
def send(own):
    past = own.past("own.x")
    spread = np.std(past, axis=1) + np.median(past, axis=1) + np.linalg.norm(past, axis=1)
    return {"x": spread, "many": np.sort(np.stack([own["own.x"], spread], axis=1), axis=1), "one": own.agent_id == 1}
def receive(own, inbox):
    return {"x": inbox["x"].max(axis=1), "past": np.einsum("rwn->r", inbox.past("x")), "all": own.group("own.*")}
"""
    extended = np.ones((2, 3, 2, task.extended_dim), dtype=np.float32)
    alive = np.ones((2, 3, 2), dtype=bool)
    probe(Trial((source,), task, 2, {"warm": (extended, alive)}))
    try:
        raise ValueError("warm")
    except ValueError as error:
        json.dumps(_diagnosis(error).to_json())


def _serve(job: dict[str, Any]) -> dict[str, Any]:
    """Run one job in a child; `job["seconds"]` is its wall time."""
    started = time.monotonic()
    worker = os.getpid()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(tell)
            if os.read(told, 1):  # not before the reader of the answer knows whom to end
                _child(job, worker)
        except BaseException:  # a child must never return into the worker's loop
            traceback.print_exc()
        finally:
            os._exit(70)
    with contextlib.suppress(OSError):  # the child does it, too; whoever comes first
        os.setpgid(child, child)
    _say({"child": child})
    os.write(tell, b"x")
    os.close(told)
    os.close(tell)
    killed = _wait(child, started + job["seconds"])
    _end_group(child)
    _, status = os.waitpid(child, 0)
    _end_strays()
    return {"status": os.waitstatus_to_exitcode(status), "killed": killed, "seconds": time.monotonic() - started}


def _wait(child: int, deadline: float) -> bool:
    """Wait until the child has ended, but leave it to be reaped; end it at the deadline, and return whether."""
    pause = 0.001
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        # nobody writes while a job runs: readable means that the reader of the answer is gone
        orphaned = bool(select.select([0], [], [], min(pause, max(deadline - time.monotonic(), 0)))[0])
        if orphaned or time.monotonic() >= deadline:
            os.kill(child, signal.SIGKILL)
            os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
            return True
        pause = min(pause * 1.5, 0.02)
    return False


def _end_group(group: int) -> None:
    # EPERM is what macOS says of a group of zombies
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _end_strays() -> None:
    """End what the child started and left behind; as subreaper, this process inherits it."""
    while True:
        try:
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
                strays = [int(pid) for pid in children.read().split()]
        except OSError:
            return
        if not strays:
            return
        for stray in strays:
            os.kill(stray, signal.SIGKILL)
        for stray in strays:
            os.waitpid(stray, 0)


def _child(job: dict[str, Any], worker: int) -> None:
    """Read the job's arrays, confine this process, run the sources, and answer. Never returns."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    answer = _map(job["answer"], ANSWER_BYTES, writable=True)
    work = _joint_trial(job) if job["kind"] == "joint" else _trial(job)
    close_files()
    layers = confine(job["seconds"], job["memory"], worker)
    said: dict[str, Any] = {"layers": [[layer.name, layer.active, layer.detail] for layer in layers]}
    before = usage()
    try:
        said |= work()
        said["used"] = [after - start for after, start in zip(usage(), before, strict=True)]
    except BaseException as error:  # whatever an unreviewed source raises, SystemExit included, is its diagnostic
        said |= {"diagnostics": [_diagnosis(error).to_json()]}
    text = json.dumps(said).encode("ascii")
    if len(text) > ANSWER_BYTES - 8:
        os._exit(71)
    answer[8 : 8 + len(text)] = text
    answer[:8] = len(text).to_bytes(8, "little")
    os._exit(0)


def _trial(job: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Map the arrays of a job of parts, and return what is to be done once the process is confined."""
    trial = Trial(
        tuple(job.get("sources", ())),
        TaskSchema.from_json(job["schema"]) if "schema" in job else None,
        job.get("window", 1),
        {split: (_array(e, np.float32), _array(a, np.bool_)) for split, (e, a) in job.get("data", {}).items()},
        {split: _array(where, np.float32, writable=True) for split, where in job.get("payloads", {}).items()},
        {
            (split, condition): _array(where, np.float32, writable=True)
            for split, condition, where in job.get("messages", ())
        },
        tuple(job.get("conditions", ())),
        {
            (split, condition): _array(where, np.float32, writable=True)
            for split, condition, where in job.get("stepped", ())
        },
        job.get("seed", 0),
    )
    work = {"probe": probe, "run": run_all, "replay": replay}
    return lambda: work[job["kind"]](trial) if job["kind"] in work else {}


def _joint_trial(job: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Map the arrays of a published module's job, likewise."""
    from generated_protocols.joint import JointTrial, run_joint

    influence = job["influence"]
    trial = JointTrial(
        job["source"],
        job["number"],
        job["window"],
        {split: _array(extended, np.float32) for split, extended in job["data"].items()},
        {(s, c): _array(where, np.float32, writable=True) for s, c, where in job["messages"]},
        None if influence is None else _array(influence, np.float32, writable=True),
    )
    return lambda: run_joint(trial)


def _map(path: str, size: int, *, writable: bool) -> mmap.mmap:
    handle = os.open(path, os.O_RDWR if writable else os.O_RDONLY)
    try:
        return mmap.mmap(handle, size, access=mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)
    finally:
        os.close(handle)


def _array(where: dict[str, Any], dtype: type[np.generic], *, writable: bool = False) -> Any:
    shape = tuple(where["shape"])
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if not size:
        return np.zeros(shape, dtype=dtype)
    return np.frombuffer(_map(where["path"], size, writable=writable), dtype=dtype).reshape(shape)


def _diagnosis(error: BaseException) -> Diagnostic:
    """Return what an exception says, and the last line of a part's source that it passed through."""
    line, file = 0, ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith(_SOURCES) and name.endswith(".py"):
            line, file = number, name
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(_SOURCES):
        line, file = error.lineno or 0, error.filename or ""
    if isinstance(error, BrokenContractError):
        return error.diagnostic
    if isinstance(error, ContractError):
        return Diagnostic(line, 0, error.code, error.message[:_MESSAGE_LENGTH], error.hint[:_MESSAGE_LENGTH], file)
    if isinstance(error, MemoryError):
        return Diagnostic(line, 0, "PD502", "out of memory", "fewer or smaller intermediate arrays", file)
    what = f"{type(error).__name__}: {error}"[:_MESSAGE_LENGTH]
    return Diagnostic(line, 0, "PD410", what, "the code must run on every row, the dead and the empty included", file)


if __name__ == "__main__":
    main()
