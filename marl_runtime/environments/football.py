"""Google Research Football: two of its academy scenarios, on the engine's own class.

The package's wrappers need an old gym and break on it; its `FootballEnv` needs none of them. The engine hands out
players in an order of its own, its goalkeeper first, and in `academy_run_pass_and_shoot_with_keeper` two controlled
players are the goalkeeper and one attacker. So all our players are controlled here, the goalkeeper is given back to the
engine's own policy in every step, and who stands where is checked at every start.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.errors import MissingDependencyError, RejectedError
from marl_runtime.environment import StepResult, VectorEnvironment
from marl_runtime.environments.football_schema import (
    ACTION_NAMES,
    EPISODE_LIMIT,
    FOOTBALL_TASKS,
    Scenario,
    football_schema,
)
from marl_runtime.tasks import Task

__all__ = ["FootballEnvironment", "football_task", "observations_of", "state_of"]

BUILTIN_AI = 19  # in the engine's action set "v2", behind the 19 usual ones
NEAR = 0.05  # how far from its place a player may stand at first, in pitch halves; the engine scales by about 1.01
REMEDY = "docs/football.md says how to build it, `make test-grf` does it"


class FootballEnvironment(VectorEnvironment):
    """E matches in step, each in an engine of its own; the team's reward is 1 for a goal and -1 for one against it.

    An episode depends on its seed alone. Success is a goal of ours.
    """

    def __init__(self, scenario: Scenario, num_envs: int) -> None:
        self.scenario, self.num_envs = scenario, num_envs
        self.schema = football_schema(scenario)
        n = self.schema.n_agents
        self.obs = np.zeros((num_envs, n, self.schema.obs_dim), dtype=np.float32)
        self.state = np.zeros((num_envs, self.schema.state_dim), dtype=np.float32)
        self.avail_actions = np.ones((num_envs, n, len(ACTION_NAMES)), dtype=bool)
        self.alive = np.ones((num_envs, n), dtype=bool)
        self._running = np.zeros(num_envs, dtype=bool)
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._matches = [_new_match(scenario) for _ in range(num_envs)]

    def reset(self, mask: BoolArray, seeds: IntArray) -> None:
        """Start new matches where `mask` is true, each from its seed; players in other places raise `RejectedError`."""
        for index in np.flatnonzero(mask).tolist():
            match = self._matches[index]
            # the engine takes 32 bits, and reads the lowest one as which team is processed first
            match._config.update({"game_engine_random_seed": int(seeds[index]) % (2**31 - 1)})
            seen = match.reset()[0]
            require_places(self.scenario, seen)
            self._read(index, seen)
            self._running[index], self._steps[index] = True, 0

    def step(self, actions: IntArray) -> StepResult:
        """Play `actions` `[E, N]`; a number that is no action raises ValueError."""
        if actions.min(initial=0) < 0 or actions.max(initial=0) >= len(ACTION_NAMES):
            raise ValueError(f"actions are 0 to {len(ACTION_NAMES) - 1}: {actions.tolist()}")
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        terminated = np.zeros(self.num_envs, dtype=bool)
        truncated = np.zeros(self.num_envs, dtype=bool)
        success = np.zeros(self.num_envs, dtype=bool)
        for index in np.flatnonzero(self._running).tolist():
            observations, _, over, info = self._matches[index].step([BUILTIN_AI, *actions[index].tolist()])
            seen = observations[0]
            self._read(index, seen)
            self._steps[index] += 1
            rewards[index] = info["score_reward"]
            success[index] = info["score_reward"] > 0
            terminated[index] = over or self._retreated(index)
            truncated[index] = not terminated[index] and self._steps[index] >= EPISODE_LIMIT
            self._running[index] = not (terminated[index] or truncated[index])
        return StepResult(rewards, terminated, truncated, success)

    def _retreated(self, index: int) -> bool:
        """Whether the ball or an agent is in our own half, which ends an episode as published."""
        state, n = self.state[index], self.schema.n_agents
        ball = self.schema.state_index("ball.x")
        return bool(state[ball] < 0 or (state[: 2 * n : 2] < 0).any())

    def _read(self, index: int, seen: dict[str, Any]) -> None:
        n, k = self.schema.n_agents, len(self.scenario.opponents)
        self.state[index] = state_of(seen, n, k)
        self.obs[index] = observations_of(seen, n, k)

    def close(self) -> None:
        """End the engines."""
        for match in self._matches:
            match.close()


def require_places(scenario: Scenario, seen: dict[str, Any]) -> None:
    """Raise `RejectedError` where the engine's players are not in the order that the agents are named after."""
    roles = [int(role) for role in seen["left_team_roles"]]
    if roles != [0, *scenario.engine_roles]:
        raise RejectedError(
            f"{scenario.level}: the engine's roles are {roles}, expected {[0, *scenario.engine_roles]}: agents would "
            "be named wrongly in this version of the scenario; install gfootball 2.10.2"
        )
    for number, (role, expected) in enumerate(zip(scenario.roles, scenario.positions, strict=True), start=1):
        found = np.asarray(seen["left_team"][number], dtype=float)
        if np.abs(found - expected).max() > NEAR:
            raise RejectedError(
                f"{scenario.level}: player {number} ({role}) starts at {found.round(2).tolist()}, expected "
                f"{list(expected)}: agents would be named wrongly in this version of the scenario; install gfootball "
                "2.10.2"
            )


