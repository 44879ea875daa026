"""Policies written by hand for the maps: checks of the simulator, and reference lines beside learning curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from marl_runtime.environment import ScriptedPolicy

__all__ = ["SCRIPTED"]

SCRIPTED: Mapping[str, Mapping[str, Callable[[], ScriptedPolicy]]] = {}
