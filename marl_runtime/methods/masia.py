"""MASIA: all messages are aggregated into one representation of the state, of which each agent takes its part.

Guan et al. 2022. The representation has to rebuild the state, and to foretell itself.
"""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.methods.base import Features, Losses
from marl_runtime.methods.talking import Talking, masked_softmax, two_layers
from marl_runtime.methods.tarmac import with_oneself
from marl_runtime.networks.batch import TensorBatch, masked_mean

__all__ = ["Masia"]


class Masia(Talking):
    """Attention (16) over the memories (32) that arrive and one's own → z (8), times a gate of one's own: the focus.

    Reconstruction (weight `reconstruction_coef`): the target fields, scaled to 0 … 1, from z. Prediction (weight 1): z
    two steps on, from z and the joint actions (8 numbers each), by 2 - 2 cos of projections (32). The target of that
    is the same network with its gradient stopped, not a moving average of it: an adaptation.
    """

    name = "masia"
    summary = "learned: messages aggregated into a state representation"
    history_dim = 32
    attention_dim = 16
    latent_dim = 8
    action_dim = 8
    projection_dim = 32
    steps_ahead = 2
    coefficients: ClassVar = {"prediction": 1.0}
    training_only = ("decoder", "act", "transition", "project", "predict")

    @property
    def heard_dim(self) -> int:
        """The focused representation."""
        return self.latent_dim

    @property
    def sent_values(self) -> int | None:
        """The memory."""
        return self.history_dim

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make aggregator, focus, decoder and what foretells."""
        hidden, z = self.config.hidden_dim, self.latent_dim
        self.query = nn.Linear(own_dim, self.attention_dim)
        self.key = nn.Linear(own_dim, self.attention_dim)
        self.value = nn.Linear(own_dim, own_dim)
        self.represent = nn.Linear(own_dim, z)
        self.focus = nn.Linear(own_dim, z)
        self.decoder = two_layers(z, hidden, len(self.inputs.target_fields))
        self.act = nn.Linear(self.inputs.schema.n_actions, self.action_dim)
        self.transition = two_layers(z + n_agents * self.action_dim, hidden, z)
        self.project = nn.Linear(z, self.projection_dim)
        self.predict = nn.Linear(self.projection_dim, self.projection_dim)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return each agent's part of the representation, and the whole of it."""
        scores = self.query(own) @ self.key(own).transpose(-1, -2) / math.sqrt(self.attention_dim)
        attention = masked_softmax(scores, with_oneself(links))
        z = self.represent(functional.relu(attention @ self.value(own)))
        return {"heard": torch.sigmoid(self.focus(own)) * z, "z": z}

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return reconstruction and prediction."""
        z = features.parts["z"].transpose(0, 1)
        inputs = self.inputs
        low, high = (z.new_tensor(bound) for bound in (inputs.target_low, inputs.target_high))
        target = (batch.state[:, :-1, list(inputs.target_fields)] - low) / (high - low)
        error = (self.decoder(z[:, :-1]) - target[:, :, None]).square().mean(dim=-1)
        losses = {"reconstruction": masked_mean(error, batch.receivers), "prediction": self._prediction(batch, z)}
        return Losses(losses, {"z_variance": _variance(z[:, :-1].detach(), batch.receivers)})

    def _prediction(self, batch: TensorBatch, z: Float[Tensor, "B T+1 N Z"]) -> Float[Tensor, ""]:
        """Foretell z one and two steps on, from every step that has so many behind it."""
        one_hot = functional.one_hot(batch.actions, self.inputs.schema.n_actions).to(z.dtype)
        joint = self.act(one_hot).flatten(2)[:, :, None].expand(-1, -1, batch.n_agents, -1)
        receivers, foretold, losses = batch.receivers, z[:, :-1], []
        known = receivers
        for ahead in range(1, min(self.steps_ahead, joint.shape[1]) + 1):
            # foretold[:, t] is of z[:, t + ahead]; the last entries have nothing to be compared with
            places = joint.shape[1] - ahead + 1
            step = torch.cat([foretold[:, :places], joint[:, ahead - 1 :]], dim=-1)
            foretold = self.transition(step)
            arrives = batch.filled[:, ahead - 1 :, None] & batch.alive[:, ahead:]
            known = known[:, :places] & arrives
            cosine = functional.cosine_similarity(
                self.predict(self.project(foretold)), self.project(z[:, ahead:]).detach(), dim=-1
            )
            losses.append(masked_mean(2 - 2 * cosine, known))
        return torch.stack(losses).mean()


def _variance(z: Float[Tensor, "B T N Z"], mask: Bool[Tensor, "B T N"]) -> Float[Tensor, ""]:
    weight = mask[..., None] / mask.sum().clamp(min=1)
    mean = (z * weight).sum(dim=(0, 1, 2))
    return ((z - mean).square() * weight).sum(dim=(0, 1, 2)).mean()
