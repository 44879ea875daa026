"""Named settings of training, as other code has them; an option that is given beside a preset goes first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from buffers.errors import UnknownNameError

__all__ = ["Preset", "find_preset", "preset_names"]


@dataclass(frozen=True)
class Preset:
    """Settings that differ from the defaults of `TrainConfig`, its `LearnerConfig` and its `MethodConfig`."""

    summary: str
    train: Mapping[str, Any]
    learner: Mapping[str, Any]
    network: Mapping[str, Any]


_PRESETS = {
    "epymarl": Preset(
        "one update of 32 episodes for every episode played, rewards standardised: EPyMARL's QMIX",
        {"updates_per_episode": 1.0},
        {"reward_standardisation": "published"},
        {},
    ),
    "fast": Preset("one update of 32 episodes for 8 episodes played", {"updates_per_episode": 0.125}, {}, {}),
    "lmac-published": Preset(
        "as epymarl, with the published encoder loop",
        {"updates_per_episode": 1.0},
        {"reward_standardisation": "published"},
        {"encoder_loop": "published"},
    ),
}


def preset_names() -> list[str]:
    """Return the names of all presets."""
    return list(_PRESETS)


def find_preset(name: str) -> Preset:
    """Return the preset `name`; an empty name changes nothing, an unknown one raises `UnknownNameError`."""
    if not name:
        return Preset("the defaults", {}, {}, {})
    if name not in _PRESETS:
        raise UnknownNameError("preset", name, _PRESETS)
    return _PRESETS[name]
