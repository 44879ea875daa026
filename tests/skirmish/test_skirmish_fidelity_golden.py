"""The two maps whose protocols and results are in the repository play today as they did when those were made."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from marl_runtime.environment import episode_seeds
from marl_runtime.skirmish.environment import BattleOptions, SkirmishEnvironment
from marl_runtime.skirmish.maps import MAPS

# SHA-256 over all that 50 battles show, taken before the engine learned shields, missiles and marching enemies.
GOLDEN = {
    ("bane_vs_hM", "smac", "liberty"): "cfe86318af48d38b3d3c2be85a745b0c0a3530d513c03ebda8513e1e6ae3ab25",
    ("bane_vs_hM", "smac", "ladder-4.10"): "cfe86318af48d38b3d3c2be85a745b0c0a3530d513c03ebda8513e1e6ae3ab25",
    ("1o_2r_vs_4r", "smac", "liberty"): "a3e3eae7e0d6d652c0f3912b73eba3442e3c36551b3aa16cf9d889ec0e904d75",
    ("1o_2r_vs_4r", "smac", "ladder-4.10"): "03c801c946f76a0997f5192a117f925c07dc96f77067dcb8705dd4d107fb5407",
    ("1o_2r_vs_4r", "smac_plus", "liberty"): "1659c30f0532e6ffa8303df8904eb7f7e08796d564c0365828326906627d2ee9",
}


def digest(name: str, layout: str, profile: str) -> str:
    """Half of the battles choose evenly among available actions, half lean towards attacks, so that they are fought."""
    env = SkirmishEnvironment(MAPS[name], 50, BattleOptions(layout=layout, profile=profile))  # type: ignore[arg-type]
    env.reset(np.ones(50, dtype=bool), episode_seeds(11, 0, 50))
    rng, seen = np.random.default_rng(12), hashlib.sha256()
    lean = np.where((np.arange(env.schema.n_actions) < 6) & (np.arange(50) % 2)[:, None, None], 0.2, 1.0)
    while env.running.any():
        for array in (env.obs, env.state, env.avail_actions, env.alive):
            seen.update(array.tobytes())
        result = env.step((env.avail_actions * (rng.random(env.avail_actions.shape) + 1e-3) * lean).argmax(axis=-1))
        for array in (result.rewards, result.terminated, result.truncated, result.success):
            seen.update(array.tobytes())
    return seen.hexdigest()


@pytest.mark.parametrize(("name", "layout", "profile"), GOLDEN)
def test_fifty_battles_are_the_same_bit_for_bit(name: str, layout: str, profile: str) -> None:
    assert digest(name, layout, profile) == GOLDEN[name, layout, profile]
