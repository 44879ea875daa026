"""Do agents know what they know? The SAI head's word against what was right, on episodes that were played.

Axes: R places (episode, step, agent) at which a receiver lives, K target fields.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from buffers.episodes import EpisodeBatch
from marl_runtime.methods import Method
from marl_runtime.methods.lmac import Lmac
from marl_runtime.networks.batch import TensorBatch, by_episode

__all__ = ["Calibration", "ReliabilityBin", "auroc", "calibrate", "measure"]

BINS = 10
CHUNK = 64
"""Episodes that go through the network at once."""


@dataclass(frozen=True)
class ReliabilityBin:
    """The estimates whose foretold probability lies in [low, high): how sure agents were, and how often right."""

    low: float
    high: float
    foretold: float
    right: float
    count: int


@dataclass(frozen=True)
class Calibration:
    """How the foretold probability of being right compares with being right, over R x K estimates.

    `foretold` and `right` are means; one less `foretold` is the agents' own uncertainty. `auroc` is the probability
    that a right estimate was given more than a wrong one (None when all or none are right), `brier` the mean squared
    difference, `error` the mean over estimates of a bin's |foretold - right| (expected calibration error). `curve` has
    the bins that are not empty. `by_field` and `by_agent` break foretold and right down.
    """

    estimates: int
    foretold: float
    right: float
    auroc: float | None
    brier: float
    error: float
    curve: tuple[ReliabilityBin, ...]
    by_field: dict[str, dict[str, float]]
    by_agent: tuple[dict[str, float], ...]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        return asdict(self)

    def metrics(self) -> dict[str, float]:
        """Return what a run logs at an evaluation; see docs/metrics.md."""
        values = {
            "sai/right": self.right,
            "sai/uncertainty": 1 - self.foretold,
            "sai/brier": self.brier,
            "sai/calibration_error": self.error,
        }
        return values if self.auroc is None else {**values, "sai/auroc": self.auroc}


def calibrate(method: Method, episodes: EpisodeBatch, device: torch.device | str = "cpu") -> Calibration | None:
    """Return how well the agents of `method` knew what they knew in `episodes`; None when they make no estimates.

    Also None where no receiver lives. The method's mode and torch's generators are left as they were.
    """
    if not isinstance(method, Lmac):
        return None
    inputs, was_training = method.inputs, method.training
    columns, span = list(inputs.target_fields), np.subtract(inputs.target_high, inputs.target_low)
    foretold, right, agents = [], [], []
    method.eval()
    for first in range(0, episodes.n_episodes, CHUNK):
        chunk = episodes.select(slice(first, first + CHUNK))
        batch = TensorBatch.from_episodes(chunk, inputs.schema, device, messages=method.needs_messages)
        with torch.inference_mode():
            estimate = method.estimate(by_episode(method.features(batch).parts["z"], batch.n_agents)[:, :-1])
        lives = batch.receivers.cpu().numpy()
        state = batch.state[:, :-1, None, columns].cpu().numpy()
        error = (estimate.fields.cpu().numpy() - state) / span
        right.append((np.square(error) < method.config.alpha)[lives])
        foretold.append(estimate.known.cpu().numpy()[lives])
        agents.append(np.nonzero(lives)[2])
    method.train(was_training)
    names = [inputs.schema.state_fields[column].name for column in columns]
    return measure(np.concatenate(foretold), np.concatenate(right), np.concatenate(agents), names)


def measure(
    foretold: NDArray[np.floating[Any]], right: NDArray[np.bool_], agents: NDArray[np.integer[Any]], fields: list[str]
) -> Calibration | None:
    """Compare probabilities `[R, K]` with what was right `[R, K]`; `agents` `[R]` says whose they are."""
    if not right.size:
        return None
    p, y = foretold.astype(np.float64).ravel(), right.ravel().astype(np.float64)
    places = np.minimum((p * BINS).astype(np.int64), BINS - 1)
    curve = tuple(
        ReliabilityBin(k / BINS, (k + 1) / BINS, float(p[mine].mean()), float(y[mine].mean()), int(mine.sum()))
        for k in range(BINS)
        if (mine := places == k).any()
    )
    return Calibration(
        estimates=y.size,
        foretold=float(p.mean()),
        right=float(y.mean()),
        auroc=auroc(p, y > 0),
        brier=float(np.square(p - y).mean()),
        error=sum(b.count * abs(b.foretold - b.right) for b in curve) / y.size,
        curve=curve,
        by_field={name: _means(foretold[:, k], right[:, k]) for k, name in enumerate(fields)},
        by_agent=tuple(
            {"agent": float(agent), **_means(foretold[agents == agent], right[agents == agent])}
            for agent in np.unique(agents)
        ),
    )


def _means(foretold: NDArray[np.floating[Any]], right: NDArray[np.bool_]) -> dict[str, float]:
    return {"foretold": float(foretold.mean()), "right": float(right.mean())}


def auroc(scores: NDArray[np.floating[Any]], positive: NDArray[np.bool_]) -> float | None:
    """Return the probability that a positive scores above a negative, ties counting half; None without both kinds."""
    from scipy.stats import rankdata

    n_positive = int(positive.sum())
    n_negative = positive.size - n_positive
    if not n_positive or not n_negative:
        return None
    ranks = rankdata(scores)
    return float((ranks[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))
