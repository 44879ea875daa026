"""Football without the engine: names, what agents see of a raw observation, and what is said when it is missing."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from buffers.errors import MissingDependencyError, RejectedError
from marl_runtime.environments.football import observations_of, require_places, state_of
from marl_runtime.environments.football_schema import FOOTBALL_TASKS
from marl_runtime.tasks import find_task, task_names

THREE, TWO = FOOTBALL_TASKS


def raw(n: int) -> dict[str, Any]:
    """A match as the engine shows it: goalkeeper first, every number another one."""
    count = iter(np.arange(1, 100) / 100)

    def pairs(players: int) -> np.ndarray:
        return np.array([[next(count), next(count)] for _ in range(players)])

    return {
        "left_team": pairs(n + 1),
        "left_team_direction": pairs(n + 1),
        "right_team": pairs(2),
        "right_team_direction": pairs(2),
        "ball": np.array([next(count) for _ in range(3)]),
        "ball_direction": np.array([next(count) for _ in range(3)]),
        "left_team_roles": [0, *FOOTBALL_TASKS[THREE if n == 3 else TWO].engine_roles],
    }


@pytest.mark.parametrize(("name", "n", "width"), [(THREE, 3, 26), (TWO, 2, 22)])
def test_every_number_is_what_its_name_says(name: str, n: int, width: int) -> None:
    schema, seen = find_task(name).schema, raw(n)
    assert (schema.n_agents, schema.obs_dim, schema.state_dim, schema.n_actions) == (n, width, width, 19)
    assert name in task_names()
    state = dict(zip((f.name for f in schema.state_fields), state_of(seen, n, 2), strict=True))
    ours, theirs, ball = seen["left_team"], seen["right_team"], seen["ball"]
    for agent in range(n):
        assert state[f"agent_{agent}.x"] == pytest.approx(ours[agent + 1, 0])
        assert state[f"agent_{agent}.direction_y"] == pytest.approx(seen["left_team_direction"][agent + 1, 1])
    assert state["enemy_1.y"] == pytest.approx(theirs[1, 1])
    assert state["enemy_0.direction_x"] == pytest.approx(seen["right_team_direction"][0, 0])
    assert [state[f"ball.{q}"] for q in ("x", "y", "z")] == pytest.approx(list(ball))
    assert state["ball.direction_z"] == pytest.approx(seen["ball_direction"][2])
    rows = observations_of(seen, n, 2)
    for agent in range(n):
        own = dict(zip((f.name for f in schema.obs_fields), rows[agent], strict=True))
        me = ours[agent + 1]
        assert [own["own.x"], own["own.y"]] == pytest.approx(list(me))
        for other in range(n):
            if other != agent:
                slot = schema.ally_slot(agent, other)
                there = [own[f"ally_{slot}.relative_x"], own[f"ally_{slot}.relative_y"]]
                assert there == pytest.approx(list(ours[other + 1] - me), abs=1e-6)
                moved = seen["left_team_direction"][other + 1, 0]
                assert own[f"ally_{slot}.direction_x"] == pytest.approx(moved)
        assert own["enemy_1.relative_x"] == pytest.approx(theirs[1, 0] - me[0], abs=1e-6)
        assert own["enemy_0.direction_y"] == pytest.approx(seen["right_team_direction"][0, 1])
        assert [own["ball.relative_x"], own["ball.z"]] == pytest.approx([ball[0] - me[0], ball[2]], abs=1e-6)
        assert own["ball.direction_x"] == pytest.approx(seen["ball_direction"][0])


def test_players_in_another_order_are_refused() -> None:
    scenario, seen = FOOTBALL_TASKS[TWO], raw(2)
    seen["left_team"] = np.array([[-1.01, 0.0], [0.708, 0.0], [0.708, -0.305]])
    require_places(scenario, seen)
    seen["left_team"] = seen["left_team"][[0, 2, 1]]
    with pytest.raises(RejectedError, match=r"player 1 \(centre\) starts at \[0.71, -0.3\d?\], expected \[0.7, 0.0\]"):
        require_places(scenario, seen)
    seen["left_team_roles"] = [1, 0, 1]
    with pytest.raises(RejectedError, match=r"the engine's roles are \[1, 0, 1\], expected \[0, 1, 1\]"):
        require_places(scenario, seen)


@pytest.mark.skipif(importlib.util.find_spec("gfootball") is not None, reason="gfootball is installed here")
def test_without_the_engine_one_line_says_what_to_do() -> None:
    with pytest.raises(
        MissingDependencyError, match=r"needs the package gfootball, built from source: docs/football\.md"
    ):
        find_task(TWO).environment(2)
