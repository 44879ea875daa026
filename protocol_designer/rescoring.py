"""Scoring a protocol that exists: after an edit, or on other episodes than it was designed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from buffers.dataset import DataSet
from buffers.errors import RejectedError
from buffers.progress import Progress, silent
from generated_protocols.manifest import part_sources, read_manifest, read_schema
from generated_protocols.protocol import DEFAULT_WINDOW
from protocol_designer.designing import read_split
from protocol_designer.protocol_contract import ProtocolContract, ProtocolRun, Recorded
from protocol_designer.sandbox import Sandbox, SandboxRun
from protocol_designer.validation import render
from sai import MessageSet, SaiConfig, Scorecard
from sai import score as sai_score

__all__ = ["recordings", "score_folder"]

Scorer = Callable[[SandboxRun], Mapping[str, Any]]


def recordings(
    folder: Path, data_set: DataSet, progress: Progress = silent, config: SaiConfig | None = None
) -> tuple[dict[str, Recorded], Scorer, dict[str, Any]]:
    """Return the fit and select splits, a scorer of sandbox runs over them, and what to record of the data set.

    The scorer looks at the state fields that the design of the protocol in `folder` looked at, so that figures compare.
    """
    fields = _designed_fields(folder, data_set)
    splits: dict[str, Recorded] = {"fit": read_split(data_set, "fit"), "select": read_split(data_set, "select")}

    def scorer(run: SandboxRun) -> Mapping[str, Any]:
        messages = {
            name: MessageSet(full=run.messages[name, "full"][:, :-1], empty=run.messages[name, "empty"][:, :-1])
            for name in splits
        }
        return _card(data_set, splits, messages, fields, config or SaiConfig(), progress).summary()

    gathered = data_set.manifest
    described = {"hash": data_set.hash, **{name: gathered[name] for name in ("gathering", "episodes", "steps")}}
    return splits, scorer, described


def score_folder(
    folder: Path, data_set: DataSet, progress: Progress = silent, config: SaiConfig | None = None
) -> tuple[Scorecard, dict[str, Any]]:
    """Score the sources in `folder`, frozen or not, on the select split of `data_set`.

    The state fields are those that its design looked at, all where there was none.
    Returns the card, and an entry like those in a manifest's scores. Sources that break a rule raise `RejectedError`.
    """
    sources = {f"part{number}.py": source.decode("utf-8-sig") for number, source in part_sources(folder).items()}
    frozen = (folder / "manifest.json").exists()
    if frozen:
        data_set.schema.require_same_layout(read_schema(folder), f"the protocol {folder}")
    window = read_manifest(folder).window if frozen else DEFAULT_WINDOW
    splits: dict[str, Recorded] = {"fit": read_split(data_set, "fit"), "select": read_split(data_set, "select")}
    with Sandbox() as sandbox:
        contract = ProtocolContract(data_set.schema, splits, sandbox, window=window)
        for number, (name, source) in enumerate(sources.items()):
            found = list(contract.check(source, number))
            if found:
                raise RejectedError(f"{folder / name} is refused by the static rules:\n{render(found, source)}")
        verdict = contract.run(tuple(sources.values()))
    if verdict.outcome is None:
        raise RejectedError(f"{folder} breaks the contract: {'; '.join(map(str, verdict.diagnostics))}")
    run: ProtocolRun = verdict.outcome
    fields = _designed_fields(folder, data_set)
    card = _card(data_set, splits, run.messages, fields, config or SaiConfig(), progress)
    entry = {
        "pass": "score",
        "card": card.summary(),
        "message_dim": run.message_dim,
        "bits_per_step": run.bandwidth.total,
    }
    return card, entry


def _designed_fields(folder: Path, data_set: DataSet) -> tuple[int, ...] | None:
    """Return the state columns with headroom before there was any part, as the design found; None without a design."""
    if not (folder / "manifest.json").exists():
        return None
    before = [e["card"]["scored"] for e in read_manifest(folder).scores if e.get("pass", "") is None and e.get("card")]
    if not before:
        return None
    return tuple(i for i, field in enumerate(data_set.schema.state_fields) if field.name in before[0]) or None


def _card(
    data_set: DataSet,
    splits: Mapping[str, Recorded],
    messages: Mapping[str, MessageSet],
    fields: Sequence[int] | None,
    config: SaiConfig,
    progress: Progress,
) -> Scorecard:
    return sai_score(
        data_set.schema,
        splits["fit"].episodes,
        splits["select"].episodes,
        messages["fit"],
        messages["select"],
        config,
        fields=fields,
        progress=progress,
    )
