"""Reading JSON files that may be half-written, damaged or something else altogether."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from buffers.errors import CorruptFileError

__all__ = ["read_json_object"]


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
        raise CorruptFileError(f"{path} holds a {type(value).__name__}, expected an object")
    return value
