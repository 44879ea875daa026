"""The spaces of a user's environment: how many numbers an observation has, how many actions there are, and neither."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.errors import RejectedError

__all__ = ["MASK_KEY", "action_count", "flat_size", "flatten", "mask_in"]

MASK_KEY = "action_mask"
_SUPPORTED_ACTIONS = "supported: Discrete, one number that chooses among named actions"
_SUPPORTED_OBSERVATIONS = (
    "supported: Box, MultiBinary and Discrete (one-hot), alone or as 'observation' of a Dict with 'action_mask'"
)


def action_count(space: Any, agent: str) -> int:
    """Return how many actions `agent` has; a space that is not Discrete raises `RejectedError`."""
    kind = type(space).__name__
    if kind == "Discrete":
        return int(space.n)
    remedy = {
        "Box": "continuous actions cannot be trained with QMIX; offer a few of them as a Discrete space",
        "MultiDiscrete": "number their combinations in a Discrete space",
    }.get(kind, "wrap the environment")
    raise RejectedError(f"agent {agent!r} has {kind} actions; {_SUPPORTED_ACTIONS}. Remedy: {remedy}")


def flat_size(space: Any, agent: str) -> int:
    """Return how many numbers an observation of `space` is; an unsupported one raises `RejectedError`."""
    space = _inner(space)
    kind = type(space).__name__
    if kind == "Discrete":
        return int(space.n)
    if kind in {"Box", "MultiBinary"}:
        return math.prod(space.shape)
    raise RejectedError(f"agent {agent!r} observes a {kind}; {_SUPPORTED_OBSERVATIONS}. Remedy: wrap the environment")


def flatten(space: Any, value: Any) -> Float32Array:
    """Return one observation as numbers, in C order; a Discrete one is one-hot."""
    if isinstance(value, Mapping):
        value = value["observation"]
    space = _inner(space)
    if type(space).__name__ == "Discrete":
        one_hot = np.zeros(int(space.n), dtype=np.float32)
        one_hot[int(value) - int(space.start)] = 1
        return one_hot
    return np.asarray(value, dtype=np.float32).ravel()


def mask_in(observation: Any, info: Mapping[str, Any]) -> BoolArray | None:
    """Return which actions are available, by the observation or else the agent's info; None where neither says."""
    if isinstance(observation, Mapping) and MASK_KEY in observation:
        return np.asarray(observation[MASK_KEY]).astype(bool)
    return np.asarray(info[MASK_KEY]).astype(bool) if MASK_KEY in info else None


def _inner(space: Any) -> Any:
    """The observation of a Dict space that holds a mask beside it."""
    if type(space).__name__ != "Dict":
        return space
    extra = set(space.spaces) - {"observation", MASK_KEY}
    if extra or "observation" not in space.spaces:
        raise RejectedError(
            f"an observation is a Dict of {', '.join(sorted(space.spaces))}; {_SUPPORTED_OBSERVATIONS}. "
            "Remedy: join its parts in one Box"
        )
    return space.spaces["observation"]
