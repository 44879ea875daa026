"""A task that only messages solve: what the learner makes of it, greedily, with each method."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from toy_episodes import make_schema

from buffers.episodes import EpisodeBatch, Float32Array, IntArray
from marl_runtime.learner import Learner, LearnerConfig
from marl_runtime.methods import Method, MethodInputs, build_method
from marl_runtime.networks import build_mixer

SCHEMA = make_schema(n_agents=2, obs_dim=1, state_dim=1, n_actions=2)
STEPS = 2


def play(rng: np.random.Generator, n_episodes: int, method: Method | None = None) -> EpisodeBatch:
    """Agent 0 sees an answer of -1 or 1, new at each step, and says it; agent 1 is paid for acting on it.

    Actions are random, or the greedy ones of `method`.
    """
    answers = rng.choice([-1.0, 1.0], size=(n_episodes, STEPS + 1)).astype(np.float32)
    zeros = np.zeros_like(answers)
    obs = np.stack([answers, zeros], axis=2)[..., None]
    messages = np.stack([zeros, answers], axis=2)[..., None]
    actions = rng.integers(2, size=(n_episodes, STEPS, 2))
    if method is not None:
        actions = greedy_actions(method, obs, messages)
    ended = np.zeros((n_episodes, STEPS), dtype=bool)
    ended[:, -1] = True
    return EpisodeBatch(
        obs=obs,
        state=answers[..., None],
        actions=actions,
        avail_actions=np.ones((n_episodes, STEPS + 1, 2, 2), dtype=bool),
        alive=np.ones((n_episodes, STEPS + 1, 2), dtype=bool),
        rewards=(actions[:, :, 1] == (answers[:, :-1] > 0)).astype(np.float32),
        terminated=ended,
        truncated=np.zeros_like(ended),
        filled=np.ones_like(ended),
        success=np.zeros(n_episodes, dtype=bool),
        messages=messages,
    )


def greedy_actions(method: Method, obs: Float32Array, messages: Float32Array) -> IntArray:
    n_episodes = len(obs)
    ids = np.tile(np.eye(2, dtype=np.float32), (n_episodes, 1))
    last = np.zeros((2 * n_episodes, 2), dtype=np.float32)
    carry = method.initial_state(2 * n_episodes)
    actions = []
    for t in range(STEPS):
        extended = np.concatenate([obs[:, t].reshape(-1, 1), last, ids], axis=1)
        q, carry = method.step(torch.from_numpy(extended), torch.from_numpy(messages[:, t].reshape(-1, 1)), None, carry)
        chosen = q.argmax(dim=-1).numpy()
        last = np.eye(2, dtype=np.float32)[chosen]
        actions.append(chosen.reshape(n_episodes, 2))
    return np.stack(actions, axis=1)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("direct", 0.95, 1.0), ("lmac", 0.95, 1.0), ("enc_zero", 0.4, 0.6), ("qmix", 0.4, 0.6)],
)
def test_messages_are_learned_where_only_they_help(name: str, low: float, high: float) -> None:
    rng = np.random.default_rng(0)
    method = build_method(name, MethodInputs.for_schema(SCHEMA, message_dim=1))
    learner = Learner(method, build_mixer("qmix", SCHEMA), LearnerConfig(lr=3e-3, target_update_interval=20), seed=1)
    for _ in range(150):
        learner.update(play(rng, 32))
    paid = play(rng, 500, method).rewards.mean()
    assert low <= paid <= high
