"""From a data set to a frozen protocol: the compiler's loop over the communication protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buffers.dataset import DataSet, SplitName
from buffers.errors import RejectedError
from buffers.files import held
from buffers.progress import Progress, silent
from buffers.schema import TaskSchema
from generated_protocols.manifest import Manifest, edited_parts, freeze, part_sources, read_manifest, write_atomically
from protocol_designer.compiler import CompilerConfig, PassRecord, compile_parts
from protocol_designer.protocol_contract import ProtocolContract, ProtocolRun, Recorded
from protocol_designer.protocol_score import ProtocolScore
from protocol_designer.sandbox import Sandbox
from protocol_designer.store import Store
from protocol_designer.types import Brief, ChoosesFields, Designer, Feedback, Prompted
from protocol_designer.validation import VALIDATOR_VERSION
from sai import Episodes, SaiConfig

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DesignConfig", "DesignResult", "design", "read_split"]

DesignerMaker = Callable[[TaskSchema, Mapping[str, Episodes], Store], Designer]


@dataclass(frozen=True)
class DesignConfig:
    """What a design is told beside its task and its designer."""

    seed: int = 0
    window: int = 10
    max_message_width: int | None = None
    feedback: Feedback = "measured"
    compiler: CompilerConfig = field(default_factory=CompilerConfig)
    sai: SaiConfig = field(default_factory=SaiConfig)

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ValueError(f"window {self.window} is below 1")
        if self.max_message_width is not None and self.max_message_width < 1:
            raise ValueError(f"max_message_width {self.max_message_width} is below 1")


@dataclass(frozen=True)
class DesignResult:
    """A frozen protocol's folder and manifest, and its scores by pass."""

    folder: Path
    manifest: Manifest
    layers: tuple[str, ...] = ()
    found: bool = False

    @property
    def tables(self) -> Path:
        """The folder of the scores' tables."""
        return self.folder / "scores"

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        return {"folder": str(self.folder), "found": self.found, "manifest": self.manifest.to_json()}


def read_split(data_set: DataSet, name: SplitName) -> Recorded:
    """Read one split as the decoder and the sandbox need it."""
    batch = data_set.split(name).trimmed()
    extended = batch.extended_obs(data_set.schema)
    valid = batch.alive[:, :-1] & batch.filled[..., None]
    episodes = Episodes(extended=extended[:, :-1], state=batch.state[:, :-1], valid=valid)
    return Recorded(extended, batch.alive, episodes)


def design(
    data_set: DataSet,
    make_designer: DesignerMaker,
    config: DesignConfig,
    folder: Path,
    settings: Mapping[str, Any],
    progress: Progress = silent,
) -> DesignResult:
    """Design a protocol for the task of `data_set` and freeze it in `folder`.

    A design that was killed goes on where it stopped; one that is complete is returned as it is. When nothing is worth
    sending, `RejectedError` says so and every attempt is kept. The held-out split is opened once, at the end.
    """
    store = Store(folder, {**settings, "data_set": data_set.hash, "config": asdict(config)})
    if (folder / "manifest.json").exists():
        return _found(folder)
    try:
        with held(folder / "design.json", "designed"):
            return _compiled(data_set, make_designer, config, store, progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"stopped; what was done is kept in {folder}, and the same command goes on with it"
        ) from None


