"""The same battle in the simulator and in smac's own code: every number of every step has to be the same."""

from __future__ import annotations

import numpy as np
import pytest

from marl_runtime.environments.starcraft.maps import SMAC_COMM, game_map, game_names
from marl_runtime.environments.starcraft.smac_game import new_smac_game
from marl_runtime.skirmish.maps import MAPS
from marl_runtime.tasks import find_task
from real_smac.fakes import battle_of, place, require_same, show, units_of

pytestmark = pytest.mark.smac

_SHARED = [name for name in game_names() if name.startswith("sc2:") and find_task(name) and
           name.removeprefix("sc2:").removesuffix("-smac_plus") in MAPS]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in game_names() if name.startswith("sc2:")])
def test_sizes_are_the_packages_own(name: str) -> None:
    schema, said = find_task(name).schema, new_smac_game(game_map(name)).get_env_info()
    assert (said["n_agents"], said["n_actions"], said["episode_limit"]) == (
        schema.n_agents, schema.n_actions, schema.episode_limit,
    )  # fmt: skip
    assert (said["obs_shape"], said["state_shape"]) == (schema.obs_dim, schema.state_dim)


def test_stock_registry_has_the_maps_that_we_name() -> None:
    from smac.env.starcraft2.maps.smac_maps import map_param_registry

    new_smac_game(game_map("sc2:3m"))
    named = {game_map(name).map_name for name in game_names() if name.startswith("sc2:")}
    assert named == set(map_param_registry)
    assert len(named) == 23 + len(SMAC_COMM)


@pytest.mark.parametrize("name", _SHARED)
def test_a_battle_looks_the_same_step_by_step(name: str) -> None:
    """Random play in the simulator; the package sees the same units and has to say the same of every step."""
    game_of, rng = game_map(name), np.random.default_rng(7)
    ended, compared = 0, 0
    for seed in range(4):
        battle, game = battle_of(game_of), new_smac_game(game_of)
        place(game, battle.terrain)
        battle.reset(np.array([True]), np.array([seed]))
        show(game, units_of(battle))
        game.init_units()
        require_same(game, battle)
        for _ in range(battle.schema.episode_limit):
            # one in two attacks where it can, so that units die
            avail = battle.avail_actions[0]
            weights = rng.random(avail.shape) * avail * np.where(np.arange(avail.shape[1]) >= 6, 2.0, 1.0)
            result = battle.step(weights.argmax(axis=1)[None])
            show(game, units_of(battle))
            code = game.update_units()
            paid = game.reward_battle() + (200 if code == 1 else 0)
            if code is not None and not result.terminated[0]:
                # MMM alone: smac ends it when a side has only Medivacs, the simulator goes on
                assert game_of.map_name == "MMM"
                assert any(
                    {one.unit_type for one in side.values() if one.health > 0} <= {54, 1972}
                    for side in (game.agents, game.enemies)
                )
                break
            assert result.rewards[0] == pytest.approx(paid * 20 / game.max_reward, abs=1e-4)
            require_same(game, battle)
            assert (code is not None) == result.terminated[0]
            assert (code == 1) == result.success[0]
            if code is not None or result.truncated[0]:
                ended += 1
                break
            compared += 1
    assert compared >= 20
    assert ended == 4 or game_of.map_name == "MMM"
