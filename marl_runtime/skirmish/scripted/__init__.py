"""Policies written by hand for the maps: checks of the simulator, and reference lines beside learning curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from marl_runtime.environment import ScriptedPolicy
from marl_runtime.skirmish.scripted import bane_vs_hm, overseer_roaches

__all__ = ["SCRIPTED"]

_POLICIES: Mapping[str, tuple[type[ScriptedPolicy], ...]] = {
    "bane_vs_hM": (bane_vs_hm.Rush, bane_vs_hm.Clock, bane_vs_hm.Share, bane_vs_hm.Oracle),
    "1o_2r_vs_4r": (overseer_roaches.Blind, overseer_roaches.Shared, overseer_roaches.Oracle),
}

SCRIPTED: Mapping[str, Mapping[str, Callable[[], ScriptedPolicy]]] = {
    task: {policy.name: policy for policy in policies} for task, policies in _POLICIES.items()
}
