"""What holds on this machine: the layers of the sandbox, tried by breaking out of it, and what the rest would need."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from buffers.errors import ProtocolDesignerError
from buffers.schema import Field, TaskSchema
from protocol_designer.sandbox import Sandbox, SandboxLimits, SandboxRun, SandboxWarning
from protocol_designer.sandbox_worker import BUBBLEWRAP
from protocol_designer.validation import validate

__all__ = ["Examined", "examine"]

State = Literal["fine", "missing", "FAILED", "note"]

_REMEDIES = {
    "Landlock": "Linux 5.13 or newer with `landlock` among its security modules (/sys/kernel/security/lsm)",
    "seccomp": "Linux on x86-64 or ARM64",
    "resource limits": "a system with setrlimit: Linux or macOS",
    "no new privileges": "Linux",
    "ends with its parent": "Linux; elsewhere a worker that lost its parent is ended at its deadline",
}
_HONEST = 'def send(own):\n    return {"x": own["own.x"]}\n'
_OS = "np.lib._npyio_impl.os"
_LIBC = "np.__builtins__['__import__']('sys').modules['ctypes'].CDLL(None)"
# what a part without static rules would try; each has to come back as a finding
_ATTEMPTS = {
    "reads a file": "np.loadtxt('/etc/passwd', dtype='U99')",
    "writes a file": f"{_OS}.open('/tmp/protocol-doctor', {_OS}.O_CREAT | {_OS}.O_WRONLY)",
    "starts a process": f"{_OS}.fork()",
    "ends another process": f"{_OS}.kill({_OS}.getppid(), 9)",
    "opens a socket": f"assert {_LIBC}.socket(2, 2, 0) >= 0, 'no socket'",
    "takes all memory": "np.ones(2**40)",
    "never ends": "while True: pass",
}


@dataclass(frozen=True)
class Examined:
    """One thing that was looked at: `state` is fine, missing (weaker without it), FAILED (does not hold), or a note."""

    group: str
    name: str
    state: State
    detail: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain JSON values."""
        return asdict(self)


def examine() -> Iterator[Examined]:
    """Look at this machine, one thing after the other; nothing outside the sandbox's own worker is touched."""
    yield from _here()
    yield from _static_rules()
    yield from _sandbox()
    yield from _designers()


def _here() -> Iterator[Examined]:
    yield Examined("machine", "python", "fine", f"{platform.python_version()} ({sys.executable})")
    system = f"{platform.system()} {platform.release()} on {platform.machine()}, {os.cpu_count()} cores"
    yield Examined("machine", "system", "fine", system)
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "torch", "libcst", "numba")]
    yield Examined("machine", "libraries", "fine", ", ".join(versions))
    import torch

    cuda = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    yield Examined("machine", "CUDA", "fine" if cuda else "note", cuda or "none: training runs on the CPU")
    free = shutil.disk_usage(Path.cwd()).free / 2**30
    enough = free > 2
    yield Examined(
        "machine",
        "disk",
        "fine" if enough else "note",
        f"{free:.1f} GiB free here",
        "" if enough else "a data set takes up to 1 GiB, a run's replay buffer as much",
    )


def _static_rules() -> Iterator[Examined]:
    started = time.monotonic()
    refused = validate("import os\n\n" + _HONEST, schema=_SCHEMA, part=0)
    accepted = validate(_HONEST, schema=_SCHEMA, part=0)
    took = (time.monotonic() - started) / 2
    right = not accepted and [found.code for found in refused] == ["PD301"]
    detail = f"read a part in {took:.2f} s" if right else "; ".join(map(str, [*accepted, *refused]))
    yield Examined("static rules", "read", "fine" if right else "FAILED", detail)


def _sandbox() -> Iterator[Examined]:
    try:
        with warnings.catch_warnings(), Sandbox() as sandbox:
            warnings.simplefilter("ignore", SandboxWarning)  # it is said here
            for layer in sandbox.layers():
                remedy = "" if layer.active else _REMEDIES.get(layer.name, "")
                yield Examined("sandbox", layer.name, "fine" if layer.active else "missing", layer.detail, remedy)
            if not os.environ.get(BUBBLEWRAP):
                here = shutil.which("bwrap")
                said = f"{BUBBLEWRAP}=1 switches it on" if here else "not installed"
                yield Examined("sandbox", "bubblewrap", "note", f"optional, off: {said}")
            yield from _attempts(sandbox)
    except ProtocolDesignerError as error:
        yield Examined("sandbox", "worker", "FAILED", str(error))


def _attempts(sandbox: Sandbox) -> Iterator[Examined]:
    extended = np.zeros((2, 3, 2, _SCHEMA.extended_dim), dtype=np.float32)
    data = {"fit": (extended, np.ones((2, 3, 2), dtype=bool))}
    limits = SandboxLimits(seconds=1.0, memory_bytes=2**29)

    def run(source: str) -> SandboxRun:
        return sandbox.run([source], _SCHEMA, 3, data, limits=limits)

    for name, statement in _ATTEMPTS.items():
        found = run(f"import numpy as np\n\ndef send(own):\n    {statement}\n    return {{'x': own['own.x']}}\n")
        held = bool(found.diagnostics)
        detail = f"refused: {found.diagnostics[0].message}" if held else "NOT refused"
        yield Examined("tried in the sandbox", name, "fine" if held else "FAILED", detail)
    after = run(_HONEST).diagnostics
    detail = "runs as before" if not after else str(after[0])
    yield Examined("tried in the sandbox", "an honest part after that", "FAILED" if after else "fine", detail)


def _designers() -> Iterator[Examined]:
    yield Examined("designers", "search", "fine", "needs nothing")
    for name, key in (("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")):
        there = bool(os.environ.get(key))
        detail = f"{key} is {'set' if there else 'not set'}"
        yield Examined(
            "designers", name, "fine" if there else "note", detail, "" if there else "or --base-url of your own server"
        )


_SCHEMA = TaskSchema(
    "doctor", "two agents", ("a", "b"), (Field("own.x", "a place"),), (Field("own.x", "a place"),), ("stay", "go"), 2
)
