"""What is free, in memory and on disk, and the refusal of what would not fit."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from buffers.errors import ResourceError

__all__ = ["MEMORY_SHARE", "available_memory", "format_bytes", "naming_full_disk", "require_disk", "require_memory"]

MEMORY_SHARE = 0.8
"""The largest share of free memory that one buffer may take."""


def available_memory() -> int:
    """Return the bytes of memory that can be used without swapping: the system's, or the control group's if less."""
    free = [_system_memory()]
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            free.append(int(limit) - int((group / "memory.current").read_text()))
    except (OSError, ValueError):
        pass  # no control group of this kind
    return max(0, min(free))


def _system_memory() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # not Linux
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def format_bytes(count: float) -> str:
    """Return `count` bytes for people: `83.9 MB`, `1.27 GB`."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} bytes"


def require_memory(episode_bytes: int, episodes: int, what: str, free: int | None = None) -> int:
    """Return the bytes of `episodes` episodes; raise `ResourceError` with a number that fits above 80 % of `free`."""
    free = available_memory() if free is None else free
    needed, allowed = episode_bytes * episodes, int(MEMORY_SHARE * free)
    if needed > allowed:
        raise ResourceError(
            f"{what} of {episodes:,} episodes needs {format_bytes(needed)}, more than {MEMORY_SHARE:.0%} of the "
            f"{format_bytes(free)} of free memory; {allowed // episode_bytes:,} episodes would fit"
        )
    return needed


def require_disk(needed: int, folder: Path, what: str) -> None:
    """Raise `ResourceError` when the disk that will hold `folder` has fewer than `needed` bytes left."""
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise ResourceError(
            f"{what} needs {format_bytes(needed)} on disk, and {existing} has {format_bytes(free)} left"
        )


@contextmanager
def naming_full_disk(what: str) -> Iterator[None]:
    """Turn the operating system's "no space left" inside the block into a `ResourceError` that begins with `what`."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise ResourceError(f"{what}: no space left on the disk") from error
