"""The two football tasks: who plays, where each stands at first, and the name of every number.

Units are the engine's: the pitch is x -1 … 1 (our goal at -1, theirs at 1) and y -0.42 … 0.42, a direction is the
distance covered in a step, the ball's z is a height. Axes: N agents, K opponents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from buffers.schema import Field, TaskSchema

__all__ = ["ACTION_NAMES", "FOOTBALL_TASKS", "Scenario", "football_schema"]

ACTION_NAMES = (
    "idle", "left", "top_left", "top", "top_right", "right", "bottom_right", "bottom", "bottom_left", "long_pass",
    "high_pass", "short_pass", "shot", "sprint", "release_direction", "release_sprint", "sliding", "dribble",
    "release_dribble",
)  # fmt: skip
EPISODE_LIMIT = 150
REACH_X, REACH_Y, SPEED, BALL_SPEED, HEIGHT = 1.2, 0.6, 0.05, 0.2, 10.0


@dataclass(frozen=True)
class Scenario:
    """A scenario of the engine; the tuples stand in the engine's order, its goalkeeper (player 0) left out.

    `positions` is where the agents stand at first, `engine_roles` are the engine's numbers of their roles.
    """

    level: str
    summary: str
    roles: tuple[str, ...]
    positions: tuple[tuple[float, float], ...]
    engine_roles: tuple[int, ...]
    opponents: tuple[str, ...]


FOOTBALL_TASKS = {
    scenario.level: scenario
    for scenario in (
        Scenario(
            "academy_3_vs_1_with_keeper",
            "Three attackers against a defender and a goalkeeper: the centre starts with the ball, the other two wait "
            "at its sides. The team is paid for a goal.",
            ("centre", "bottom_side", "top_side"),
            ((0.6, 0.0), (0.7, 0.2), (0.7, -0.2)),
            (5, 5, 5),
            ("their goalkeeper", "their defender"),
        ),
        Scenario(
            "academy_run_pass_and_shoot_with_keeper",
            "Two attackers against a defender and a goalkeeper: one starts near the ball at the top side, unmarked, "
            "the other in the centre, with the defender before it. The team is paid for a goal.",
            ("centre", "top_side"),
            ((0.7, 0.0), (0.7, -0.3)),
            (1, 1),
            ("their goalkeeper", "their defender"),
        ),
    )
}


def football_schema(scenario: Scenario) -> TaskSchema:
    """Name every number of the task: 26 and 26 with three agents, 22 and 22 with two."""
    return TaskSchema(
        name=scenario.level,
        summary=scenario.summary,
        roles=scenario.roles,
        obs_fields=tuple(_obs_fields(scenario)),
        state_fields=tuple(_state_fields(scenario)),
        action_names=ACTION_NAMES,
        episode_limit=EPISODE_LIMIT,
        notes=(
            "Played by Google Research Football; every agent sees all players and the ball, relative to itself.",
            "An episode ends with a goal, when the ball leaves the pitch or the opponents have it, or when it or an "
            "agent is back in our own half.",
            "Opponents and our goalkeeper are played by the engine.",
        ),
    )


def _obs_fields(scenario: Scenario) -> Iterator[Field]:
    others = [f"ally_{slot}" for slot in range(len(scenario.roles) - 1)]
    enemies = [f"enemy_{k}" for k in range(len(scenario.opponents))]
    yield from _pair("own", "own {axis}", "", (REACH_X, REACH_Y), "pitch halves")
    for name in others:
        yield from _pair(
            name, f"{{axis}} of teammate {name} less own", "relative_", (2 * REACH_X, 2 * REACH_Y), "pitch halves"
        )
    yield from _pair("own", "own movement in {axis}", "direction_", (SPEED, SPEED), "pitch halves per step")
    for name in others:
        yield from _pair(
            name, f"movement of teammate {name} in {{axis}}", "direction_", (SPEED, SPEED), "pitch halves per step"
        )
    for name, who in zip(enemies, scenario.opponents, strict=True):
        yield from _pair(name, f"{{axis}} of {who} less own", "relative_", (2 * REACH_X, 2 * REACH_Y), "pitch halves")
    for name, who in zip(enemies, scenario.opponents, strict=True):
        yield from _pair(name, f"movement of {who} in {{axis}}", "direction_", (SPEED, SPEED), "pitch halves per step")
    yield from _pair("ball", "{axis} of the ball less own", "relative_", (2 * REACH_X, 2 * REACH_Y), "pitch halves")
    yield from _ball()


def _state_fields(scenario: Scenario) -> Iterator[Field]:
    agents = [(f"agent_{i}", f"agent {i}, {role.replace('_', ' ')}") for i, role in enumerate(scenario.roles)]
    enemies = [(f"enemy_{k}", who) for k, who in enumerate(scenario.opponents)]
    for group in (agents, enemies):
        for name, who in group:
            yield from _pair(name, f"{{axis}} of {who}", "", (REACH_X, REACH_Y), "pitch halves")
        for name, who in group:
            yield from _pair(
                name, f"movement of {who} in {{axis}}", "direction_", (SPEED, SPEED), "pitch halves per step"
            )
    yield from _pair("ball", "{axis} of the ball", "", (REACH_X, REACH_Y), "pitch halves")
    yield from _ball()


def _pair(entity: str, meaning: str, quantity: str, reach: tuple[float, float], unit: str) -> Iterator[Field]:
    for axis, most in zip("xy", reach, strict=True):
        yield Field(f"{entity}.{quantity}{axis}", meaning.format(axis=axis), unit, -most, most)


def _ball() -> Iterator[Field]:
    yield Field("ball.z", "height of the ball", "metres", 0.0, HEIGHT)
    yield from _pair(
        "ball", "movement of the ball in {axis}", "direction_", (BALL_SPEED, BALL_SPEED), "pitch halves per step"
    )
    yield Field("ball.direction_z", "movement of the ball upwards", "metres per step", -HEIGHT, HEIGHT)
