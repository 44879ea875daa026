"""A sweep file in YAML: read by the core schema of YAML 1.2, so that `off`, `5e-4` and `1:30` mean what they say."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from buffers.errors import UnknownNameError, UsageError

__all__ = ["Place", "read_value", "read_yaml"]

MAX_BYTES = 1_000_000


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, without YAML 1.1's surprises, and with an error for a key that stands twice.

    There `off` is false, `5e-4` a text, `010` eight and `1:30` ninety; here texts are what is no number, and only
    `true` and `false` are truth values.
    """

    yaml_implicit_resolvers: Any = {}  # noqa: RUF012 - PyYAML's own name, added to by add_implicit_resolver

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is not a plain name", key.start_mark)
            if key.value in seen:
                told = f"{key.value!r} stands twice, first in line {seen[key.value]}"
                raise yaml.constructor.ConstructorError(None, None, told, key.start_mark)
            seen[key.value] = line
        return super().construct_mapping(node, deep)


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9][0-9_]*", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan", "-+0123456789."),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first))


def _decimal(loader: _Loader, node: Any) -> int:
    return int(loader.construct_scalar(node).replace("_", ""))


# SafeLoader's own reads a leading 0 as octal
_Loader.add_constructor("tag:yaml.org,2002:int", _decimal)


def read_value(text: str) -> Any:
    """Return the value that `text` means in a sweep file; what is no YAML raises `UsageError`."""
    try:
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{text!r} is no value: {str(error).splitlines()[0]}") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in the YAML file at `path`; anything else there raises `UsageError` with line and column."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} has more than {MAX_BYTES:,} bytes: it is no sweep file")
        value = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist: name a sweep file, docs/sweeps.md shows one") from error
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read as text: {error}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UsageError(f"{path}{where}: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{path} is no YAML: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} holds no mapping: it begins with keys such as tasks: and methods:")
    return value


class Place:
    """A value of the file and where it stands, for errors: `file, tasks.bane_vs_hM.seeds: …`."""

    def __init__(self, file: Path, value: Any, path: tuple[str, ...] = ()) -> None:
        self.file, self.value, self.path = file, value, path

    def error(self, text: str) -> UsageError:
        """Return the error that says `text` of this place."""
        return UsageError(f"{self.file}, {'.'.join(self.path) or 'top level'}: {text}")

    def at(self, key: str, default: Any = None) -> Place:
        """Return the value of `key`, `default` where it is not there."""
        return Place(self.file, self.value.get(key, default), (*self.path, key))

    def mapping(self, valid: set[str] | None = None) -> dict[str, Place]:
        """Return the entries of a mapping; a key that is not among the `valid` ones is an error with the nearest."""
        if self.value is None:
            return {}
        if not isinstance(self.value, Mapping):
            raise self.error(f"{self.value!r} is not a mapping (key: value)")
        for key in self.value:
            if not isinstance(key, str):
                raise self.error(f"the key {key!r} is not a text: put it in quotes")
            if valid is not None and key not in valid:
                raise self.error(str(UnknownNameError("key", key, valid)))
        return {key: Place(self.file, value, (*self.path, key)) for key, value in self.value.items()}

    def names(self) -> list[str]:
        """Return a list of texts, each once; a single text is a list of one."""
        values = [self.value] if isinstance(self.value, str) else self.value
        if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
            raise self.error(f"{self.value!r} is not a list of names")
        if len(set(values)) < len(values):
            raise self.error(f"a name stands twice in {values}")
        return values

    def seeds(self) -> list[int]:
        """Return seeds: a number N stands for 0 … N-1, a list for itself."""
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return list(range(value))
        good = isinstance(value, list) and value and all(type(seed) is int and seed >= 0 for seed in value)
        if not good or len(set(value)) < len(value):
            raise self.error(f"{value!r} is neither a number of seeds nor a list of different ones, each 0 or above")
        return value
