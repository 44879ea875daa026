"""Keys live in the environment alone: whatever is written or shown goes through `scrub` first."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

__all__ = ["scrub", "secrets_of"]

_SUFFIXES = ("_API_KEY", "_AUTH_TOKEN", "_ACCESS_TOKEN")
_SHORTEST = 6
"""Shorter values ("none", "x") are placeholders for local servers, and would blot out ordinary words."""


def secrets_of(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the values of variables whose names say that they are keys, longest first."""
    found = {
        value.strip()
        for name, value in environment.items()
        if name.upper().endswith(_SUFFIXES) and len(value.strip()) >= _SHORTEST
    }
    return tuple(sorted(found, key=len, reverse=True))


def scrub(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return `text` with every key of the environment replaced by `[key]`, as it is and as JSON would write it."""
    for secret in secrets_of(environment):
        for written in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
            text = text.replace(written, "[key]")
    return text
