"""Mixers, from the agents' utilities to a joint value; one file each, and one line here."""

from __future__ import annotations

from buffers.errors import UnknownNameError
from buffers.schema import TaskSchema
from marl_runtime.networks.mixers.base import Mixer
from marl_runtime.networks.mixers.qmix import QmixMixer
from marl_runtime.networks.mixers.qplex import QplexMixer
from marl_runtime.networks.mixers.vdn import VdnMixer

__all__ = ["Mixer", "QmixMixer", "QplexMixer", "VdnMixer", "build_mixer", "find_mixer", "mixer_names"]

_MIXERS: dict[str, type[Mixer]] = {mixer.name: mixer for mixer in (QmixMixer, VdnMixer, QplexMixer)}


def mixer_names() -> list[str]:
    """Return the names of all mixers."""
    return list(_MIXERS)


def find_mixer(name: str) -> type[Mixer]:
    """Return the mixer class `name`; an unknown name raises `UnknownNameError` with the nearest ones."""
    if name not in _MIXERS:
        raise UnknownNameError("mixer", name, _MIXERS)
    return _MIXERS[name]


def build_mixer(name: str, schema: TaskSchema) -> Mixer:
    """Build the mixer `name` for the agents, state and actions of `schema`."""
    return find_mixer(name)(schema.n_agents, schema.state_dim, schema.n_actions)
