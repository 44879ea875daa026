"""Two short battles with a protocol beside them, played once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from marl_runtime.watching.playing import play_episodes, scripted_player
from marl_runtime.watching.recording import Recording

SHIPPED = Path(__file__).parents[2] / "generated_protocols"


@pytest.fixture(scope="session")
def battles() -> list[Recording]:
    """Episodes 0 and 1 of 1o_2r_vs_4r by `shared`, seed 0: won after 43 steps, and one more."""
    player = scripted_player("1o_2r_vs_4r", "shared", SHIPPED / "1o_2r_vs_4r" / "llm-a")
    return list(play_episodes(player, 0, 2))
