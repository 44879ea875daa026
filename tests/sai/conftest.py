"""The beacon task as a schema, two splits of it, and what agent 0 tells the others."""

from __future__ import annotations

import pytest
from beacon import STEPS, play, tell

from buffers.schema import Field, TaskSchema
from sai import Episodes, MessageSet, SaiConfig


@pytest.fixture(scope="session")
def schema() -> TaskSchema:
    return TaskSchema(
        name="beacon",
        summary="agent 0 sees where the beacon is",
        roles=("scout", "worker", "worker"),
        obs_fields=(
            Field("beacon.x", "where the beacon is, seen by agent 0 alone", "map units", -1, 1, scale=10),
            Field("own.x", "where this agent is", "map units", -1, 1, scale=10),
        ),
        state_fields=(
            Field("beacon.x", "where the beacon is", "map units", -1, 1, scale=10, present_if="beacon.lit"),
            Field("beacon.lit", "whether it stands at all", kind="binary"),
            Field("beacon.red", "whether its place is right of the middle", kind="binary"),
            Field("world.size", "never changes", "map units"),
            Field("agent_1.x", "where agent 1 is", "map units", -1, 1, scale=10),
        ),
        action_names=("stay", "go"),
        episode_limit=STEPS,
    )


@pytest.fixture(scope="session")
def fit(schema: TaskSchema) -> Episodes:
    return play(schema, 500, seed=1)


@pytest.fixture(scope="session")
def select(schema: TaskSchema) -> Episodes:
    return play(schema, 200, seed=2)


@pytest.fixture(scope="session")
def told(schema: TaskSchema, fit: Episodes, select: Episodes) -> tuple[MessageSet, MessageSet]:
    return tell(schema, fit), tell(schema, select)


@pytest.fixture(scope="session")
def config() -> SaiConfig:
    return SaiConfig(updates=100, decision_updates=50, decision_episodes=300, cpu_seconds=600.0)