def _compiled(
    data_set: DataSet, make_designer: DesignerMaker, config: DesignConfig, store: Store, progress: Progress
) -> DesignResult:
    """Compile the parts, score them on the held-out split, and freeze them."""
    schema, folder = data_set.schema, store.folder
    recorded: dict[str, Recorded] = {name: read_split(data_set, name) for name in _SPLITS}
    designer = make_designer(schema, {name: value.episodes for name, value in recorded.items()}, store)
    with Sandbox() as sandbox:
        contract = ProtocolContract(
            schema, recorded, sandbox, window=config.window, max_message_width=config.max_message_width
        )

        def brief(index: int, accepted: tuple[str, ...], feedback: Mapping[str, Any]) -> Brief:
            progress(index, config.compiler.passes + 1, f"pass {index}: {designer.name} is writing")
            return Brief(
                schema, index, accepted, feedback or None, config.max_message_width, config.window, config.seed
            )

        chosen: tuple[int, ...] = ()
        if isinstance(designer, ChoosesFields):
            chosen = tuple(schema.state_index(name) for name in designer.choose_fields(brief(0, (), {})))
        score = ProtocolScore(
            schema,
            recorded,
            store,
            config.sai,
            data_hash=data_set.hash,
            fields=chosen or None,
            shuffle=config.seed if config.feedback == "shuffled" else None,
            progress=progress,
        )
        done = compile_parts(designer, contract, score, store, brief, config.compiler)
        if not done.sources or done.outcome is None:
            reasons = "; ".join(f"pass {record.index}: {record.decision.reason}" for record in done.passes)
            raise RejectedError(
                f"no part was worth keeping ({reasons}); every attempt is kept in {folder / 'attempts'}"
            )
        recorded["held_out"] = read_split(data_set, "held_out")
        verdict = contract.run(done.sources, ("held_out",))
        if verdict.outcome is None:
            found = "; ".join(map(str, verdict.diagnostics))
            raise RejectedError(f"the parts that were kept fail on the held-out split: {found}")
        final = done.outcome.with_split("held_out", verdict.outcome)
    none, held_out = score.card(None), score.card(final, "held_out")
    none.save_csv(folder / "scores" / "none")
    held_out.save_csv(folder / "scores" / "held_out")
    for number, source in enumerate(done.sources):
        write_atomically(folder / f"part{number}.py", source)
    scores = [
        {"pass": None, "card": none.summary()},
        *(_entry(record) for record in done.passes),
        {"pass": "held_out", "card": held_out.summary()},
    ]
    manifest = _manifest(data_set, designer, config, final, told_fields(held_out.table, schema))
    manifest = freeze(folder, replace(manifest, scores=scores), schema)
    progress(config.compiler.passes + 1, config.compiler.passes + 1, "frozen")
    return DesignResult(folder, manifest, final.layers)


_SPLITS: tuple[SplitName, ...] = ("fit", "select")


def _found(folder: Path) -> DesignResult:
    manifest = read_manifest(folder)
    edited = edited_parts(manifest, part_sources(folder))
    if edited:
        raise RejectedError(
            f"{folder} holds this design, edited by hand since ({', '.join(edited)}). Freeze the edit with "
            f"`design-protocol freeze {folder}`, or design anew under another --name"
        )
    return DesignResult(folder, manifest, found=True)


def _entry(record: PassRecord) -> dict[str, Any]:
    """Return a pass as the manifest records it: the decision, and the figures of a part that was kept."""
    entry: dict[str, Any] = {"pass": record.index, "tries": record.tries, **asdict(record.decision)}
    if record.part is not None:
        entry |= {"part": f"part{record.part}.py", **record.figures}
    return entry


def _manifest(
    data_set: DataSet, designer: Designer, config: DesignConfig, final: ProtocolRun, fields: Sequence[str]
) -> Manifest:
    schema, gathered = data_set.schema, data_set.manifest
    ranges = {field.name: (field.low, field.high) for field in schema.state_fields}
    return Manifest(
        task=schema.name,
        layout_hash=schema.layout_hash,
        window=config.window,
        message=[asdict(component) for component in final.components],
        payload=[asdict(component) for component in final.payload_components],
        state_fields={name: ranges[name] for name in fields},
        data_set={
            "hash": data_set.hash,
            "gathering": gathered["gathering"],
            "episodes": gathered["episodes"],
            "steps": gathered["steps"],
        },
        designer=designer.name,
        model=designer.model,
        prompt_versions=designer.prompt_versions if isinstance(designer, Prompted) else {},
        calls=designer.spent() if isinstance(designer, Prompted) else {},
        bandwidth=final.bandwidth.to_json(),
        validator=VALIDATOR_VERSION,
        seed=config.seed,
    )


def told_fields(table: pd.DataFrame, schema: TaskSchema) -> list[str]:
    """Return the state fields that are scored, in the schema's order: what the trained encoder rebuilds.

    Where nothing is scored, all fields that have a range.
    """
    scored = set(table[table.scored].field)
    names = [f.name for f in schema.state_fields]
    return [name for name in names if name in scored] or names
