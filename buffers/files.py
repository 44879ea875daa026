"""Files that may be damaged, and files that another process holds."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from buffers.errors import CorruptFileError, ResourceError

__all__ = ["held", "read_json_object", "require_form"]


def read_json_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in the file at `path`.

    A file that is not there raises FileNotFoundError: what that means, the caller knows. Anything else that is not a
    JSON object in UTF-8 raises `CorruptFileError` with the place.
    """
    try:
        value = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise CorruptFileError(f"{path} is half-written or damaged: {error}") from error
    if not isinstance(value, dict):
        raise CorruptFileError(f"{path} holds {_KINDS[type(value)]}, expected an object")
    return value


_KINDS = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false", type(None): "null"}


def require_form(value: Any, form: Any, where: object) -> None:
    """Raise `CorruptFileError`, with the place, unless the JSON value from the file `where` has the type `form`.

    `form` is a dataclass, a TypedDict or any other annotation; entries that it does not name are let through.
    """
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        raise CorruptFileError(f"{where} is damaged: {error}") from error


@contextmanager
def held(path: Path, doing: str) -> Iterator[None]:
    """Hold the file at `path`, made where it is missing, for this process; the system lets go of it when that ends.

    A file that is held elsewhere raises `ResourceError`: its folder "is being `doing` by another process".
    """
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ResourceError(f"{path.parent} is being {doing} by another process") from error
        yield
