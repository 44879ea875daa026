"""Sign-offs: who read which frozen version of a protocol."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from buffers.errors import NotFrozenError, UsageError
from buffers.files import held
from generated_protocols.manifest import (
    edited_parts,
    joint_sources,
    part_sources,
    read_manifest,
    require_unedited,
    write_atomically,
)

__all__ = ["sign_off", "signature"]

_LONGEST = 200


def signature(name: str, version: int, note: str = "") -> dict[str, str]:
    """Return an entry of a manifest's `reviewed_by`; a name or note that cannot stand there raises `UsageError`."""
    for what, text in (("name", name), ("note", note)):
        if not text.isprintable() or len(text) > _LONGEST:
            raise UsageError(f"the reviewer's {what} {text[:20]!r} is not one line of at most {_LONGEST} characters")
    if not name.strip():
        raise UsageError("a review needs the name of who read it: --by NAME")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"name": name.strip(), "at": now, "version": str(version)} | ({"note": note} if note else {})


def sign_off(folder: Path, name: str, note: str = "") -> tuple[dict[str, str], bool]:
    """Record that `name` read the frozen protocol in `folder`; return the entry, and whether it is new.

    The same person's second sign-off of a version without a new note changes nothing. A protocol that is not frozen as
    it stands raises `NotFrozenError`: what was read is what the hashes say.
    """
    manifest = read_manifest(folder)
    if joint_sources(folder):
        require_unedited(folder, manifest, joint_sources(folder))
    else:
        edited = edited_parts(manifest, part_sources(folder))
        if edited or not manifest.frozen_at:
            why = f"{', '.join(edited)} changed since" if edited else "it never was"
            raise NotFrozenError(
                f"{folder} is not frozen as it stands ({why}); freeze it first: design-protocol freeze {folder}"
            )
    entry = signature(name, manifest.frozen, note)
    with held(folder / "manifest.json", "reviewed"):
        manifest = read_manifest(folder)
        for known in manifest.reviewed_by:
            same = known.get("name") == entry["name"] and known.get("version") == entry["version"]
            if same and known.get("note", "") == note:
                return dict(known), False
        signed = replace(manifest, reviewed_by=[*manifest.reviewed_by, entry])
        write_atomically(folder / "manifest.json", json.dumps(signed.to_json(), indent=2) + "\n")
    return entry, True
