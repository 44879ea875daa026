"""Three particle worlds of mpe2, without the message channel that two of them bring: a protocol is the only one.

`--task marl_runtime.environments.mpe:simple_reference`, `:simple_speaker_listener`, `:simple_spread`. Their task files
lie beside this one, and show what such a file looks like. mpe2 is optional: pip install 'protocol-designer[mpe]'.
"""

from __future__ import annotations

import importlib
from typing import Any

from buffers.errors import MissingDependencyError

__all__ = ["Silenced", "simple_reference", "simple_speaker_listener", "simple_spread"]


class Silenced:
    """A particle world in which every agent says word 0 in every step.

    mpe2 numbers an agent's joint actions as move + 5 · word, so a move alone is a move with word 0. An agent that
    cannot move has the one action of saying it. What is heard is left in the observations, for the task's file to drop.
    """

    def __init__(self, game: Any) -> None:
        self._game = game
        self.possible_agents: list[str] = list(game.possible_agents)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def action_space(self, agent: str) -> Any:
        """Return the moves of an agent that moves, one action for another."""
        from gymnasium.spaces import Discrete

        world = self._game.unwrapped.world
        return Discrete(5 if world.agents[self.possible_agents.index(agent)].movable else 1)


def simple_reference() -> Silenced:
    """Return simple_reference_v3, silenced: each agent alone knows to which landmark the other has to go."""
    return Silenced(_world("simple_reference_v3"))


def simple_speaker_listener() -> Silenced:
    """Return simple_speaker_listener_v4, silenced: the speaker alone knows to which landmark the listener has to go."""
    return Silenced(_world("simple_speaker_listener_v4"))


def simple_spread() -> Any:
    """Return simple_spread_v3, where nobody can speak anyway: three agents cover three landmarks."""
    return _world("simple_spread_v3")


def _world(name: str) -> Any:
    try:
        module = importlib.import_module(f"mpe2.{name}")
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"{name} needs the package {error.name}: pip install 'protocol-designer[mpe]'"
        ) from error
    return module.parallel_env()
