"""A scout sees a hidden target and nearby workers; workers see walls and nearby agents alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from buffers.episodes import BoolArray, Float32Array, extend_observations
from buffers.schema import Field, TaskSchema
from generated_protocols.protocol import Protocol

SIZE = 10
DIRECTIONS = ("north", "south", "east", "west")
MOVES = np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]])


@dataclass(frozen=True)
class Episodes:
    extended: Float32Array
    state: Float32Array
    valid: BoolArray


def make_schema(n_workers: int = 2, roles_vary: bool = False) -> TaskSchema:
    n = n_workers + 1
    obs = [Field(f"move.can_{d}", f"can move {d}", kind="binary") for d in DIRECTIONS]
    entities = ["target", *(f"ally_{slot}" for slot in range(n - 1))]
    for entity in entities:
        obs.append(Field(f"{entity}.visible", f"{entity} is in sight", kind="binary"))
        for axis in "xy":
            obs.append(
                Field(
                    f"{entity}.relative_{axis}",
                    f"{axis} of {entity} from here",
                    "cells",
                    -1,
                    1,
                    SIZE,
                    present_if=f"{entity}.visible",
                )
            )
    names = [*(f"agent_{i}" for i in range(n)), "target"]
    state = [Field(f"{name}.{axis}", f"{axis} of {name}", "cells", 0, 1, SIZE) for name in names for axis in "xy"]
    return TaskSchema(
        "toy_scout",
        "find the target",
        ("scout", *("worker",) * n_workers),
        tuple(obs),
        tuple(state),
        ("stay", *(f"move_{d}" for d in DIRECTIONS)),
        20,
        roles_vary,
    )


def make_episodes(schema: TaskSchema, count: int, seed: int, steps: int = 20, noise: bool = False) -> Episodes:
    """Random walks; with `noise` the target's observation has nothing to do with where it is."""
    rng = np.random.default_rng(seed)
    n = schema.n_agents
    place = rng.integers(0, SIZE, size=(count, n, 2))
    target = rng.integers(0, SIZE, size=(count, 2))
    obs = np.zeros((count, steps, n, schema.obs_dim), dtype=np.float32)
    state = np.zeros((count, steps, schema.state_dim), dtype=np.float32)
    last = np.zeros((count, steps, n, schema.n_actions), dtype=np.float32)
    for t in range(steps):
        for k, (dx, dy) in enumerate(MOVES[1:]):
            to = place + np.array([dx, dy])
            obs[:, t, :, k] = ((to >= 0) & (to < SIZE)).all(axis=-1)
        for i in range(n):
            sight = 100 if i == 0 else 1.5
            seen = target if not noise else rng.integers(0, SIZE, size=(count, 2))
            _see(obs[:, t, i, 4:7], place[:, i], seen, sight)
            for j in range(n):
                if i != j:
                    slot = 7 + 3 * schema.ally_slot(i, j)
                    _see(obs[:, t, i, slot : slot + 3], place[:, i], place[:, j], 6 if i == 0 else 1.5)
        state[:, t] = np.concatenate([place.reshape(count, -1), target], axis=1) / SIZE
        action = rng.integers(0, 5, size=(count, n))
        to = place + MOVES[action]
        place = np.where(((to >= 0) & (to < SIZE)).all(axis=-1, keepdims=True), to, place)
        if t + 1 < steps:
            last[:, t + 1] = np.eye(5, dtype=np.float32)[action]
    lengths = rng.integers(steps // 2, steps + 1, size=count)
    valid = np.repeat((np.arange(steps)[None] < lengths[:, None])[:, :, None], n, axis=2)
    valid[::7, steps // 3 :, n - 1] = False
    extended = extend_observations(obs, last) * valid[..., None]
    return Episodes(extended.astype(np.float32), state * valid.any(axis=2)[..., None], valid)


def _see(out: Float32Array, own: np.ndarray, other: np.ndarray, sight: float) -> None:
    away = other - own
    visible = np.hypot(*away.T) < sight
    out[:, 0] = visible
    out[:, 1:] = away / SIZE * visible[:, None]


@pytest.fixture(scope="session")
def schema() -> TaskSchema:
    return make_schema()


@pytest.fixture(scope="session")
def data(schema: TaskSchema) -> dict[str, Episodes]:
    return {"fit": make_episodes(schema, 300, 1), "select": make_episodes(schema, 150, 2)}


@pytest.fixture(scope="session")
def noise(schema: TaskSchema) -> dict[str, Episodes]:
    """Nothing that is observed has to do with the state."""
    found = {}
    for name, count, seed in (("fit", 300, 3), ("select", 150, 4)):
        episodes = make_episodes(schema, count, seed)
        rng = np.random.default_rng(seed)
        state = rng.normal(size=(count, 1, schema.state_dim)).astype(np.float32)
        found[name] = replace(episodes, state=np.broadcast_to(state, episodes.state.shape).copy())
    return found


@pytest.fixture(scope="session")
def varying() -> tuple[TaskSchema, dict[str, Episodes]]:
    """The same game where roles are drawn anew in each episode as far as the schema says."""
    schema = make_schema(roles_vary=True)
    return schema, {"fit": make_episodes(schema, 200, 5), "select": make_episodes(schema, 100, 6)}


@pytest.fixture(scope="session")
def received(schema: TaskSchema) -> Callable[[str], dict[str, int]]:
    """Return the names and widths that a part's receivers keep."""

    def run(source: str) -> dict[str, int]:
        protocol = Protocol.from_sources([source], schema)
        return {component.name: component.width for component in protocol.components}

    return run


@pytest.fixture(scope="session")
def few(schema: TaskSchema) -> dict[str, Episodes]:
    return {"toy": make_episodes(schema, 12, 7)}
