"""Published joint protocols: modules of the form `communication(o)` that read the observations of all agents at once.

LMAC's released modules take `o` `[R, N, D]`, or `[R, W, N, D]` for a module over the last W steps (oldest first, steps
before an episode -1), and return `[R, N, D + M]`: the observations of now, then M numbers for each receiver. They are
torch code that nobody checked and that may look at anything, so they run in a sandbox of their own; in this process
only for who says `--trust`. (Source: github.com/SaaangJun/LMAC, `src/llm_source_archive`.)

Axes: B episodes, T1 entries (T + 1), E environments, N agents, D extended observation, W window, M message, R rows of
joint observations.

The only module of this package that imports torch, and only inside its functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.errors import RejectedError, UsageError
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Component
from generated_protocols.contract import ContractError
from generated_protocols.manifest import Manifest, joint_sources, read_manifest, read_schema, require_unedited
from generated_protocols.protocol import Condition

__all__ = ["JointPart", "JointProtocol", "JointTrial", "run_joint", "warm_up"]

PADDING = -1.0
"""What stands in a window for steps before the episode."""
_CHUNK_VALUES = 8_000_000  # numbers of observations in one call: 32 MB
_PROBE_ROWS = 8
_INFLUENCE_ROWS = 256
_RELATIVE_CHANGE = 1e-5


class JointPart:
    """One published module: `communication` compiled from its source, called on NumPy arrays."""

    def __init__(self, source: str, number: int) -> None:
        self.number, self.file = number, f"joint{number}.py"
        namespace: dict[str, Any] = {"__name__": f"protocol_joint{number}"}
        exec(compile(source, self.file, "exec", dont_inherit=True), namespace)
        self._communication = namespace.get("communication")
        if not callable(self._communication):
            raise ContractError("PD451", f"{self.file} defines no function communication(o)", "the published form")

    def messages(self, observations: Float32Array) -> Float32Array:
        """Return what each receiver gets, `[R, N, M]`, of `[R, N, D]` or `[R, W, N, D]`.

        What is of another form raises `ContractError`; whatever the module raises goes through.
        """
        import torch

        rows, n_agents, width = observations.shape[0], *observations.shape[-2:]
        with torch.no_grad():
            returned = self._communication(torch.from_numpy(np.array(observations, dtype=np.float32)))  # type: ignore[misc]
        found = np.asarray(returned.detach().cpu() if isinstance(returned, torch.Tensor) else returned)
        if found.ndim != 3 or found.shape[:2] != (rows, n_agents) or found.shape[2] <= width:
            hint = f"[rows, {n_agents}, {width} + M] is needed, the observations first"
            raise ContractError("PD455", f"{self.file} returned shape {found.shape} for {rows} rows", hint)
        return found[..., width:].astype(np.float32)

    def alone(self, observations: Float32Array, heard: BoolArray | None = None) -> Float32Array:
        """Return messages `[R, N, M]` where each receiver hears only the senders in `heard` `[R, N receiver, N]`.

        A sender that is not heard has zeros for its observation, one's own always counts; None: nobody is heard.
        """
        n = observations.shape[-2]
        out = []
        for receiver in range(n):
            keep = np.zeros((len(observations), n), dtype=bool) if heard is None else heard[:, receiver].copy()
            keep[:, receiver] = True
            spread = keep[:, None, :, None] if observations.ndim == 4 else keep[:, :, None]
            out.append(self.messages(np.where(spread, observations, np.float32(0)))[:, receiver])
        return np.stack(out, axis=1)


@dataclass(frozen=True)
class JointTrial:
    """A published module's source and the episodes that it runs on, in the sandbox.

    `window` is 0 for a module over one step. `data` holds `[B, T1, N, D]` by split, `messages` `[B, T1, N, M]` by split
    and condition is written, and so is `influence` `[N receiver, N sender, D]`.
    """

    source: str
    number: int
    window: int
    data: Mapping[str, Float32Array]
    messages: Mapping[tuple[str, Condition], Float32Array] = field(default_factory=dict)
    influence: Float32Array | None = None


def warm_up() -> None:
    """Import and use torch, on one thread: threads do not survive a fork, and a confined child opens no file."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    source = """
import torch as th
import torch.nn.functional as F
import numpy as np
import math
def communication(o):
    seen = th.where(o[..., :1] > 0, o[..., :1], th.zeros_like(o[..., :1]))
    order = th.argsort(seen.squeeze(-1), dim=-1).unsqueeze(-1)
    mean = th.einsum("rnd->rd", o).unsqueeze(1).expand_as(o)[..., :4]
    return th.cat([o, F.one_hot(order.squeeze(-1), o.shape[1]).float(), th.gather(seen, 1, order), mean], dim=-1)
