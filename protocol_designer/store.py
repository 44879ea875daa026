"""Everything that a design tried, failures too, so that nothing paid for is lost and nothing done is repeated.

<folder>/design.json                   the settings of this design; another design needs another folder
<folder>/attempts/<pass>-<try>/        source.py proposal.json diagnostics.json decision.json [prompt.md reply.md]
<folder>/scores/                       tables of every score
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from buffers.errors import CorruptFileError, UsageError
from buffers.files import read_json_object, require_form
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.manifest import write_atomically
from protocol_designer.types import Decision, Proposal

__all__ = ["Store"]


class Store:
    """The folder of one design. Every file is written whole or not at all."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        plain = json.loads(json.dumps(settings))
        file = folder / "design.json"
        if file.exists():
            self._require_same(plain, _read(file), file)
            return
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} exists and is not a design of this program; name another folder with --name")
        folder.mkdir(parents=True, exist_ok=True)
        self._write(file, plain)

    @staticmethod
    def _require_same(wanted: Mapping[str, Any], known: Mapping[str, Any], file: Path) -> None:
        mine, theirs = _dotted(wanted), _dotted(known)
        for name in dict.fromkeys([*mine, *theirs]):
            if mine.get(name) != theirs.get(name):
                raise UsageError(
                    f"{file.parent} holds a design with {name} {theirs.get(name)!r}, not {mine.get(name)!r}; "
                    "name another folder with --name, or repeat the settings to go on with it"
                )

    def proposal(self, index: int, number: int, ask: Callable[[], Proposal | None]) -> Proposal | None:
        """Return the proposal of pass `index`, try `number`: the stored one, or what `ask` gives, stored."""
        folder = self._attempt(index, number)
        if (folder / "proposal.json").exists():
            known = _read(folder / "proposal.json")
            with _told_as_damaged(folder / "proposal.json"):
                if not known["proposed"]:
                    return None
                found = tuple(Diagnostic(**one) for one in known["diagnostics"])
                return Proposal(self.source(index, number), known["notes"], found)
        proposal = ask()
        folder.mkdir(parents=True, exist_ok=True)
        if proposal is None:
            self._write(folder / "proposal.json", {"proposed": False})
            return None
        for name, text in {**proposal.files, "source.py": proposal.source}.items():
            write_atomically(folder / name, text)
        faults = [diagnostic.to_json() for diagnostic in proposal.diagnostics]
        self._write(folder / "proposal.json", {"proposed": True, "notes": dict(proposal.notes), "diagnostics": faults})
        return proposal

    def source(self, index: int, number: int) -> str:
        """Return the source of a stored proposal, as it was given."""
        with (self._attempt(index, number) / "source.py").open(encoding="utf-8", newline="") as file:
            return file.read()

    def save_diagnostics(self, index: int, number: int, diagnostics: Sequence[Diagnostic]) -> None:
        """Keep what was wrong with a proposal; an empty list when nothing was."""
        self._write(self._attempt(index, number) / "diagnostics.json", [d.to_json() for d in diagnostics])

    def decision(self, index: int, number: int, decide: Callable[[], Decision]) -> Decision:
        """Return the decision on a proposal: the stored one, or what `decide` gives, stored."""
        file = self._attempt(index, number) / "decision.json"
        if file.exists():
            with _told_as_damaged(file):
                known = _read(file)
                require_form(known, Decision, file)
                return Decision(**known)
        decision = decide()
        self._write(file, asdict(decision))
        return decision

    def cached(self, name: str, key: str, compute: Callable[[], Any]) -> Any:
        """Return the JSON value of `compute`, computed once per `key`; `name` is the file's for people."""
        file = self.folder / "scores" / f"{name}-{key[:12]}.json"
        if file.exists():
            with _told_as_damaged(file):
                known = _read(file)
                if known["key"] == key:
                    return known["value"]
        value = compute()
        file.parent.mkdir(exist_ok=True)
        self._write(file, {"key": key, "value": value})
        return value

    def _attempt(self, index: int, number: int) -> Path:
        return self.folder / "attempts" / f"{index}-{number}"

    @staticmethod
    def _write(file: Path, value: Any) -> None:
        write_atomically(file, json.dumps(value, indent=1) + "\n")


def _dotted(value: Any, name: str = "") -> dict[str, Any]:
    """Return nested settings as one level, by dotted names."""
    if not isinstance(value, Mapping) or not value:
        return {name: value}
    return {
        key: leaf for part, below in value.items() for key, leaf in _dotted(below, f"{name}.{part}".lstrip(".")).items()
    }


@contextmanager
def _told_as_damaged(file: Path) -> Iterator[None]:
    """Turn what a JSON object of another form, or a source that is gone, raises into one clear error."""
    try:
        yield
    except (KeyError, TypeError, OSError, UnicodeDecodeError) as error:
        raise CorruptFileError(f"{file} is damaged ({error!r}); remove it to have it made again") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        return read_json_object(file)
    except (FileNotFoundError, CorruptFileError) as error:
        raise CorruptFileError(f"{error}; remove it to have it made again") from error
