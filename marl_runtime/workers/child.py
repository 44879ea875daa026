"""One worker: `python -m marl_runtime.workers.child SOCKET MEMORY TASK` plays its environments as it is told.

It is told by lines of JSON over a socket, and answers each with one; the numbers are in shared memory.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, TextIO

import numpy as np

from buffers.errors import ProtocolDesignerError
from marl_runtime.environment import EnvironmentCrashError, EpisodesLostError, VectorEnvironment
from marl_runtime.tasks import find_task, map_names
from marl_runtime.workers.memory import SharedArrays

__all__ = ["main"]

_PRESENT = ("obs", "state", "avail_actions", "alive")
_RESULT = ("rewards", "terminated", "truncated", "success")


def main(channel: int, memory: int, task: str) -> int:
    """Answer until the other end is gone."""
    threading.Thread(target=_stop_without_parent, args=(os.getppid(),), daemon=True).start()
    for descriptor in (channel, memory):
        os.set_inheritable(descriptor, False)  # a game that is started here must not keep the socket open
    lines = socket.socket(fileno=channel).makefile("rw", encoding="utf-8")
    _warm_up(task)
    _answer(lines, {"ready": True})
    environment: VectorEnvironment | None = None
    for line in lines:
        order = json.loads(line)
        try:
            if order["do"] == "build":
                shared, rows, environment = _build(order, memory)
            elif environment is not None:
                _play(order["do"], environment, shared, rows)
        except ProtocolDesignerError as error:
            crashed = isinstance(error, EnvironmentCrashError | EpisodesLostError)
            _answer(lines, {"error": str(error), "crash": crashed})
        except Exception as error:
            _answer(lines, {"error": EnvironmentCrashError.of(order["do"], error).args[0], "crash": True})
        else:
            _answer(lines, {"done": order["do"]})
    if environment is not None:
        environment.close()
    return 0


def _warm_up(task: str) -> None:
    """Let the embedded simulator compile, which takes seconds in a fresh clone, before anybody counts them."""
    if task in map_names() or task.endswith(".toml"):
        environment = find_task(task).make(1)
        environment.reset(np.array([True]), np.array([0]))
        environment.step(environment.avail_actions.argmax(axis=-1))


def _build(order: Mapping[str, Any], memory: int) -> tuple[SharedArrays, slice, VectorEnvironment]:
    task = find_task(order["task"])
    rows = slice(order["first"], order["last"] + 1)
    return (
        SharedArrays(task.schema, order["envs"], memory),
        rows,
        task.environment(rows.stop - rows.start, testing=order["testing"]),
    )


def _play(what: str, environment: VectorEnvironment, shared: SharedArrays, rows: slice) -> None:
    if what == "reset":
        environment.reset(shared["mask"][rows].copy(), shared["seeds"][rows].copy())
    else:
        result = environment.step(shared["actions"][rows].copy())
        for name in _RESULT:
            shared[name][rows] = getattr(result, name)
    for name in _PRESENT:
        shared[name][rows] = np.asarray(getattr(environment, name))


def _answer(lines: TextIO, value: Mapping[str, Any]) -> None:
    lines.write(json.dumps(value) + "\n")
    lines.flush()


def _stop_without_parent(parent: int) -> None:
    """End at once when the process that started this one is gone, whatever the environment is doing."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    os.dup2(2, 1)  # what an environment prints is no result of ours
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