"""
    extended = np.ones((2, 2, 3, 4), dtype=np.float32)
    messages: dict[tuple[str, Condition], Float32Array] = {
        ("warm", condition): np.zeros((2, 2, 3, 8), dtype=np.float32) for condition in ("full", "empty")
    }
    run_joint(JointTrial(source, 0, 0, {"warm": extended}, messages, np.zeros((3, 3, 4), dtype=np.float32)))
    try:
        JointPart("import torch\ndef communication(o):\n    return torch.cat([o[:, 0], o], dim=-1)\n", 0).messages(
            np.ones((2, 3, 4), dtype=np.float32)
        )
    except RuntimeError as error:
        str(error)


def run_joint(trial: JointTrial) -> dict[str, Any]:
    """Run a module over all episodes and write what it says; without arrays to write into, only try its width.

    What changes its width, sees other rows of the batch, or is not finite raises `ContractError`.
    """
    part = JointPart(trial.source, trial.number)
    extended = next(iter(trial.data.values()))
    few = next(_windows(extended[: min(2, len(extended))], trial.window))[1][:_PROBE_ROWS]
    width = part.messages(few).shape[2]
    for (split, condition), out in trial.messages.items():
        for chunk, observations in _windows(trial.data[split], trial.window):
            found = part.messages(observations) if condition == "full" else part.alone(observations)
            _require(part, found, width)
            flat = out.reshape(-1, *out.shape[2:])
            flat[chunk] = found
    if trial.messages:
        _require_rows_apart(part, few)
    if trial.influence is not None:
        recorded = _some_rows(extended, trial.window)
        # what recorded steps hardly ever show, a flag that is up, random ones do
        random = np.random.default_rng(0).uniform(-1, 1, recorded.shape).astype(np.float32)
        trial.influence[...] = np.maximum(_influence(part, recorded), _influence(part, random))
    return {"components": [[trial.number, "message", width]], "payload_components": []}


def _require(part: JointPart, found: Float32Array, width: int) -> None:
    if found.shape[2] != width:
        raise ContractError(
            "PD459", f"{part.file} said {width} numbers, and now says {found.shape[2]}", "the width is fixed"
        )
    if not np.isfinite(found).all():
        raise ContractError("PD413", f"{part.file}: messages are not finite", "guard divisions and logarithms")


def _require_rows_apart(part: JointPart, rows: Float32Array) -> None:
    together = part.messages(rows)
    single = np.concatenate([part.messages(rows[i : i + 1]) for i in range(len(rows))])
    if not np.allclose(together, single, rtol=1e-4, atol=1e-5):
        raise ContractError(
            "PD415", f"{part.file}: what one step is told depends on others of the batch", "use each row by itself"
        )


def _windows(extended: Float32Array, window: int) -> Iterator[tuple[slice, Float32Array]]:
    """Yield rows of joint observations, `[R, N, D]` or with a window `[R, W, N, D]`, and where they stand in B * T1."""
    episodes, entries, n_agents, width = extended.shape
    if not window:
        flat = extended.reshape(-1, n_agents, width)
        size = max(1, _CHUNK_VALUES // (n_agents * width))
        for first in range(0, len(flat), size):
            yield slice(first, min(first + size, len(flat))), flat[first : first + size]
        return
    size = max(1, _CHUNK_VALUES // (entries * window * n_agents * width))
    for first in range(0, episodes, size):
        some = extended[first : first + size]
        before = np.full((len(some), window - 1, n_agents, width), PADDING, dtype=np.float32)
        padded = np.concatenate([before, some], axis=1)
        # [B, T1, N, D, W] → [R, W, N, D]
        seen = np.lib.stride_tricks.sliding_window_view(padded, window, axis=1)
        rows = np.moveaxis(seen, -1, 2).reshape(-1, window, n_agents, width)
        yield slice(first * entries, first * entries + len(rows)), rows


def _some_rows(extended: Float32Array, window: int) -> Float32Array:
    """Return rows from all over the recorded episodes."""
    episodes = np.linspace(0, len(extended) - 1, min(len(extended), _INFLUENCE_ROWS), dtype=int)
    rows = np.concatenate([found for _, found in _windows(extended[episodes], window)])
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), _INFLUENCE_ROWS), dtype=int)]


def _influence(part: JointPart, rows: Float32Array) -> Float32Array:
    """Return how much receivers' messages change (RMS) with each field of each sender, `[N receiver, N sender, D]`.

    A field is replaced by that of another row, over the whole window, and where the two are equal by one more.
    """
    n_agents, width = rows.shape[-2:]
    other = np.roll(rows, len(rows) // 2 + 1, axis=0)
    other = np.where(other == rows, rows + 1, other)
    before = part.messages(rows)
    scale = np.maximum(np.sqrt(np.mean(before**2, axis=(0, 1))), 1e-6)
    found = np.zeros((n_agents, n_agents, width), dtype=np.float32)
    for sender in range(n_agents):
        for column in range(width):
            changed = rows.copy()
            changed[..., sender, column] = other[..., sender, column]
            moved = (part.messages(changed) - before) / scale  # [R, N, M]
            found[:, sender, column] = np.sqrt(np.mean(np.nan_to_num(moved) ** 2, axis=0)).max(axis=1)
    found[found < _RELATIVE_CHANGE] = 0
    return found


class JointProtocol:
    """An imported joint protocol, run in this process: a drop-in for `Protocol` in training and evaluation."""

    def __init__(self, parts: Sequence[tuple[JointPart, int]], manifest: Manifest, schema: TaskSchema) -> None:
        self.parts, self.manifest, self.schema = tuple(parts), manifest, schema
        self.components = tuple(Component(c["part"], c["name"], c["width"]) for c in manifest.message)

    @classmethod
    def load(cls, path: Path, schema: TaskSchema, *, trust: bool) -> JointProtocol:
        """Load the joint protocol in folder `path`; without `trust` raises `UsageError`, edited `NotFrozenError`."""
        if not trust:
            raise UsageError(
                f"{path} is an imported joint protocol: code that nobody checked, and that would run in this process. "
                "Read it, and say --trust"
            )
        manifest, sources = read_manifest(path), joint_sources(path)
        schema.require_same_layout(read_schema(path), f"the protocol {path}")
        require_unedited(path, manifest, sources)
        parts = []
        for entry in manifest.joint:
            if not entry["reason"]:
                number = int(entry["part"])
                try:
                    parts.append((JointPart(sources[f"joint{number}.py"].decode("utf-8-sig"), number), entry["window"]))
                except Exception as error:
                    raise RejectedError(f"{path / f'joint{number}.py'} does not load: {error}") from error
        return cls(parts, manifest, schema)

    @property
    def message_dim(self) -> int:
        """M, the width of what one receiver gets."""
        return sum(component.width for component in self.components)

    def messages(self, extended: Float32Array, alive: BoolArray, *, inbox: Condition = "full") -> Float32Array:
        """Return what every receiver gets, `[B, T1, N, M]`; zeros for the dead."""
        out = []
        for part, window in self.parts:
            found = [
                part.messages(rows) if inbox == "full" else part.alone(rows) for _, rows in _windows(extended, window)
            ]
            out.append(np.concatenate(found).reshape(*extended.shape[:3], -1))
        messages = np.concatenate(out, axis=-1)
        messages[~alive] = 0
        return messages

    def stepper(self, num_envs: int) -> JointStepper:
        """Return a stepper that plays the protocol in E environments."""
        return JointStepper(self, num_envs)


class JointStepper:
    """Plays a joint protocol step by step; what it returns equals `JointProtocol.messages` on the same steps."""

    def __init__(self, protocol: JointProtocol, num_envs: int) -> None:
        self._protocol = protocol
        longest = max(window for _, window in protocol.parts)
        shape = (num_envs, max(longest, 1), protocol.schema.n_agents, protocol.schema.extended_dim)
        self._past = np.full(shape, PADDING, dtype=np.float32)

    def reset(self, mask: BoolArray) -> None:
        """Forget the history of the environments where `mask` `[E]` is true."""
        self._past[mask] = PADDING

    def step(self, extended: Float32Array, alive: BoolArray, delivered: BoolArray | None = None) -> Float32Array:
        """Return what every receiver gets now, `[E, N, M]`; `delivered` `[E, N receiver, N sender]` loses messages."""
        self._past = np.roll(self._past, -1, axis=1)
        self._past[:, -1] = extended
        out = []
        for part, window in self._protocol.parts:
            rows = self._past[:, -window:] if window else extended
            out.append(part.messages(rows) if delivered is None else part.alone(rows, delivered))
        messages = np.concatenate(out, axis=-1)
        messages[~alive] = 0
        return messages
