"""A sweep file made into a plan, and all of it checked before the first run.

    tasks x methods x protocols x settings x seeds, less what `exclude` names; `train` is what all runs share.

docs/sweeps.md describes the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from buffers.errors import CorruptFileError, ProtocolDesignerError, UnknownNameError
from marl_runtime.assembly import load_protocol
from marl_runtime.configuration import from_json
from marl_runtime.methods import find_method
from marl_runtime.presets import find_preset
from marl_runtime.sweeping.plan import Contrast, Entry, ReportConfig, SweepPlan, Tuning, labels_of
from marl_runtime.sweeping.sweep_file import Place, read_yaml
from marl_runtime.tasks import find_task
from marl_runtime.training_config import TrainConfig

__all__ = ["read_sweep"]

KEYS = {"tasks", "methods", "protocols", "seeds", "train", "settings", "exclude", "report", "tuning"}
TASK_KEYS = {"methods", "protocols", "seeds", "train"}
AXES = ("task", "method", "protocol", "settings", "seed")


def read_sweep(file: Path, check: Callable[[Path, str], None] = lambda protocol, task: None) -> SweepPlan:
    """Return the plan in the YAML file at `file`; what is wrong in it raises the error of its kind with the place.

    Every task, method, option, seed and protocol is looked at: the protocols are loaded for the task's layout, and
    `check` is called with the folder and the task of each.
    """
    top = Place(file, read_yaml(file))
    top.mapping(KEYS)
    settings = top.at("settings", {"": None}).mapping()
    if not settings:
        raise top.at("settings").error("there is none: leave the key out, or name one and what is different in it")
    entries = [entry for task in _tasks(top) for entry in _entries(top, task, settings)]
    entries = _without(entries, top.at("exclude", []))
    if not entries:
        raise top.error("nothing is left to run: exclude names all of it")
    _require_different(top, entries)
    _check_protocols(top, entries, check)
    # seed by seed, so that a sweep that is stopped early has every method
    entries.sort(key=lambda entry: entry.seed)
    return SweepPlan(file.stem, file, tuple(entries), _report(top, entries), _made(top.at("tuning"), Tuning))


@dataclass(frozen=True)
class _Task:
    """A task of the sweep, and what is its own."""

    name: str
    own: Place

    def get(self, top: Place, key: str, default: Any) -> Place:
        """Return the task's own value of `key`, or the file's."""
        mine = self.own.value or {}
        return self.own.at(key) if key in mine else top.at(key, default)


def _tasks(top: Place) -> list[_Task]:
    place = top.at("tasks")
    if isinstance(place.value, Mapping):
        tasks = [_Task(name, own) for name, own in place.mapping().items()]
    else:
        tasks = [_Task(name, Place(top.file, {}, (*place.path, name))) for name in place.names()]
    if not tasks:
        raise place.error("no task is named")
    for task in tasks:
        task.own.mapping(TASK_KEYS)
        _at_place(place, find_task, task.name)
    return tasks


def _at_place(place: Place, make: Callable[..., Any], *arguments: Any) -> Any:
    """Return what `make` returns; an error that it raises gets the place in front and keeps its kind."""
    try:
        return make(*arguments)
    except UnknownNameError as error:
        raise place.error(str(error)) from error
    except CorruptFileError as error:  # a value of the wrong type: the cause says which, without "damaged"
        cause = error.__cause__
        raise place.error(str(error if cause is None else cause)) from error
    except ProtocolDesignerError as error:
        raise type(error)(f"{place.file}, {'.'.join(place.path)}: {error}") from error
    except ValueError as error:
        raise place.error(str(error)) from error


def _entries(top: Place, task: _Task, settings: Mapping[str, Place]) -> Iterator[Entry]:
    seeds = task.get(top, "seeds", 1).seeds()
    methods = task.get(top, "methods", None)
    protocols = _protocols(task.get(top, "protocols", {}))
    for method in methods.names():
        kind = _at_place(methods, find_method, method)
        needs = kind.needs_protocol or kind.needs_messages
        if needs and not protocols:
            raise methods.error(
                f"method {method!r} needs a protocol on {task.name}: add `protocols: {{name: folder}}` to the task"
            )
        for setting, differences in settings.items():
            for protocol, folder in protocols.items() if needs else [("", None)]:
                for seed in seeds:
                    own = {"task": task.name, "method": method, "protocol": folder, "seed": seed}
                    layers = [top.at("train"), task.own.at("train") if task.own.value else None, differences]
                    yield Entry(task.name, method, protocol, setting, seed, _config(own, layers))


def _protocols(place: Place) -> dict[str, str]:
    """Return name → folder, which is looked for beside the sweep file."""
    found = {}
    for name, entry in place.mapping().items():
        if not isinstance(entry.value, str) or not entry.value:
            raise entry.error(f"{entry.value!r} is not the folder of a protocol")
        folder = place.file.parent / entry.value
        if not folder.is_dir():
            raise entry.error(f"{folder} is not there: design one, or mend the path (it starts at the sweep file)")
        found[name] = str(folder)
    return found


def _config(own: Mapping[str, Any], layers: list[Place | None]) -> TrainConfig:
    """Return one run's configuration: each layer goes before the one ahead of it, key by key."""
    merged: dict[str, Any] = {}
    place = None
    for layer in layers:
        if layer is None or not layer.mapping():
            continue
        place = layer
        given = {key: entry.value for key, entry in layer.mapping().items()}
        for key in given:
            if key in own:
                raise layer.error(f"{key!r} is not an option of training here: the file has a list for it")
        preset = _at_place(layer, find_preset, given.pop("preset", "") or "")
        merged = _over(merged, {**preset.train, "learner": dict(preset.learner), "network": dict(preset.network)})
        merged = _over(merged, given)
        # layer by layer, so that the error names the layer that the value stands in
        _at_place(layer, from_json, TrainConfig, {**merged, **own}, layer.file)
    place = place or layers[0]
    assert place is not None
    return _at_place(place, from_json, TrainConfig, {**merged, **own}, "the sweep")


