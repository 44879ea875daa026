"""The auxiliary decoder: rebuilds the state from an agent's own history, with or without what it heard.

One network for all agents and for all conditions: [extended observation, messages, presence bit] → Linear → GRU →
Linear → fields (LMAC section 4.1; the published decoder has no presence bit and there is one per condition). Messages
are removed for whole episodes: they are there in half of each batch, a quarter has an empty inbox, a quarter zeros.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from buffers.schema import TaskSchema
from sai.types import Episodes, MessageSet, SaiConfig

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["CONDITIONS", "Condition", "Decoder", "field_mask", "fit_decoder"]

Condition = Literal["full", "empty", "zero"]
CONDITIONS: tuple[Condition, ...] = ("full", "empty", "zero")
_MIX: tuple[Condition, ...] = ("full", "empty", "full", "zero")  # dealt to the episodes of a batch in turn
_ASIDE = 0.1  # share of the fit split that says when to stop


def field_mask(schema: TaskSchema, episodes: Episodes, fields: tuple[int, ...]) -> BoolArray:
    """Return where each field means something to a living receiver, `[B, T, N, F]`."""
    present = np.ones((*episodes.state.shape[:2], len(fields)), dtype=bool)
    for place, column in enumerate(fields):
        condition = schema.state_fields[column].present_if
        if condition:
            present[..., place] = episodes.state[..., schema.state_index(condition)] > 0
    return episodes.valid[..., None] & present[:, :, None, :]


@dataclass(frozen=True)
class _Scaling:
    mean: Float32Array
    scale: Float32Array

    @classmethod
    def of(cls, values: Float32Array) -> _Scaling:
        """Measure rows `[R, k]`; a column that never varies is left as it is."""
        mean, spread = values.mean(axis=0, dtype=np.float64), values.std(axis=0, dtype=np.float64)
        varies = spread > 1e-6
        return cls(np.where(varies, mean, 0).astype(np.float32), np.where(varies, spread, 1).astype(np.float32))


class Decoder:
    """A fitted decoder. `stopped` says why fitting ended: patience, updates or time."""

    def __init__(self, network: nn.Module, schema: TaskSchema, fields: tuple[int, ...], scalings: _Scalings) -> None:
        self._network, self._schema, self.fields, self._scalings = network, schema, fields, scalings
        self.stopped = "updates"
        self.updates = 0

    def predict(self, episodes: Episodes, messages: MessageSet, condition: Condition) -> Float32Array:
        """Return the rebuilt fields as they are stored, `[B, T, N, F]`; a probability for a binary field."""
        import torch

        self._network.eval()
        found = np.empty((*episodes.valid.shape, len(self.fields)), dtype=np.float32)
        with _one_thread(), torch.inference_mode():
            for first in range(0, len(found), 256):
                chunk = slice(first, first + 256)
                x = self._scalings.inputs(episodes.select(chunk), messages.select(chunk), (condition,))
                found[chunk] = self._scalings.outputs(_rows_to_episodes(self._network(x), found[chunk].shape))
        return found


@dataclass(frozen=True)
class _Scalings:
    own: _Scaling
    heard: _Scaling
    target: _Scaling
    binary: BoolArray  # [F]

    def inputs(self, episodes: Episodes, messages: MessageSet, conditions: tuple[Condition, ...]) -> Tensor:
        """Return `[T, B * N, D + M + 1]`, padding cleared; `conditions` are dealt to the episodes in turn."""
        import torch

        valid = episodes.valid[..., None]
        own = np.where(valid, (episodes.extended - self.own.mean) / self.own.scale, 0)
        dealt = np.resize(np.array(conditions), len(own))[:, None, None, None]
        said = np.where(dealt == "full", messages.full, np.where(dealt == "empty", messages.empty, np.float32(0)))
        heard = np.where(valid, (said - self.heard.mean) / self.heard.scale, 0)
        presence = np.broadcast_to(dealt == "full", (*own.shape[:3], 1))
        x = np.concatenate([own, heard, presence], axis=-1, dtype=np.float32)
        steps = np.ascontiguousarray(np.moveaxis(x, 1, 0))
        return torch.from_numpy(steps.reshape(steps.shape[0], -1, steps.shape[-1]))

    def outputs(self, found: Float32Array) -> Float32Array:
        """Undo the scaling of `[B, T, N, F]`; logits of binary fields become probabilities."""
        values = found * self.target.scale + self.target.mean
        probability = 1 / (1 + np.exp(-np.clip(found, -30, 30)))
        return np.where(self.binary, probability, values).astype(np.float32)


def fit_decoder(
    schema: TaskSchema,
    episodes: Episodes,
    messages: MessageSet,
    fields: tuple[int, ...],
    config: SaiConfig,
    *,
    seed: int,
    updates: int | None = None,
    only: Condition | None = None,
) -> Decoder:
    """Fit one decoder on the fit split; `only` fits one condition alone, as in the released code.

    The same seed gives the same decoder, unless the CPU budget ran out.
    """
    import torch

    budget = updates or config.updates
    mask = field_mask(schema, episodes, fields)
    target = np.where(mask, episodes.state[:, :, None, list(fields)], np.nan)
    scalings = _measure(schema, episodes, messages, fields, target)
    scaled = np.where(
        mask, np.where(scalings.binary, target, (target - scalings.target.mean) / scalings.target.scale), 0
    )
    rng = np.random.default_rng([config.seed, seed])
    order = rng.permutation(len(episodes.state))
    aside, rest = np.split(order, [max(1, int(_ASIDE * len(order)))])
    rest = rest if len(rest) else aside
    conditions = (only,) if only else _MIX if messages.full.shape[-1] else ("zero",)
    with _one_thread():
        network = _build(scalings.own.mean.size + scalings.heard.mean.size + 1, len(fields), config, seed)
        decoder = Decoder(network, schema, fields, scalings)
        optimiser = torch.optim.Adam(network.parameters(), lr=config.lr)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step / budget))

        def loss_on(index: IntArray) -> Tensor:
            x = scalings.inputs(episodes.select(index), messages.select(index), conditions)
            return _loss(network(x), scaled[index], mask[index], scalings.binary)

        start, best, bad = time.process_time(), np.inf, 0
        kept = network.state_dict()
        check_every = max(20, budget // 8)
        for step in range(budget):
            network.train()
            loss = loss_on(rng.choice(rest, size=min(config.batch, len(rest)), replace=False))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            decoder.updates = step + 1
            out_of_time = time.process_time() - start > config.cpu_seconds
            if (step + 1) % check_every and not out_of_time and step + 1 < budget:
                continue
            network.eval()
            with torch.inference_mode():
                now = float(loss_on(aside[:256]))
            if now < best:
                kept = {name: value.clone() for name, value in network.state_dict().items()}
            best, bad = (now, 0) if now < best - 1e-4 else (min(best, now), bad + 1)
            if out_of_time or bad >= config.patience:
                decoder.stopped = "time" if out_of_time else "patience"
                break
        network.load_state_dict(kept)
    return decoder


def _rate(done: float) -> float:
    """Return the share of the largest learning rate after `done` of the updates: up for a twentieth, then a cosine."""
    warm = min(1.0, (done + 0.005) / 0.05)
    return warm * (0.05 + 0.95 * (1 + math.cos(math.pi * done)) / 2)


def _measure(
    schema: TaskSchema,
    episodes: Episodes,
    messages: MessageSet,
    fields: tuple[int, ...],
    target: Float32Array,
) -> _Scalings:
    valid = episodes.valid
    binary = np.array([schema.state_fields[column].kind == "binary" for column in fields], dtype=bool)
    flat = target.reshape(-1, len(fields))
    known = ~np.isnan(flat)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, flat, 0).sum(axis=0, dtype=np.float64) / count
    spread = np.sqrt(np.where(known, (flat - mean) ** 2, 0).sum(axis=0, dtype=np.float64) / count)
    scale = np.where(spread > 1e-6, spread, 1)
    return _Scalings(
        own=_Scaling.of(episodes.extended[valid]),
        heard=_Scaling.of(messages.full[valid]),
        target=_Scaling(mean.astype(np.float32), scale.astype(np.float32)),
        binary=binary,
    )


def _loss(found: Tensor, scaled: Float32Array, mask: BoolArray, binary: BoolArray) -> Tensor:
    """Return the mean over fields of the mean error where they mean something: squared, or cross-entropy if binary."""
    import torch
    from torch.nn import functional

    target = _episodes_to_rows(scaled)
    weight = _episodes_to_rows(mask.astype(np.float32))
    squared = (found - target) ** 2
    entropy = functional.binary_cross_entropy_with_logits(found, target.clamp(0, 1), reduction="none")
    loss = torch.where(torch.from_numpy(binary), entropy, squared) * weight
    return (loss.sum(dim=(0, 1)) / weight.sum(dim=(0, 1)).clamp_min(1)).mean()


def _episodes_to_rows(array: Float32Array) -> Tensor:
    """Return `[T, B * N, F]` from `[B, T, N, F]`."""
    import torch

    steps = np.ascontiguousarray(np.moveaxis(array, 1, 0), dtype=np.float32)
    return torch.from_numpy(steps.reshape(steps.shape[0], -1, steps.shape[-1]))


def _rows_to_episodes(found: Tensor, shape: tuple[int, ...]) -> Float32Array:
    b, t, n, f = shape
    return np.moveaxis(found.numpy().reshape(t, b, n, f), 0, 1)


def _build(inputs: int, outputs: int, config: SaiConfig, seed: int) -> nn.Module:
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encode = nn.Sequential(nn.Linear(inputs, config.hidden), nn.ReLU())
            self.recur = nn.GRU(config.hidden, config.hidden)
            self.read = nn.Sequential(
                nn.Linear(2 * config.hidden, config.latent * 2), nn.ReLU(), nn.Linear(config.latent * 2, outputs)
            )

        def forward(self, x: Tensor) -> Tensor:
            """Return `[T, rows, F]` from `[T, rows, inputs]`."""
            now = self.encode(x)
            past, _ = self.recur(now)
            result: Tensor = self.read(torch.cat([now, past], dim=-1))
            return result

    # module constructors draw from torch's global generator, which is not ours to move
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed + 7919 * config.seed)
        return Network()


@contextmanager
def _one_thread() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
