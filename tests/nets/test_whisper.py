"""Where only telling pays, every method that can tell another agent something learns to; the others stay at chance."""

from __future__ import annotations

import pytest
import torch
from whisper_game import WhisperGame

from marl_runtime.learner import Learner, LearnerConfig
from marl_runtime.methods import MethodInputs, build_method
from marl_runtime.networks import build_mixer
from marl_runtime.rollout import NetworkActor, Rollout

TELLS = {
    "full_comm": 100, "commnet": 150, "tarmac": 150, "ndq": 150, "maic": 150, "masia": 150, "t2mac": 250, "sms": 150,
}  # fmt: skip
"""Updates until it is learned, with room to spare."""
SLOW = ("t2mac", "sms")


def earned(name: str, updates: int) -> float:
    """Reward of a greedy step after `updates` of 64 episodes each, played at random."""
    game = WhisperGame(64, steps=1)
    torch.manual_seed(1)
    method = build_method(name, MethodInputs.for_schema(game.schema))
    config = LearnerConfig(lr=6e-3, target_update_interval=20)
    learner = Learner(method, build_mixer("qmix", game.schema), config, seed=1)
    rollout, actor = Rollout(game), NetworkActor(method)
    for update in range(updates):
        learner.update(rollout.play(actor, 1, 64 * update, 64, epsilon=1.0))
    return float(rollout.play(actor, 99, 0, 512).rewards.mean())


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in TELLS])
def test_what_one_agent_sees_another_acts_on(name: str) -> None:
    assert earned(name, TELLS[name]) > 0.95


@pytest.mark.parametrize("name", ["qmix", "cola"])
def test_without_messages_there_is_chance_alone(name: str) -> None:
    """512 coins have a standard error of 0.022; COLA sends nothing when acting."""
    assert earned(name, 150) == pytest.approx(0.5, abs=0.1)
