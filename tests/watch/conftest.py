"""Recordings: two real battles with a protocol beside them, and a duel whose every number is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from generated_protocols.bandwidth import Component
from marl_runtime.watching.playing import play_episodes, scripted_player
from marl_runtime.watching.recording import Messages, Recording, Scene, UnitCard

SHIPPED = Path(__file__).parents[2] / "generated_protocols"


@pytest.fixture(scope="session")
def battles() -> list[Recording]:
    """Episodes 0 and 1 of 1o_2r_vs_4r by `shared`, seed 0, with llm-a's messages beside them."""
    player = scripted_player("1o_2r_vs_4r", "shared", SHIPPED / "1o_2r_vs_4r" / "llm-a")
    return list(play_episodes(player, 0, 2))


@pytest.fixture
def duel() -> Recording:
    """Two steps on 6 x 4 cells, the column x = 3 closed above y = 2: marine 0 and medivac 1 against zealot A.

    Step 0: the marine attacks the zealot, whose shield falls from 50 to 41; the medivac heals the marine. Step 1: the
    marine attacks again and dies; the medivac goes north. The marine says [hp, 1 2], the medivac [0, 0 0].
    """
    terrain = np.ones((6, 4), dtype=bool)
    terrain[3, 2:] = False
    cards = (
        UnitCard("marine", 40, 0.5, period=10, range=2),
        UnitCard("medivac", 100, 0.75, range=4, heals=True),
        UnitCard("zealot", 100, 0.5, shield=50, period=20),
    )
    sent = np.zeros((3, 2, 3), dtype=np.float32)
    sent[:2, 0] = [[40, 1, 2], [15, 1, 2]]
    kept = np.zeros((3, 2, 6), dtype=np.float32)
    kept[:2, 1, 0] = sent[:2, 0, 0]  # hp.from_0
    kept[:2, 1, 2:4] = sent[:2, 0, 1:]  # two.from_0
    two = (Component(0, "hp", 1), Component(0, "two", 2))
    all_kept = tuple(Component(0, f"{c.name}.from_{j}", c.width) for c in two for j in range(2))
    return Recording(
        task="duel",
        player="policy test",
        root_seed=7,
        episode=3,
        seed=11,
        scene=Scene(terrain, cards, 2, sight=3, shoot=2),
        action_names=("no-op", "stop", "north", "attack_enemy_0"),
        limit=5,
        x=np.array([[0.5, 1.5, 4.5], [0.5, 1.5, 3.5], [0.5, 1.5, 2.5]], dtype=np.float32),
        y=np.array([[0.5, 0.5, 1.5], [0.5, 0.5, 1.5], [0.5, 1.5, 1.25]], dtype=np.float32),
        health=np.array([[40, 100, 100], [15, 100, 100], [0, 100, 100]], dtype=np.float32),
        shield=np.array([[0, 0, 50], [0, 0, 41], [0, 0, 32]], dtype=np.float32),
        cooldown=np.array([[0, 0, 0], [10, 0, 5], [0, 0, 20]], dtype=np.float32),
        target=np.array([[2, 0, 0], [2, -1, 0]]),
        actions=np.array([[3, 3], [3, 2]]),
        rewards=np.array([0.25, 0.5], dtype=np.float32),
        success=False,
        truncated=False,
        messages=Messages("duel/mine", False, two, all_kept, sent, kept, frozenset({0})),
    )
