"""Memory that this process shares with the sandbox worker: anonymous where the system can, else a temporary file."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import numpy as np

from buffers.errors import ResourceError

__all__ = ["SharedArray"]


class SharedArray:
    """A zeroed array whose memory another process of this user can map by `path`; gone with `close`, or this process.

    `bytes` are taken when they are written, not before.
    """

    def __init__(self, shape: tuple[int, ...], dtype: type[np.generic]) -> None:
        self.shape = shape
        size = max(int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize, 1)
        self._file = ""
        try:
            if hasattr(os, "memfd_create"):
                self._handle = os.memfd_create("protocol-sandbox")
                # by process and descriptor: nothing is left to tidy up, whatever ends this process
                self.path = f"/proc/{os.getpid()}/fd/{self._handle}"
            else:
                self._handle, self._file = tempfile.mkstemp(prefix="protocol-sandbox-")
                self.path = self._file
            os.ftruncate(self._handle, size)
            self._map = mmap.mmap(self._handle, size)
        except OSError as error:
            raise ResourceError(f"no {size / 2**20:.0f} MiB to share with the sandbox: {error.strerror}") from error
        self.array = np.frombuffer(self._map, dtype=dtype, count=int(np.prod(shape, dtype=np.int64))).reshape(shape)

    @classmethod
    def copy_of(cls, values: np.ndarray, dtype: type[np.generic]) -> SharedArray:
        """Return a shared copy of `values`."""
        shared = cls(values.shape, dtype)
        shared.array[...] = values
        return shared

    def to_json(self) -> dict[str, Any]:
        """Return where the array is, for the worker."""
        return {"path": self.path, "shape": list(self.shape)}

    def close(self) -> None:
        """Close the descriptor; views of `array` stay valid, and the memory goes with the last of them."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        if self._file:
            os.unlink(self._file)
            self._file = ""
