"""A small recorded task: the scout sees a beacon, two workers do not, and nobody sees where the others are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buffers.dataset import DataSet, DataSetWriter
from buffers.episodes import EpisodeBatch
from buffers.schema import Field, TaskSchema

STEPS, EPISODES = 5, 300


@pytest.fixture(scope="session")
def beacon_schema() -> TaskSchema:
    return TaskSchema(
        name="beacon",
        summary="The scout sees where the beacon is; the workers have to go there.",
        roles=("scout", "worker", "worker"),
        obs_fields=(
            Field("beacon.x", "where the beacon is, seen by the scout alone", "map units", -1, 1, scale=10),
            Field("own.x", "where this agent is", "map units", -1, 1, scale=10),
        ),
        state_fields=(
            Field("beacon.x", "where the beacon is", "map units", -1, 1, scale=10),
            Field("agent_1.x", "where agent 1 is", "map units", -1, 1, scale=10),
            Field("world.size", "never changes", "map units"),
        ),
        action_names=("stay", "go"),
        episode_limit=STEPS,
    )


@pytest.fixture(scope="session")
def beacon_data(beacon_schema: TaskSchema, tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    rng = np.random.default_rng(7)
    n = beacon_schema.n_agents
    place = rng.uniform(-1, 1, EPISODES).astype(np.float32)
    own = rng.uniform(-1, 1, (EPISODES, STEPS + 1, n)).astype(np.float32)
    obs = np.zeros((EPISODES, STEPS + 1, n, 2), dtype=np.float32)
    obs[:, :, 0, 0] = place[:, None]
    obs[..., 1] = own
    state = np.full((EPISODES, STEPS + 1, 3), 0.5, dtype=np.float32)
    state[..., 0] = place[:, None]
    state[..., 1] = own[..., 1]
    filled = np.ones((EPISODES, STEPS), dtype=bool)
    last = np.zeros_like(filled)
    last[:, -1] = True
    batch = EpisodeBatch(
        obs=obs,
        state=state,
        actions=rng.integers(0, 2, (EPISODES, STEPS, n)),
        avail_actions=np.ones((EPISODES, STEPS + 1, n, 2), dtype=bool),
        alive=np.ones((EPISODES, STEPS + 1, n), dtype=bool),
        rewards=np.zeros((EPISODES, STEPS), dtype=np.float32),
        terminated=np.zeros_like(last),
        truncated=last,
        filled=filled,
        success=np.zeros(EPISODES, dtype=bool),
    )
    root: Path = tmp_path_factory.mktemp("data")
    with DataSetWriter(root, beacon_schema, ["drawn"], config={"drawn": True}, seed=0) as writer:
        writer.add(batch, np.zeros(EPISODES, dtype=np.int64), np.zeros(EPISODES, dtype=np.float32))
        return writer.finish()
