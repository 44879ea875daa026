"""Importing a published protocol: LMAC's released modules, run in a sandbox, scored beside ours, and looked through.

Axes: B episodes, T1 entries (T + 1), N agents, D extended observation, M message.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from buffers.dataset import DataSet
from buffers.episodes import Float32Array
from buffers.errors import CorruptFileError, ProtocolDesignerError, RejectedError, UsageError
from buffers.files import read_json_object, require_form
from buffers.progress import Progress, silent
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Component
from generated_protocols.execution import source_hash
from generated_protocols.manifest import Manifest, read_manifest, write_atomically
from generated_protocols.protocol import DEFAULT_WINDOW
from protocol_designer.designing import read_split
from protocol_designer.joint_sandbox import JointRun, JointSandbox
from protocol_designer.protocol_contract import Recorded
from protocol_designer.rescoring import score_folder
from sai import MessageSet, SaiConfig
from sai import score as sai_score

__all__ = [
    "MODULES",
    "Imported",
    "ImportedModule",
    "beside",
    "import_modules",
    "reach_rows",
    "read_modules",
    "read_reach",
]

MODULES = {"comm_init.py": 0, "comm_update.py": 0, "comm_update_timestep_wise2.py": DEFAULT_WINDOW}
"""The published files in their order, and the window that each looks over; 0 is one step."""
_MOST_BYTES = 256 * 1024


@dataclass(frozen=True)
class ImportedModule:
    """One module: the text, its window (0: one step), and what running it gave."""

    number: int
    file: str
    source: bytes
    window: int
    run: JointRun

    @property
    def reason(self) -> str:
        """Why the module is left out; empty where it works."""
        return "; ".join(f"{d.message}{f' (line {d.line})' if d.line else ''}" for d in self.run.diagnostics)


@dataclass(frozen=True)
class Imported:
    """What importing found: the manifest, every module, and by module which sender's which field reaches whom."""

    folder: Path
    manifest: Manifest
    modules: tuple[ImportedModule, ...]
    reach: tuple[dict[str, Any], ...]


def read_modules(source: Path) -> list[tuple[str, bytes, int]]:
    """Return (file name, source, window) of the published modules in `source`; none raises `RejectedError`."""
    if not source.is_dir():
        raise UsageError(f"{source} is not a folder; name the one that holds {', '.join(MODULES)}")
    found = []
    for name, window in MODULES.items():
        file = source / name
        if file.is_file():
            if file.stat().st_size > _MOST_BYTES:
                raise RejectedError(f"{file} is larger than {_MOST_BYTES // 1024} KiB: that is no protocol module")
            found.append((name, file.read_bytes(), window))
    if not found:
        raise RejectedError(f"{source} holds none of {', '.join(MODULES)}: there is no published protocol in it")
    return found


def import_modules(
    source: Path, data_set: DataSet, folder: Path, config: SaiConfig | None = None, progress: Progress = silent
) -> Imported:
    """Run, score and look through the published modules in `source`, and write them to `folder` as a joint protocol.

    Modules add up, in their order: part k is scored with those before it. One that raises, changes its width or says
    what is not finite is left out and says why. Where none works `RejectedError` says so, and nothing is written.
    """
    modules = read_modules(source)
    _require_free(folder)
    splits = {name: read_split(data_set, name) for name in ("fit", "select")}
    schema = data_set.schema
    progress(0, len(modules), "running the modules in the sandbox")
    found: list[ImportedModule] = []
    with JointSandbox({name: recorded.extended for name, recorded in splits.items()}) as sandbox:
        for number, (name, text, window) in enumerate(modules):
            run = sandbox.run(text.decode("utf-8-sig", "replace"), number, window)
            found.append(ImportedModule(number, name, text, window, run))
            progress(number + 1, len(modules), "running the modules in the sandbox")
    working = [module for module in found if not module.reason]
    if not working:
        reasons = "\n".join(f"  {module.file}: {module.reason}" for module in found)
        raise RejectedError(f"no module in {source} works on {schema.name}:\n{reasons}")
    scores = _scores(data_set, splits, working, config or SaiConfig(), progress)
    gathered = data_set.manifest
    described = {"hash": data_set.hash, **{key: gathered[key] for key in ("gathering", "episodes", "steps")}}
    manifest = _manifest(schema, found, scores, described)
    reach = tuple(row for module in working for row in reach_rows(module.number, module.run.influence, schema))
    _write(folder, manifest, schema, found, reach)
    return Imported(folder, manifest, tuple(found), reach)


def reach_rows(part: int, influence: Float32Array, schema: TaskSchema) -> list[dict[str, Any]]:
    """Return one row per sender and set of receivers: which of the sender's fields move those receivers' messages.

    `influence` is `[N receiver, N sender, D]`.
    """
    names = [field.name for field in schema.extended_fields]
    rows = []
    for sender in range(influence.shape[1]):
        by_receivers: dict[tuple[int, ...], list[str]] = {}
        for column, name in enumerate(names):
            receivers = tuple(int(r) for r in np.flatnonzero(influence[:, sender, column]))
            if receivers:
                by_receivers.setdefault(receivers, []).append(name)
        for receivers, fields in by_receivers.items():
            rows.append({"part": part, "sender": sender, "receivers": list(receivers), "fields": fields})
    return rows


