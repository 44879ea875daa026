"""Episodes as tensors on one device, with padding that is zero whatever it held before.

Axes: B episodes, T timesteps, N agents, D extended observation, S state, A actions, M message, R rows = B times N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from buffers.episodes import BoolArray, EpisodeBatch
from buffers.schema import TaskSchema

__all__ = ["TensorBatch", "by_episode", "by_row", "masked_mean"]


@dataclass(frozen=True)
class TensorBatch:
    """What a learner reads of B episodes, cut to the longest.

    `alive` is False in padding. Entries after an episode's last observation hold zeros and allow action 0 alone, so no
    network ever computes on what the padding held. In memory time comes first, as a recurrence reads it; the axes are
    in the order that is written here.
    """

    extended: Float[Tensor, "B T+1 N D"]
    state: Float[Tensor, "B T+1 S"]
    actions: Int[Tensor, "B T N"]
    avail_actions: Bool[Tensor, "B T+1 N A"]
    alive: Bool[Tensor, "B T+1 N"]
    rewards: Float[Tensor, "B T"]
    terminated: Bool[Tensor, "B T"]
    truncated: Bool[Tensor, "B T"]
    filled: Bool[Tensor, "B T"]
    messages: Float[Tensor, "B T+1 N M"] | None

    @property
    def n_agents(self) -> int:
        """N."""
        return self.extended.shape[2]

    @property
    def receivers(self) -> Bool[Tensor, "B T N"]:
        """Agents that live at a step that was played."""
        return self.alive[:, :-1] & self.filled[..., None]

    @property
    def links(self) -> Bool[Tensor, "B T+1 N N"]:
        """Which sender (last axis) reaches which receiver: one that lives and is another agent."""
        return self.alive[:, :, None, :] & ~torch.eye(self.n_agents, dtype=torch.bool, device=self.alive.device)

    @classmethod
    def from_episodes(
        cls, batch: EpisodeBatch, schema: TaskSchema, device: torch.device | str = "cpu", *, messages: bool = True
    ) -> TensorBatch:
        """Trim `batch`, clear its padding and move it to `device`; leave its messages behind if `messages` is False.

        An entry that allows no action at all raises ValueError: an argmax over it would pick one silently.
        """
        batch = batch.trimmed()
        filled = np.ascontiguousarray(batch.filled)
        observed = np.concatenate([filled[:, :1], filled], axis=1)  # an episode of L steps has L + 1 observations
        avail_actions = batch.avail_actions & observed[..., None, None]
        stuck = np.argwhere(observed[..., None] & ~avail_actions.any(axis=-1))
        if len(stuck):
            b, t, agent = stuck[0]
            raise ValueError(f"episode {b}, step {t}: agent {agent} has no available action")
        avail_actions[..., 0] |= ~observed[..., None]

        def load(array: NDArray[Any], keep: BoolArray) -> Tensor:
            cleared = np.array(array.swapaxes(0, 1), order="C")
            cleared[~keep.T] = 0
            return torch.from_numpy(cleared).to(device).transpose(0, 1)

        has_messages = messages and batch.messages is not None
        return cls(
            extended=load(batch.extended_obs(schema), observed),
            state=load(batch.state, observed),
            actions=load(batch.actions, filled),
            avail_actions=load(avail_actions, np.ones_like(observed)),
            alive=load(batch.alive, observed),
            rewards=load(batch.rewards, filled),
            terminated=load(batch.terminated, filled),
            truncated=load(batch.truncated, filled),
            filled=load(filled, filled),
            messages=load(batch.messages, observed) if has_messages and batch.messages is not None else None,
        )


def by_row(x: Float[Tensor, "B T N F"]) -> Float[Tensor, "T R F"]:
    """Lay sequences out as a recurrence reads them: time first, one row per episode and agent."""
    return x.transpose(0, 1).flatten(1, 2)


def by_episode(x: Float[Tensor, "T R F"], n_agents: int) -> Float[Tensor, "B T N F"]:
    """Undo `by_row`."""
    return x.unflatten(1, (-1, n_agents)).transpose(0, 1)  # type: ignore[no-untyped-call]


def masked_mean(values: Float[Tensor, "*axes"], mask: Bool[Tensor, "*axes"]) -> Float[Tensor, ""]:
    """Return the mean of `values` where `mask` is true, 0 where it never is; masked values must be finite."""
    return (values * mask).sum() / mask.sum().clamp(min=1)
