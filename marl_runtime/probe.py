"""What an agent knows, read off what its utility network gets: one decoder of fixed size for every method.

The decoder is the one that scores protocols (`sai.decoder`), given the method's features and nothing else; it reads the
positions of everything in the state that is not an agent. Beside it the same decoder reads the agent's own extended
observation alone, in the same episodes, and a constant guesses: policies visit different states, so an error means
little by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from buffers.episodes import EpisodeBatch, Float32Array
from buffers.errors import UsageError
from buffers.schema import TaskSchema
from marl_runtime.evaluation import load_actor
from marl_runtime.methods import Method
from marl_runtime.networks.batch import TensorBatch
from marl_runtime.rollout import NetworkActor, Rollout
from marl_runtime.run_folder import write_json
from marl_runtime.seeding import stream_seed
from marl_runtime.statistics import Estimate, mean_over_episodes
from marl_runtime.tasks import find_task
from sai.decoder import field_mask, fit_decoder
from sai.types import Episodes, MessageSet, SaiConfig

__all__ = ["Probe", "ProbeConfig", "known_features", "position_errors", "positions", "probe", "probe_run"]

UNITS = ("map units", "cells")
CHUNK = 64
"""Episodes that go through the network at once."""


@dataclass(frozen=True)
class ProbeConfig:
    """How many episodes the policy plays (two thirds to fit on, one to measure on), and how long the decoder is fitted.

    `epsilon` is the share of random actions: with a few, features are read where the policy does not steer.
    """

    episodes: int = 384
    envs: int = 32
    epsilon: float = 0.05
    updates: int = 400
    seed: int = 0

    def __post_init__(self) -> None:
        if self.episodes < 6:
            raise ValueError(f"{self.episodes} episodes are too few to fit on and to measure on: play 6 or more")
        if self.envs < 1 or self.updates < 1:
            raise ValueError(f"{self.envs} environments and {self.updates} updates: both must be at least 1")
        if not 0 <= self.epsilon <= 1 or self.seed < 0:
            raise ValueError(f"epsilon {self.epsilon} is not in 0 … 1, or seed {self.seed} is below 0")


@dataclass(frozen=True)
class Probe:
    """The error of the decoded positions, in `unit`: mean distance, over agents, entities and the steps they live.

    `error` reads the features, `own` the extended observation, `constant` guesses the mean position. `by_agent` is the
    features' error of each agent (None for one that never lived), `spread` its standard deviation over agents,
    `spread_own` that of `own`.
    """

    method: str
    task: str
    steps: int
    unit: str
    features_dim: int
    error: Estimate
    own: Estimate
    constant: Estimate
    by_agent: tuple[float | None, ...]
    spread: float
    spread_own: float
    config: ProbeConfig

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        return asdict(self)


def positions(schema: TaskSchema) -> dict[str, tuple[int, ...]]:
    """Return the state columns of each entity's position, agents left out; a task without any raises `UsageError`."""
    found: dict[str, tuple[int, ...]] = {}
    for column, field in enumerate(schema.state_fields):
        if field.unit in UNITS and not field.entity.startswith("agent_"):
            found[field.entity] = (*found.get(field.entity, ()), column)
    if not found:
        raise UsageError(
            f"task {schema.name!r} has no positions to read: its state needs fields of what is not an agent "
            f"in {' or '.join(UNITS)}"
        )
    return found


def probe_run(run: Path, config: ProbeConfig | None = None) -> Probe:
    """Play episodes with a run's policy, fit the decoders, write `probe.json` into its folder and return the result."""
    config = config or ProbeConfig()
    torch.set_num_threads(1)
    trained, actor, protocol, steps = load_actor(run)
    environment = find_task(trained.task).make(min(config.envs, config.episodes))
    try:
        seed = stream_seed(config.seed, "probe")
        episodes = Rollout(environment, protocol).play(actor, seed, 0, config.episodes, config.epsilon)
    finally:
        environment.close()
    result = probe(actor, episodes, steps, config)
    write_json(run / "probe.json", result.to_json())
    return result