class _Row(TypedDict):
    part: int
    sender: int
    receivers: list[int]
    fields: list[str]


class _Reach(TypedDict):
    reach: list[_Row]


def read_reach(folder: Path) -> list[dict[str, Any]]:
    """Read who tells what to whom of the imported protocol in `folder`; damaged raises `CorruptFileError`."""
    file = folder / "reach.json"
    try:
        value = read_json_object(file)
    except FileNotFoundError as error:
        raise CorruptFileError(f"{file} is missing; import the modules again") from error
    require_form(value, _Reach, file)
    return list(value["reach"])


def _require_free(folder: Path) -> None:
    if folder.exists():
        raise UsageError(f"{folder} exists; choose another --name, or remove it to import the modules again")


def _scores(
    data_set: DataSet,
    splits: Mapping[str, Recorded],
    working: Sequence[ImportedModule],
    config: SaiConfig,
    progress: Progress,
) -> list[dict[str, Any]]:
    """Return entries as those of a design: no protocol, then the working modules one after the other."""

    def card(messages: Mapping[str, MessageSet] | None, fields: tuple[int, ...] | None) -> dict[str, Any]:
        return sai_score(
            data_set.schema,
            splits["fit"].episodes,
            splits["select"].episodes,
            None if messages is None else messages["fit"],
            None if messages is None else messages["select"],
            config,
            fields=fields,
            progress=progress,
        ).summary()

    nothing = card(None, None)
    fields = tuple(i for i, f in enumerate(data_set.schema.state_fields) if f.name in nothing["scored"]) or None
    entries = [{"pass": None, "part": None, "card": nothing, "message_dim": 0, "reason": ""}]
    for count, module in enumerate(working, 1):
        messages = {name: _joined(name, working[:count]) for name in splits}
        entries.append(
            {
                "pass": module.number,
                "part": module.file,
                "card": card(messages, fields),
                "message_dim": messages["select"].full.shape[-1],
                "bits_per_step": None,
                "reason": "",
            }
        )
    return entries


def _joined(split: str, modules: Sequence[ImportedModule]) -> MessageSet:
    """Return what the modules say together, without the entry after the last step."""
    full, empty = (
        np.concatenate([module.run.messages[split, condition] for module in modules], axis=-1)[:, :-1]
        for condition in ("full", "empty")
    )
    return MessageSet(full=full, empty=empty)


def _manifest(
    schema: TaskSchema,
    modules: Sequence[ImportedModule],
    scores: Sequence[Mapping[str, Any]],
    data_set: Mapping[str, Any],
) -> Manifest:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    components = [Component(m.number, "message", m.run.width) for m in modules if not m.reason]
    return Manifest(
        task=schema.name,
        layout_hash=schema.layout_hash,
        window=DEFAULT_WINDOW,
        parts={f"joint{m.number}.py": source_hash(m.source) for m in modules},
        message=[{"part": c.part, "name": c.name, "width": c.width} for c in components],
        data_set=dict(data_set),
        designer="import",
        scores=list(scores),
        created_at=now,
        frozen=1,
        frozen_at=now,
        joint=[
            {"part": m.number, "file": m.file, "window": m.window, "width": m.run.width, "reason": m.reason}
            for m in modules
        ],
    )


def _write(
    folder: Path,
    manifest: Manifest,
    schema: TaskSchema,
    modules: Sequence[ImportedModule],
    reach: Sequence[Mapping[str, Any]],
) -> None:
    """Write the folder under another name first: a kill leaves the whole protocol or none."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for module in modules:
        (partial / f"joint{module.number}.py").write_bytes(module.source)
    (partial / "reach.json").write_text(json.dumps({"reach": list(reach)}, indent=1) + "\n", encoding="utf-8")
    write_atomically(partial / "schema.json", json.dumps(schema.to_json(), indent=1) + "\n")
    write_atomically(partial / "manifest.json", json.dumps(manifest.to_json(), indent=2) + "\n")
    partial.rename(folder)


def beside(data_set: DataSet, roots: Sequence[Path], progress: Progress = silent) -> list[dict[str, Any]]:
    """Score the protocols of the data set's task under `roots` that were designed on it, as an import is scored.

    Returns entries as those of a manifest's scores, with the folder's name as the pass.
    """
    task = data_set.schema.name
    rows = []
    for folder in sorted({path.parent.resolve() for root in roots for path in root.glob(f"{task}/*/manifest.json")}):
        try:
            manifest = read_manifest(folder)
            if manifest.joint or manifest.data_set.get("hash") != data_set.hash:
                continue
            _, entry = score_folder(folder, data_set, progress)
        except ProtocolDesignerError:  # a neighbour that is damaged or edited is no reason to fail
            continue
        rows.append({**entry, "pass": folder.name, "part": "", "reason": ""})
    return rows
