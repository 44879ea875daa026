"""The rows that regressions read: a sample of (episode, timestep, receiver) with what that receiver knows by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.schema import TaskSchema
from protocol_designer.designers.search.candidates import free_moves
from protocol_designer.designers.search.components import Component, Listener
from protocol_designer.designers.search.targets import Target, target_values
from protocol_designer.designers.search.types import EpisodeArrays

__all__ = ["HISTORIES", "PARTS", "Rows", "Split", "histories", "sample_rows"]

HISTORIES = 4
"""Linear summaries of a column's past that stand in for a decoder's memory."""
PARTS = 5
"""Equal parts of each episode, as the published balance step cuts it."""


@dataclass(frozen=True)
class Split:
    """The episodes of one split that are used: what is heard, states, and who is valid when."""

    listener: Listener
    state: Float32Array  # [B, T, S]
    valid: BoolArray  # [B, T, N]
    accepted: Float32Array | None  # [B, T, N, M], messages of the parts accepted so far

    @classmethod
    def of(cls, schema: TaskSchema, episodes: EpisodeArrays, picked: IntArray, window: int, pooled: int) -> Split:
        """Take the picked episodes; observations of the dead and of padding are zero."""
        valid = episodes.valid[picked]
        extended = episodes.extended[picked]
        return cls(Listener(schema, extended, valid, window, pooled), episodes.state[picked], valid, None)


@dataclass(frozen=True)
class Rows:
    """Sampled rows of the receivers of one role: indices `[R]`, basis `[R, K]`, targets and presence `[R, F]`."""

    split: Split
    receivers: tuple[int, ...]
    episode: IntArray
    step: IntArray
    receiver: IntArray
    part: IntArray
    basis: Float32Array
    targets: Float32Array
    present: BoolArray

    def subset(self, index: IntArray) -> Rows:
        """Return some of the rows."""
        return Rows(
            self.split,
            self.receivers,
            self.episode[index],
            self.step[index],
            self.receiver[index],
            self.part[index],
            self.basis[index],
            self.targets[index],
            self.present[index],
        )

    def hear(self, component: Component, decay: float) -> list[tuple[tuple[object, ...], Float32Array]]:
        """Return the received columns of a component as (key, `[R, 4]`), in four `histories`."""
        found: dict[tuple[object, ...], Float32Array] = {}
        for receiver in self.receivers:
            mine = self.receiver == receiver
            for key, values in self.split.listener.hear(component, receiver):
                kept = found.setdefault(key, np.zeros((len(self.episode), HISTORIES), dtype=np.float32))
                kept[mine] = _at(histories(values[..., None], decay), self.episode[mine], self.step[mine])
        return list(found.items())


def histories(values: Float32Array, decay: float) -> Float32Array:
    """Return `[B, T, K, 4]` of `values` `[B, T, K]`: now, mean that decays into the past, mean so far, sum so far."""
    out = np.empty((*values.shape, HISTORIES), dtype=np.float32)
    out[..., 0] = values
    out[..., 3] = np.cumsum(values, axis=1)
    out[..., 2] = out[..., 3] / np.arange(1, values.shape[1] + 1, dtype=np.float32)[None, :, None]
    running = np.zeros_like(values[:, 0])
    weight = 0.0
    for t in range(values.shape[1]):
        running = running * decay + values[:, t]
        weight = weight * decay + 1.0
        out[:, t, :, 1] = running / weight
    return out


def _at(values: Float32Array, episode: IntArray, step: IntArray) -> Float32Array:
    picked = values[episode, step]
    return picked.reshape(len(episode), -1)


def sample_rows(
    split: Split,
    receivers: tuple[int, ...],
    targets: list[Target],
    *,
    count: int,
    decay: float,
    rng: np.random.Generator,
) -> Rows:
    """Draw `count` valid rows of the receivers, without replacement, in order."""
    valid = split.valid[:, :, list(receivers)]
    places = np.argwhere(valid)
    if len(places) > count:
        places = places[np.sort(rng.choice(len(places), size=count, replace=False))]
    episode, step = places[:, 0], places[:, 1]
    receiver = np.asarray(receivers)[places[:, 2]]
    lengths = np.maximum(split.valid.any(axis=2).sum(axis=1), 1)
    part = np.minimum(step * PARTS // lengths[episode], PARTS - 1)
    values, present = target_values(targets, split.state[episode, step], receiver)
    empty = np.zeros((len(episode), 0), dtype=np.float32)
    rows = Rows(split, receivers, episode, step, receiver, part, empty, values, present)
    return replace(rows, basis=_basis(rows, decay))


def _basis(rows: Rows, decay: float) -> Float32Array:
    """Return what each row's receiver knows by itself (and of accepted parts), `[R, K]`."""
    split, episode, step = rows.split, rows.episode, rows.step
    known = split.listener.extended
    schema = split.listener.schema
    index = schema.extended_index
    pairs = [(index(action.name), index(flag.name)) for action, flag in free_moves(schema.extended_fields)]
    free = np.stack([known[..., a] * known[..., b] for a, b in pairs], axis=-1) if pairs else known[..., :0]
    wide = [known, free] if split.accepted is None else [known, free, split.accepted]
    columns = []
    for source in wide:
        width = source.shape[-1]
        block = np.empty((len(episode), width * HISTORIES), dtype=np.float32)
        for one in rows.receivers:
            mine = rows.receiver == one
            block[mine] = _at(histories(source[:, :, one], decay), episode[mine], step[mine])
        columns.append(block)
    time = step[:, None].astype(np.float32)
    columns.append(np.concatenate([time, time**2 / 100, (step[:, None] == 0)], axis=1).astype(np.float32))
    return np.concatenate(columns, axis=1)