def _over(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in given.items():
        below = result.get(key)
        result[key] = _over(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return result


def _without(entries: list[Entry], place: Place) -> list[Entry]:
    """Leave out what an exclude names: all of its keys have to match."""
    if not isinstance(place.value, list):
        raise place.error("it is a list of mappings, such as - {task: …, method: …}")
    for number, value in enumerate(place.value):
        rule = Place(place.file, value, (*place.path, str(number)))
        given = rule.mapping(set(AXES))
        if not given:
            raise rule.error(f"it names nothing: use {', '.join(AXES)}")
        wanted = {key: p.value if isinstance(p.value, list) else [p.value] for key, p in given.items()}
        for key, names in wanted.items():
            known = {getattr(entry, key) for entry in entries}
            for name in names:
                if name not in known:
                    told = UnknownNameError(key, str(name), map(str, known))
                    raise given[key].error(f"{told}; it would leave nothing out")
        kept = [e for e in entries if not all(getattr(e, key) in names for key, names in wanted.items())]
        if len(kept) == len(entries):
            raise rule.error("no run is all of that: it leaves nothing out")
        entries = kept
    return entries


def _require_different(top: Place, entries: list[Entry]) -> None:
    seen: dict[str, Entry] = {}
    for entry in entries:
        if entry.hash in seen:
            raise top.error(f"({seen[entry.hash]}) and ({entry}) are the same run: their settings do not differ")
        seen[entry.hash] = entry


def _check_protocols(top: Place, entries: list[Entry], check: Callable[[Path, str], None]) -> None:
    seen = set()
    for entry in entries:
        key = (entry.task, entry.method, entry.config.protocol, entry.config.trust)
        if entry.config.protocol is None or key in seen:
            continue
        seen.add(key)
        folder, schema = Path(entry.config.protocol), find_task(entry.task).schema
        place = Place(top.file, None, ("protocols", entry.protocol))
        _at_place(place, partial(load_protocol, entry.method, folder, schema, trust=entry.config.trust))
        _at_place(place, check, folder, entry.task)


def _made(place: Place, kind: type[Any]) -> Any:
    return _at_place(place, from_json, kind, place.value, place.file) if place.mapping() else kind()


def _report(top: Place, entries: list[Entry]) -> ReportConfig:
    place = top.at("report")
    contrasts = place.mapping().get("contrasts")
    for number, value in enumerate(contrasts.value if contrasts and isinstance(contrasts.value, list) else []):
        Place(place.file, value, (*place.path, "contrasts", str(number))).mapping(set(Contrast.__dataclass_fields__))
    report: ReportConfig = _made(place, ReportConfig)
    labels = set(labels_of(entries).values())
    given = place.mapping()
    wanted = [report.reference] if "reference" in given else []
    wanted += [name for contrast in report.contrasts for name in (contrast.of, contrast.less)]
    for name in wanted:
        if name not in labels:
            raise place.error(str(UnknownNameError("line of the table", name, labels)))
    return report
