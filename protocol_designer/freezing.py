"""Freezing a protocol that a person wrote or edited: checked, run in the sandbox, scored again, and kept.

What comes back is a report that the command line renders; nothing is printed here. A protocol that is refused leaves
its folder as it was.

Axes: B episodes, T timesteps, N agents, D extended observation, M message.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.errors import CorruptFileError, RejectedError
from buffers.progress import Progress, silent
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Bandwidth, measure_bandwidth
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.manifest import Manifest, edited_parts, freeze, part_sources, read_manifest, read_schema
from generated_protocols.protocol import DEFAULT_WINDOW
from protocol_designer.reviewing import signature
from protocol_designer.sandbox import Sandbox, SandboxLimits, SandboxRun
from protocol_designer.validation import VALIDATOR_VERSION, validate

__all__ = ["FreezeReport", "Recording", "Scorer", "Version", "freeze_edited", "imagined_episodes"]

Scorer = Callable[[SandboxRun], Mapping[str, Any]]
"""Gives the figures of a run over the recorded splits, as plain JSON values."""


@dataclass(frozen=True)
class Recording:
    """One split of the recorded data set: `extended` `[B, T+1, N, D]`, `alive` `[B, T+1, N]`, `valid` `[B, T, N]`.

    `valid` is where a step was played and its agent lived: bandwidth is measured there.
    """

    extended: Float32Array
    alive: BoolArray
    valid: BoolArray


@dataclass(frozen=True)
class Version:
    """What was measured of one version of the protocol; scores and bandwidth are None where there is no data set."""

    message_dim: int
    scores: Mapping[str, Any] | None = None
    bandwidth: Bandwidth | None = None
    microseconds_per_row: float | None = None
    bytes_per_row: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values, named as in the entries of a manifest's scores."""
        bits = None if self.bandwidth is None else self.bandwidth.total
        return {"card": self.scores, "message_dim": self.message_dim, "bits_per_step": bits}

    def with_cost(self) -> dict[str, Any]:
        """Return the figures with what a row took to run: those differ from run to run, so no manifest holds them."""
        cost = {"microseconds_per_row": self.microseconds_per_row, "bytes_per_row": self.bytes_per_row}
        return {**self.to_json(), **cost}


