"""One root seed, spawned into named streams: `--seed 7` means 7 everywhere, and no two uses share random numbers."""

from __future__ import annotations

import zlib

import numpy as np

__all__ = ["generator", "stream_seed"]


def stream_seed(root_seed: int, stream: str) -> int:
    """Return the root seed of the named stream, below 2**63."""
    sequence = np.random.SeedSequence([root_seed, zlib.crc32(stream.encode())])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


def generator(root_seed: int, stream: str) -> np.random.Generator:
    """Return a generator of the named stream."""
    return np.random.default_rng(stream_seed(root_seed, stream))
