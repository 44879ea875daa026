"""The arrays that the processes of one environment share: each writes the rows of its own environments."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from buffers.schema import TaskSchema

__all__ = ["SharedArrays"]

_ALIGNMENT = 64


class SharedArrays:
    """The arrays of E environments, by name, in a nameless file that goes with the last process that holds it."""

    def __init__(self, schema: TaskSchema, num_envs: int, file: int | None = None) -> None:
        e, n = num_envs, schema.n_agents
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "obs": ((e, n, schema.obs_dim), np.float32),
            "state": ((e, schema.state_dim), np.float32),
            "avail_actions": ((e, n, schema.n_actions), np.bool_),
            "alive": ((e, n), np.bool_),
            "rewards": ((e,), np.float32),
            "terminated": ((e,), np.bool_),
            "truncated": ((e,), np.bool_),
            "success": ((e,), np.bool_),
            "mask": ((e,), np.bool_),
            "seeds": ((e,), np.int64),
            "actions": ((e, n), np.int64),
        }
        places, size = {}, 0
        for name, (shape, dtype) in shapes.items():
            places[name] = size
            count = int(np.prod(shape)) * np.dtype(dtype).itemsize
            size += -(-count // _ALIGNMENT) * _ALIGNMENT
        self.file = os.memfd_create("environments") if file is None else file
        if file is None:
            os.truncate(self.file, size)
        self._memory = mmap.mmap(self.file, size)
        self._arrays = {
            name: np.frombuffer(self._memory, dtype, int(np.prod(shape)), places[name]).reshape(shape)
            for name, (shape, dtype) in shapes.items()
        }

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]
