"""The tasks of the real game, by name."""

from __future__ import annotations

from marl_runtime.environment import VectorEnvironment
from marl_runtime.environments.starcraft.maps import GameMap, game_map
from marl_runtime.environments.starcraft.preflight import made_from, require_ready
from marl_runtime.environments.starcraft.schema import game_schema
from marl_runtime.tasks import Task

__all__ = ["starcraft_task"]


def starcraft_task(name: str) -> Task:
    """Return the task `name`; neither package nor game is needed before an environment of it is made."""
    game = game_map(name)
    schema = game_schema(game)
    return Task(
        name=name,
        summary=schema.summary,
        backend=f"StarCraft II, through {game.package}",
        schema=schema,
        make=lambda num_envs: _make(game, num_envs),
        enemies=len(game.battle_map.enemies),
        requires=f"{game.package}, StarCraft II (docs/starcraft.md)",
        origin=made_from(game),
    )


def _make(game: GameMap, num_envs: int) -> VectorEnvironment:
    require_ready(game)
    from marl_runtime.environments.starcraft.environment import StarCraftEnvironment
    from marl_runtime.environments.starcraft.smac_game import new_smac_game
    from marl_runtime.environments.starcraft.smacv2_game import new_smacv2_game

    new = new_smac_game if game.package == "smac" else new_smacv2_game
    return StarCraftEnvironment(lambda: new(game), game_schema(game), num_envs)
