"""Try a hostile module: by the static rules, and in the sandbox without them; say what came of it."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hostile import CANARY, HONEST, SCHEMA, Hostile

from buffers.episodes import BoolArray, Float32Array
from protocol_designer.sandbox import Sandbox, SandboxLimits, SandboxRun
from protocol_designer.validation import validate

__all__ = ["KINDS", "Outcome", "Range", "all_modules"]

KINDS = {
    "numpy": "files, code and memory through NumPy",
    "language": "escapes by the language",
    "tampering": "tampering with the contract and the program",
    "bombs": "resource bombs",
    "encoding": "encoding tricks",
    "parsers": "parser killers",
    "cheats": "contract cheats",
    "broken": "honest mistakes",
}
SECONDS = 2.0
GRACE = 2.0
WINDOW = 4


def all_modules(files: str = "hostile") -> list[tuple[str, Hostile]]:
    """Return the modules of the corpus with kinds: "hostile", or "more", which only the long run tries."""
    return [(kind, module) for kind in KINDS for module in importlib.import_module(f"{files}_{kind}").MODULES]


@dataclass(frozen=True)
class Outcome:
    """What became of a module: codes of the static rules and of the sandbox, and all that it got hold of."""

    static: tuple[str, ...]
    sandbox: tuple[str, ...]
    seconds: float
    escaped: tuple[str, ...]


class Range:
    """A sandbox with recorded episodes, a folder that must stay as it is, and an honest protocol to compare with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "kept").write_text("as it was", encoding="utf-8")
        os.environ["PROTOCOL_CANARY_KEY"] = "sk-canary"
        self.sandbox = Sandbox(seed=0)
        self.data = {"fit": _recorded(60, 0), "select": _recorded(7, 1)}
        self._before = {split: (e.copy(), a.copy()) for split, (e, a) in self.data.items()}
        self._honest = self.sandbox.run([HONEST], SCHEMA, WINDOW, self.data)
        assert not self._honest.diagnostics

    def close(self) -> None:
        """End the sandbox."""
        self.sandbox.close()
        os.environ.pop("PROTOCOL_CANARY_KEY")

    def attempt(self, module: Hostile) -> Outcome:
        """Read `module` by the static rules, run it without them, and look at what it left behind."""
        source = module.source
        if isinstance(source, str):
            source = source.replace(CANARY, str(self.folder))
        static = tuple(sorted({d.code for d in validate(source, schema=SCHEMA, part=0)}))
        text = source if isinstance(source, str) else source.decode("utf-8-sig", "replace")
        limits = SandboxLimits(seconds=SECONDS, memory_bytes=2**29, result_bytes=2**28)
        run = self.sandbox.run([text], SCHEMA, WINDOW, self.data, limits=limits)
        codes = tuple(sorted({d.code for d in run.diagnostics}))
        return Outcome(static, codes, run.seconds, tuple(self._escapes(run)))

    def escapes_of(self, source: str) -> list[str]:
        """Run a source that the static rules accept, and return what it got hold of."""
        limits = SandboxLimits(seconds=SECONDS, memory_bytes=2**29, result_bytes=2**28)
        return self._escapes(self.sandbox.run([source], SCHEMA, WINDOW, self.data, limits=limits))

    def _escapes(self, run: SandboxRun) -> list[str]:
        found = []
        if run.seconds > SECONDS + GRACE:
            found.append(f"ran on for {run.seconds:.1f} s")
        if any("sk-canary" in str(d) for d in run.diagnostics):
            found.append("read a secret")
        if self._children():
            found.append("left a process behind")
        if sorted(os.listdir(self.folder)) != ["kept"] or (self.folder / "kept").read_text("utf-8") != "as it was":
            found.append("touched a file")
        for split, arrays in self.data.items():
            if not all(np.array_equal(now, was) for now, was in zip(arrays, self._before[split], strict=True)):
                found.append(f"changed the recorded episodes of {split}")
        again = self.sandbox.run([HONEST], SCHEMA, WINDOW, self.data)
        if again.diagnostics or not _same(again, self._honest):
            found.append("changed what the next protocol says")
        return found

    def _children(self) -> list[str]:
        pid = self.sandbox.worker_pid
        return [] if pid is None else Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def _same(one: SandboxRun, other: SandboxRun) -> bool:
    return all(np.array_equal(one.messages[key], other.messages[key]) for key in other.messages)


def _recorded(episodes: int, seed: int) -> tuple[Float32Array, BoolArray]:
    rng = np.random.default_rng(seed)
    entries, n = SCHEMA.episode_limit + 1, SCHEMA.n_agents
    extended = rng.normal(size=(episodes, entries, n, SCHEMA.extended_dim)).astype(np.float32)
    extended[..., SCHEMA.obs_dim + SCHEMA.n_actions :] = np.eye(n, dtype=np.float32)
    return extended, rng.random((episodes, entries, n)) > 0.1