def state_of(seen: dict[str, Any], n: int, k: int) -> Float32Array:
    """Return absolute positions and movements of N agents, K opponents and the ball, `[S]`."""
    parts = (
        seen["left_team"][1 : n + 1], seen["left_team_direction"][1 : n + 1], seen["right_team"][:k],
        seen["right_team_direction"][:k], seen["ball"], seen["ball_direction"],
    )  # fmt: skip
    return np.concatenate([np.asarray(part, dtype=np.float32).reshape(-1) for part in parts])


def observations_of(seen: dict[str, Any], n: int, k: int) -> Float32Array:
    """Return what each agent sees, `[N, O]`: itself, its teammates, the opponents and the ball relative to itself."""
    ours, moves = (np.asarray(seen[name][1 : n + 1], dtype=np.float32) for name in ("left_team", "left_team_direction"))
    theirs, their_moves = (
        np.asarray(seen[name][:k], dtype=np.float32) for name in ("right_team", "right_team_direction")
    )
    ball, ball_moves = (np.asarray(seen[name], dtype=np.float32) for name in ("ball", "ball_direction"))
    rows = []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        parts = (
            ours[i], ours[others] - ours[i], moves[i], moves[others], theirs - ours[i], their_moves, ball[:2] - ours[i],
            ball[2:], ball_moves,
        )  # fmt: skip
        rows.append(np.concatenate([part.reshape(-1) for part in parts]))
    return np.stack(rows)


def _new_match(scenario: Scenario) -> Any:
    if importlib.util.find_spec("gfootball") is None:
        raise MissingDependencyError(
            f"task {scenario.level!r} needs the package gfootball, built from source: {REMEDY}"
        )
    try:
        config = importlib.import_module("gfootball.env.config")
        football_env = importlib.import_module("gfootball.env.football_env")
    except ImportError as error:
        raise MissingDependencyError(f"gfootball is installed and does not load ({error}): {REMEDY}") from error
    return football_env.FootballEnv(
        config.Config(
            {
                "level": scenario.level,
                "players": [f"agent:left_players={len(scenario.roles) + 1}"],
                "action_set": "v2",
                "render": False,
                "dump_full_episodes": False,
                "dump_scores": False,
                "write_video": False,
                "display_game_stats": False,
                "game_engine_random_seed": 0,
            }
        )
    )


def football_task(name: str) -> Task:
    """Return the task of the scenario `name`; the engine is loaded when environments are made."""
    scenario = FOOTBALL_TASKS[name]
    schema = football_schema(scenario)
    return Task(
        name=name,
        summary=schema.summary,
        backend="gfootball",
        schema=schema,
        make=lambda num_envs: FootballEnvironment(scenario, num_envs),
        enemies=len(scenario.opponents),
        requires="gfootball",
    )
