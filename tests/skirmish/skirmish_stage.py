"""Battles arranged by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buffers.episodes import IntArray
from marl_runtime.environment import ScriptedPolicy, StepResult, episode_seeds
from marl_runtime.skirmish.environment import BattleOptions, SkirmishEnvironment
from marl_runtime.skirmish.maps import MAPS, BattleMap, Spawn

STOP, NORTH, SOUTH, EAST, WEST, ATTACK = 1, 2, 3, 4, 5, 6


def stage(
    battle_map: str | BattleMap,
    places: Sequence[tuple[float, float] | None] = (),
    *,
    num_envs: int = 1,
    **options: Any,
) -> SkirmishEnvironment:
    """Fresh battles with their units at `places` (agents, then enemies; None for a dead one)."""
    chosen = MAPS[battle_map] if isinstance(battle_map, str) else battle_map
    env = SkirmishEnvironment(chosen, num_envs, BattleOptions(**options))
    everyone = np.ones(num_envs, dtype=bool)
    env.reset(everyone, np.arange(num_envs, dtype=np.int64))
    for slot, place in enumerate(places):
        unit = env.units[:, slot]
        if place is None:
            unit["health"], unit["dead"] = 0.0, 1
        else:
            unit["x"], unit["y"] = place
            unit["home_x"], unit["home_y"] = place
    env.observe(everyone)
    return env


def arena(
    allies: tuple[str, ...],
    enemies: tuple[str, ...],
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    **more: Any,
) -> BattleMap:
    """An open field on which everybody appears at the centre."""
    units = tuple(range(len(allies) + len(enemies)))
    return BattleMap(
        name="arena",
        summary="an open field",
        source="none",
        allies=allies,
        enemies=enemies,
        episode_limit=200,
        open_rects=((0, 0, 32, 32),),
        spawns=(Spawn(units, ((16, 16, 16, 16),)),),
        type_bits={name: 0 for name in (*allies, *enemies)},
        overrides=overrides or {},
        **more,
    )


def play(env: SkirmishEnvironment, *actions: int) -> StepResult:
    """One step with an action per agent; no-op for the dead, whatever was said."""
    joint = np.where(env.alive, np.array(actions), 0)
    return env.step(joint.astype(np.int64))


def obs(env: SkirmishEnvironment, agent: int, name: str) -> float:
    return float(env.obs[0, agent, env.schema.extended_index(name)])


def state(env: SkirmishEnvironment, name: str) -> float:
    return float(env.state[0, env.schema.state_index(name)])


def random_actions(env: SkirmishEnvironment, rng: np.random.Generator) -> IntArray:
    return (env.avail_actions * rng.random(env.avail_actions.shape)).argmax(axis=-1)


def play_scripted(
    env: SkirmishEnvironment, policy: ScriptedPolicy, root_seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whole battles: won `[E]`, return `[E]`, the units at the start `[E, U]`."""
    everyone = np.ones(env.num_envs, dtype=bool)
    env.reset(everyone, episode_seeds(root_seed, 0, env.num_envs))
    policy.reset(env, everyone)
    start = env.units.copy()
    won, total = np.zeros(env.num_envs, dtype=bool), np.zeros(env.num_envs)
    for _ in range(env.schema.episode_limit):
        result = env.step(policy.act(env))
        won |= result.success
        total += result.rewards
    assert not env.running.any()
    return won, total, start