def probe(actor: NetworkActor, episodes: EpisodeBatch, steps: int, config: ProbeConfig) -> Probe:
    """Measure how well the agents of `actor` know positions in `episodes`, the last third of which measures."""
    method = actor.method
    schema = method.inputs.schema
    entities = positions(schema)
    columns = tuple(column for group in entities.values() for column in group)
    known = known_features(method, episodes, actor.device)
    own = episodes.extended_obs(schema)[:, :-1]
    valid = episodes.alive[:, :-1] & episodes.filled[..., None]
    state, cut = episodes.state[:, :-1], 2 * episodes.n_episodes // 3
    errors: dict[str, Float32Array] = {}
    for name, features in (("features", known), ("own", own)):
        fit, test = (Episodes(features[at], state[at], valid[at]) for at in (slice(cut), slice(cut, None)))
        # no limit of processor time: it would make the decoder depend on the machine
        settings = SaiConfig(updates=config.updates, cpu_seconds=1e9, seed=config.seed)
        decoder = fit_decoder(schema, fit, MessageSet.nothing(fit), columns, settings, seed=0)
        found = decoder.predict(test, MessageSet.nothing(test), "zero")
        errors[name] = position_errors(schema, entities, found, test)
    mask = field_mask(schema, fit, columns)
    fitted = np.broadcast_to(fit.state[:, :, None, list(columns)], mask.shape)
    guess = np.where(mask, fitted, 0).sum(axis=(0, 1, 2)) / np.maximum(mask.sum(axis=(0, 1, 2)), 1)
    errors["constant"] = position_errors(schema, entities, np.broadcast_to(guess, found.shape), test)
    by_agent, by_agent_own = (_by_agent(errors[name]) for name in ("features", "own"))
    return Probe(
        method.name, schema.name, steps, schema.state_fields[columns[0]].unit, known.shape[-1],
        _over_episodes(errors["features"]), _over_episodes(errors["own"]), _over_episodes(errors["constant"]),
        by_agent, _spread(by_agent), _spread(by_agent_own), config,
    )  # fmt: skip


def known_features(method: Method, episodes: EpisodeBatch, device: torch.device | str = "cpu") -> Float32Array:
    """Return what the utility network gets at each step that can be played, `[B, T, N, F]`; zeros in padding."""
    was_training, chunks = method.training, []
    method.eval()
    for first in range(0, episodes.n_episodes, CHUNK):
        chunk = episodes.select(slice(first, first + CHUNK))
        batch = TensorBatch.from_episodes(chunk, method.inputs.schema, device, messages=method.needs_messages)
        with torch.inference_mode():
            known = method.unroll(batch).known
        assert known is not None
        part = known[:, :-1].cpu().numpy()
        padded = np.zeros((part.shape[0], episodes.n_steps, *part.shape[2:]), dtype=np.float32)
        padded[:, : part.shape[1]] = part
        chunks.append(padded)
    method.train(was_training)
    return np.concatenate(chunks)


def position_errors(
    schema: TaskSchema, entities: Mapping[str, tuple[int, ...]], found: Float32Array, truth: Episodes
) -> Float32Array:
    """Return distances in the fields' unit, `[B, T, N, entities]`; NaN where a receiver or an entity does not live.

    `found` `[B, T, N, F]` has the entities' columns in their order.
    """
    columns = tuple(column for group in entities.values() for column in group)
    scale = np.array([schema.state_fields[column].scale for column in columns])
    off = (found - truth.state[:, :, None, list(columns)]) * scale
    off = np.where(field_mask(schema, truth, columns), off, np.nan)
    bounds = np.cumsum([len(group) for group in entities.values()])[:-1]
    squares = [part.sum(axis=-1) for part in np.split(np.square(off), bounds, axis=-1)]
    distances: Float32Array = np.sqrt(np.stack(squares, axis=-1)).astype(np.float32)
    return distances


def _by_agent(errors: Float32Array) -> tuple[float | None, ...]:
    means = (errors[:, :, n][np.isfinite(errors[:, :, n])] for n in range(errors.shape[2]))
    return tuple(float(mine.mean()) if mine.size else None for mine in means)


def _spread(by_agent: tuple[float | None, ...]) -> float:
    return float(np.std([mean for mean in by_agent if mean is not None]))


def _over_episodes(errors: Float32Array) -> Estimate:
    """The mean of the episodes' mean errors; its interval is over episodes."""
    known = np.isfinite(errors)
    total = np.where(known, errors, 0).sum(axis=(1, 2, 3))
    count = known.sum(axis=(1, 2, 3))
    return mean_over_episodes(total[count > 0] / count[count > 0])