@dataclass(frozen=True)
class FreezeReport:
    """What freezing found: what is wrong, or what the edit changed and the manifest that was written.

    `edited` names the part files that differ from the version before, `diff` shows how. `before` is None when there is
    no version before that runs. `unchanged` says that there was nothing to freeze.
    """

    folder: Path
    diagnostics: tuple[Diagnostic, ...] = ()
    manifest: Manifest | None = None
    edited: tuple[str, ...] = ()
    diff: str = ""
    before: Version | None = None
    after: Version | None = None
    layers: tuple[str, ...] = ()
    unchanged: bool = False
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether the protocol is frozen now."""
        return self.manifest is not None

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {
            "folder": str(self.folder),
            "accepted": self.accepted,
            "unchanged": self.unchanged,
            "edited": list(self.edited),
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
            "diff": self.diff,
            "before": None if self.before is None else self.before.with_cost(),
            "after": None if self.after is None else self.after.with_cost(),
            "layers": list(self.layers),
            "version": None if self.manifest is None else self.manifest.frozen,
        }


def freeze_edited(
    folder: Path,
    schema: TaskSchema,
    sandbox: Sandbox,
    *,
    recorded: Mapping[str, Recording] | None = None,
    scorer: Scorer | None = None,
    limits: SandboxLimits | None = None,
    data_set: Mapping[str, Any] | None = None,
    reviewed_by: str = "",
    progress: Progress = silent,
) -> FreezeReport:
    """Validate, run, score and freeze the sources in `folder`, beside the version that was frozen before.

    `recorded` holds the splits of the data set that the sources run on, the last of them the one whose bandwidth
    counts; without it they run on imagined episodes, and the manifest says that they are unscored, as it does without
    a `scorer`. `data_set` is recorded with the scores. A folder that holds no protocol, or one of another layout,
    raises `RejectedError`.
    """
    sources = part_sources(folder)
    if reviewed_by:
        signature(reviewed_by, 0)  # a name that cannot stand there is said before the work
    _require_contiguous(folder, sources)
    manifest, kept = _version_before(folder, schema)
    edited = tuple(edited_parts(manifest, sources))
    scored = bool(recorded) and scorer is not None
    if manifest.frozen_at and not edited and (manifest.scored or not scored) and not reviewed_by:
        return FreezeReport(folder, manifest=manifest, unchanged=True)
    report = FreezeReport(folder, edited=edited, diff=_diff(kept, sources), sources=_texts(sources))
    progress(0, _STAGES, "reading the sources")
    found = [d for n, text in sources.items() for d in validate(text, schema=schema, part=n, file=_name(n))]
    if found:
        return replace(report, diagnostics=tuple(found))
    measure = _Measure(schema, manifest.window, sandbox, scorer, limits, *_episodes(recorded, schema))
    progress(1, _STAGES, "running them in the sandbox")
    run = measure.run(sources)
    report = replace(report, diagnostics=run.diagnostics, layers=run.layers)
    if run.diagnostics:
        return report
    progress(2, _STAGES, "scoring")
    report = replace(report, after=measure.version(run))
    if edited and kept:
        progress(3, _STAGES, "scoring the version before")
        earlier = measure.run(kept)
        report = replace(report, before=None if earlier.diagnostics else measure.version(earlier))
    frozen = freeze(folder, _manifest(manifest, report, run, data_set, reviewed_by), schema, checked=sources)
    progress(_STAGES, _STAGES, "frozen")
    return replace(report, manifest=frozen)


_STAGES = 4


@dataclass(frozen=True)
class _Measure:
    """Runs and scores one version after the other under the same conditions."""

    schema: TaskSchema
    window: int
    sandbox: Sandbox
    scorer: Scorer | None
    limits: SandboxLimits | None
    episodes: Mapping[str, tuple[Float32Array, BoolArray]]
    valid: BoolArray | None  # [B, T, N] of the last split, None where episodes are imagined

    def run(self, sources: Mapping[int, bytes]) -> SandboxRun:
        """Run the parts in the sandbox, contract tests included."""
        texts = list(_texts(sources).values())
        return self.sandbox.run(texts, self.schema, self.window, self.episodes, limits=self.limits)

    def version(self, run: SandboxRun) -> Version:
        """Measure what a run gave."""
        width = sum(component.width for component in run.components)
        rows = max(run.rows, 1)
        cost = (run.cpu_seconds / rows * 1e6, run.peak_bytes / rows)
        if self.valid is None:
            return Version(width, None, None, *cost)
        payloads = run.payloads[list(self.episodes)[-1]][:, : self.valid.shape[1]]
        bandwidth = measure_bandwidth(payloads, self.valid, run.payload_components)
        return Version(width, None if self.scorer is None else self.scorer(run), bandwidth, *cost)


def _episodes(
    recorded: Mapping[str, Recording] | None, schema: TaskSchema
) -> tuple[Mapping[str, tuple[Float32Array, BoolArray]], BoolArray | None]:
    if not recorded:
        return {"imagined": imagined_episodes(schema)}, None
    return {name: (r.extended, r.alive) for name, r in recorded.items()}, list(recorded.values())[-1].valid


def imagined_episodes(schema: TaskSchema, episodes: int = 32, seed: int = 0) -> tuple[Float32Array, BoolArray]:
    """Return extended observations `[B, T+1, N, D]` within the schema's ranges, and who lives `[B, T+1, N]`.

    They show that a protocol keeps the contract where no data set is at hand; they say nothing of what it is worth.
    """
    rng = np.random.default_rng(seed)
    entries, n = min(schema.episode_limit, 40) + 1, schema.n_agents
    low = np.array([f.low for f in schema.obs_fields])
    high = np.array([f.high for f in schema.obs_fields])
    obs = rng.uniform(low, high, size=(episodes, entries, n, schema.obs_dim))
    whole = np.array([f.kind != "continuous" for f in schema.obs_fields])
    obs[..., whole] = np.round(obs[..., whole])
    obs[rng.random(obs.shape) < 0.3] = 0  # much of what an agent observes is out of sight
    last = np.eye(schema.n_actions)[rng.integers(schema.n_actions, size=(episodes, entries, n))]
    last[:, 0] = 0
    ids = np.broadcast_to(np.eye(n), (episodes, entries, n, n))
    deaths = rng.geometric(0.5 / entries, size=(episodes, 1, n))
    alive = np.arange(entries)[None, :, None] < deaths
    obs[~alive] = 0
    return np.concatenate([obs, last, ids], axis=-1).astype(np.float32), alive


def _require_contiguous(folder: Path, sources: Mapping[int, bytes]) -> None:
    missing = sorted(set(range(len(sources))) - set(sources))
    if missing:
        raise RejectedError(
            f"{folder} holds {', '.join(map(_name, sources))} but no {_name(missing[0])}; "
            "parts are numbered from 0 without a gap, rename them"
        )


def _version_before(folder: Path, schema: TaskSchema) -> tuple[Manifest, dict[int, bytes]]:
    """Return the manifest to go on from and the sources that were frozen last, none where there were none."""
    if not (folder / "manifest.json").exists():
        return Manifest(task=schema.name, layout_hash=schema.layout_hash, window=DEFAULT_WINDOW), {}
    manifest = read_manifest(folder)
    schema.require_same_layout(read_schema(folder), f"the protocol {folder}")
    kept = folder / "frozen" / str(manifest.frozen)
    if not kept.exists():
        return manifest, {}  # somebody tidied up: there is nothing to compare with
    sources = part_sources(kept)
    changed = edited_parts(manifest, sources)
    if changed:
        raise CorruptFileError(
            f"{kept} is not what was frozen ({', '.join(changed)} changed); remove it to freeze without a comparison"
        )
    return manifest, sources


def _manifest(
    before: Manifest, report: FreezeReport, run: SandboxRun, data_set: Mapping[str, Any] | None, reviewed_by: str
) -> Manifest:
    assert report.after is not None
    after = report.after
    same = not report.edited  # a review or a late score: what was measured before still holds
    entry: dict[str, Any] = {"pass": "edit" if report.edited else "again", "edited": list(report.edited)}
    entry |= after.to_json()
    if report.before is not None:
        entry["before"] = report.before.to_json()
    reviews = list(before.reviewed_by)
    if reviewed_by:
        reviews.append(signature(reviewed_by, before.frozen + 1))
    return replace(
        before,
        message=[asdict(component) for component in run.components],
        payload=[asdict(component) for component in run.payload_components],
        bandwidth=after.bandwidth.to_json() if after.bandwidth else before.bandwidth if same else {},
        scores=[*before.scores, entry] if report.edited or after.scores is not None else before.scores,
        scored=after.scores is not None or (same and before.scored),
        data_set=dict(data_set) if data_set is not None and after.scores is not None else before.data_set,
        validator=VALIDATOR_VERSION,
        edited_by_hand=before.edited_by_hand or bool(report.edited),
        reviewed_by=reviews,
    )


def _diff(before: Mapping[int, bytes], after: Mapping[int, bytes]) -> str:
    """Return a unified diff of all parts; a file that is new is compared with nothing."""
    pieces: list[str] = []
    for number in sorted({*before, *after}):
        old, new = (_lines(version.get(number, b"")) for version in (before, after))
        old_name = f"frozen/{_name(number)}" if number in before else "/dev/null"
        new_name = _name(number) if number in after else "/dev/null"
        pieces += difflib.unified_diff(old, new, old_name, new_name)
    return "".join(pieces)


def _lines(source: bytes) -> list[str]:
    lines = source.decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def _texts(sources: Mapping[int, bytes]) -> dict[str, str]:
    return {_name(number): source.decode("utf-8-sig", "replace") for number, source in sources.items()}


def _name(number: int) -> str:
    return f"part{number}.py"
