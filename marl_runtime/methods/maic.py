"""MAIC: a message is a bias on a teammate's utilities, made from a model of that teammate (Yuan et al. 2022)."""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.methods.base import Carry, Disturb, Features, Losses, Method, Now, Unrolled, required
from marl_runtime.methods.talking import masked_softmax, pair_mean, two_layers
from marl_runtime.networks.batch import TensorBatch, by_episode, by_row

__all__ = ["Maic", "gaussian_kl"]

Gaussian = tuple[Float[Tensor, "*batch Z"], Float[Tensor, "*batch Z"]]
"""Mean and variance."""


class Maic(Method):
    """Q_j = the utility network's + Σ_i a_ij m(h_i, z_ij), over the senders i that reach j.

    From its memory h_i sender i draws z_ij, a model of teammate j, of N(μ, σ²) (the mean when acting), 8 wide;
    attention a_ij = softmax_j(q(h_i) · k(z_ij) / √32) over its teammates weighs what it tells each of them. Mutual
    information (weight 0.001): KL(p(z_ij | h_i) ‖ q(z_ij | h_i, a_j)) to a posterior that sees what j did. Entropy
    (weight 0.01) of the attention: few teammates are addressed. The memory is the utility network's own.
    """

    name = "maic"
    summary = "learned: biases on teammates' utilities, from models of them"
    needs_links = True
    latent_dim = 8
    attention_dim = 32
    least_variance = 0.002
    coefficients: ClassVar = {"mutual_information": 0.001, "attention_entropy": 0.01}
    training_only = ("posterior",)

    @property
    def sent_values(self) -> int | None:
        """One bias for each action."""
        return self.inputs.schema.n_actions

    def build(self) -> None:
        """Make the teammate models, the posterior, the attention and the messages."""
        schema, hidden = self.inputs.schema, self.config.hidden_dim
        self.teammate = two_layers(hidden, hidden, schema.n_agents * 2 * self.latent_dim)
        self.posterior = two_layers(hidden + schema.n_actions + schema.n_agents, hidden, 2 * self.latent_dim)
        self.query = nn.Linear(hidden, self.attention_dim)
        self.key = nn.Linear(self.latent_dim, self.attention_dim)
        self.bias = two_layers(hidden + self.latent_dim, hidden, schema.n_actions)

    def features_now(self, now: Now, carry: Carry) -> tuple[Float[Tensor, "R F"], Carry]:
        """Return the extended observation: messages come behind the utility network."""
        return now.extended, ()

    def features(self, batch: TensorBatch) -> Features:
        """Return the extended observations."""
        return Features(by_row(batch.extended))

    @torch.inference_mode()
    def step(
        self,
        extended: Float[Tensor, "R D"],
        messages: Float[Tensor, "R M"] | None,
        state: Float[Tensor, "R S"] | None,
        carry: Carry,
        links: Bool[Tensor, "E N N"] | None = None,
        disturb: Disturb | None = None,
    ) -> tuple[Float[Tensor, "R A"], Carry]:
        """Return the utilities of one step, messages added, and the next carry."""
        links = required(links, "links", self.name)
        h, after = self.utility.memory.step(functional.relu(self.utility.embed(extended)), carry[-1])
        advice = self.talk(h.view(*links.shape[:2], -1), links, learning=False)["heard"].flatten(0, 1)
        return self.utility.head(h) + Now(extended, disturb=disturb).arriving(advice), (after,)

    def unroll(self, batch: TensorBatch) -> Unrolled:
        """Return the utilities of whole episodes, messages added; the probe reads the messages, too."""
        known, links = self.features(batch).known, batch.links.transpose(0, 1)
        h = self.utility.memory.unroll(functional.relu(self.utility.embed(known)))
        parts = self.talk(h.view(*links.shape[:3], -1), links, learning=self.training)
        advice = parts["heard"].flatten(1, 2)
        q = by_episode(self.utility.head(h) + advice, batch.n_agents)
        heard = by_episode(torch.cat([known, advice], dim=-1), batch.n_agents)
        if not self.training:
            return Unrolled(q, known=heard)
        own = self.own_losses(batch, Features(known, {**parts, "links": links}), q)
        return Unrolled(q, own.losses, own.logs, heard)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return the biases that arrive; and by sender and teammate the models and the attention."""
        n = own.shape[-2]
        mean, variance = self._gaussian(self.teammate(own).view(*own.shape[:-1], n, -1))
        z = mean + variance.sqrt() * torch.randn_like(mean) if learning else mean
        scores = (self.query(own)[..., None, :] * self.key(z)).sum(dim=-1) / math.sqrt(self.attention_dim)
        others = ~torch.eye(n, dtype=torch.bool, device=own.device).expand_as(scores)
        attention = masked_softmax(scores, others)
        sent = self.bias(torch.cat([own[..., None, :].expand(*z.shape[:-1], -1), z], dim=-1))
        arrives = attention * links.transpose(-1, -2)
        heard = (sent * arrives[..., None]).sum(dim=-3)
        return {"heard": heard, "own": own, "mean": mean, "variance": variance, "attention": attention}

    def _gaussian(self, output: Float[Tensor, "*batch 2Z"]) -> Gaussian:
        mean, log_variance = output.chunk(2, dim=-1)
        return mean, log_variance.clamp(max=10).exp().clamp(min=self.least_variance)

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return the mutual-information and the entropy loss, over living senders and their living teammates."""
        parts, schema = features.parts, self.inputs.schema
        t, b, n, _ = parts["own"].shape
        did = functional.one_hot(batch.actions.transpose(0, 1), schema.n_actions).to(q.dtype)
        whose = torch.eye(n, dtype=q.dtype, device=q.device).expand(t - 1, b, n, n)
        senders = parts["own"][:-1, :, :, None].expand(-1, -1, -1, n, -1)
        teammates = torch.cat([did, whose], dim=-1)[:, :, None].expand(-1, -1, n, -1, -1)
        posterior = self._gaussian(self.posterior(torch.cat([senders, teammates], dim=-1)))
        kl = gaussian_kl((parts["mean"][:-1], parts["variance"][:-1]), posterior)
        attention = parts["attention"]
        entropy = -torch.xlogy(attention, attention.clamp(min=1e-9)).sum(dim=-1)
        # pair_mean leaves the last entry out and takes (sender, teammate) as it takes (receiver, sender)
        kl = functional.pad(kl, (0, 0, 0, 0, 0, 0, 0, 1))
        losses = {
            "mutual_information": pair_mean(kl, parts["links"], batch),
            "attention_entropy": pair_mean(entropy[..., None].expand_as(kl), parts["links"], batch),
        }
        return Losses(losses)


def gaussian_kl(one: Gaussian, other: Gaussian) -> Float[Tensor, "*batch"]:
    """Return KL(one ‖ other) of diagonal Gaussians: ½ Σ (ln(v₂/v₁) + (v₁ + (μ₁ - μ₂)²) / v₂ - 1)."""
    (m1, v1), (m2, v2) = one, other
    return 0.5 * (torch.log(v2 / v1) + (v1 + (m1 - m2).square()) / v2 - 1).sum(dim=-1)
