"""The communication module: what an agent keeps of its own history and its messages (LMAC section 5).

    [extended observation, message] → encoder → gate → z → decoder → (state fields, SAI) → cycle encoder → ẑ

Axes: T timesteps, R rows (episodes times agents), F input, H hidden, Z latent, K reconstructed state fields, L rows and
timesteps at which a receiver lives.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from marl_runtime.networks.dropout import Dropout
from marl_runtime.networks.recurrence import Recurrence, Residual

__all__ = ["CommunicationEncoder", "CommunicationModule", "CycleEncoder", "Latent", "StateDecoder"]


@dataclass(frozen=True)
class Latent:
    """The encoder's output over whole sequences."""

    z: Float[Tensor, "T R Z"]
    gate: Float[Tensor, "T R 1"]


class CommunicationEncoder(nn.Module):
    """A two-layer perceptron, a recurrence with a residual, and a scalar gate over the latent z.

    gate = sigmoid(W_q x · W_k h), z = gate · W_v h, for x the perceptron's output and h the recurrence's.
    """

    def __init__(self, input_dim: int, hidden_dim: int, latent_dim: int, dropout: float, residual: Residual) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.latent_dim = latent_dim
        self.dropout = Dropout(dropout)
        self.embed = nn.Linear(input_dim, hidden_dim)
        self.norm = nn.LayerNorm(hidden_dim)
        self.embed2 = nn.Linear(hidden_dim, hidden_dim)
        self.memory = Recurrence(hidden_dim, residual)
        self.query = nn.Linear(hidden_dim, latent_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * latent_dim)

    def _perceptron(self, received: Float[Tensor, "*rows F"]) -> Float[Tensor, "*rows H"]:
        return functional.relu(self.embed2(self.norm(functional.relu(self.embed(received)))))

    def _latent(
        self, x: Float[Tensor, "*rows H"], h: Float[Tensor, "*rows H"]
    ) -> tuple[Float[Tensor, "*rows Z"], Float[Tensor, "*rows 1"]]:
        key, value = self.key_value(h).chunk(2, dim=-1)
        gate = torch.sigmoid((self.query(x) * key).sum(dim=-1, keepdim=True))
        return gate * value, gate

    def step(
        self, received: Float[Tensor, "R F"], carry: Float[Tensor, "R H"]
    ) -> tuple[Float[Tensor, "R Z"], Float[Tensor, "R H"]]:
        """Return z of one step and the next hidden state; no dropout."""
        x = self._perceptron(received)
        h, carry = self.memory.step(x, carry)
        return self._latent(x, h)[0], carry

    def unroll(self, received: Float[Tensor, "T R F"]) -> Latent:
        """Return z and the gate over whole sequences; dropout in training mode."""
        x = self.dropout(self._perceptron(received))
        return Latent(*self._latent(x, self.memory.unroll(x)))


class StateDecoder(nn.Module):
    """From z to K state fields, scaled to 0 … 1, and to the logit of each field's own success (the SAI head)."""

    def __init__(self, latent_dim: int, hidden_dim: int, n_fields: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.embed = nn.Linear(latent_dim, hidden_dim)
        self.embed2 = nn.Linear(hidden_dim, hidden_dim)
        self.head = nn.Linear(hidden_dim, 2 * n_fields)

    def forward(self, z: Float[Tensor, "*rows Z"]) -> tuple[Float[Tensor, "*rows K"], Float[Tensor, "*rows K"]]:
        """Return the fields and the SAI logits."""
        hidden = self.dropout(functional.relu(self.embed(z)))
        fields, logits = self.head(functional.relu(self.embed2(hidden))).chunk(2, dim=-1)
        return fields, logits


class CycleEncoder(nn.Module):
    """From what was decoded (fields and SAI) back to the latent, ẑ."""

    def __init__(self, n_fields: int, hidden_dim: int, latent_dim: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.embed = nn.Linear(2 * n_fields, hidden_dim)
        self.norm = nn.LayerNorm(hidden_dim)
        self.embed2 = nn.Linear(hidden_dim, hidden_dim)
        self.head = nn.Linear(hidden_dim, latent_dim)

    def forward(self, decoded: Float[Tensor, "*rows 2K"]) -> Float[Tensor, "*rows Z"]:
        """Return ẑ."""
        hidden = functional.relu(self.embed2(self.norm(functional.relu(self.embed(decoded)))))
        latent: Tensor = self.head(self.dropout(hidden))
        return latent


class CommunicationModule(nn.Module):
    """Encoder, decoder and cycle encoder with the losses that train them; no TD gradient reaches them.

    `low` and `high` `[K]` bound each reconstructed field as it is stored. Targets are scaled by them to 0 … 1, so a
    squared error below `alpha` is the indicator χ of the SAI, in the loss as in the design scores.
    """

    low: Tensor
    span: Tensor

    def __init__(
        self,
        input_dim: int,
        low: Float[Tensor, K],
        high: Float[Tensor, K],
        *,
        hidden_dim: int,
        latent_dim: int,
        dropout: float,
        alpha: float,
        residual: Residual,
    ) -> None:
        super().__init__()
        self.alpha = alpha
        self.encoder = CommunicationEncoder(input_dim, hidden_dim, latent_dim, dropout, residual)
        self.decoder = StateDecoder(latent_dim, hidden_dim, len(low), dropout)
        self.cycle = CycleEncoder(len(low), hidden_dim, latent_dim, dropout)
        self.register_buffer("low", low)
        self.register_buffer("span", high - low)

    def losses(
        self, latent: Latent, fields: Float[Tensor, "L K"], receivers: Int[Tensor, L]
    ) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Return the three losses and what is logged, over the L places where a receiver lives.

        `receivers` are their places in the latent's flattened T x R, `fields` the state's own numbers there. The SAI
        label is the present prediction's χ and carries no gradient; the published loss is the cross-entropy of a
        clamped sigmoid, here in its exact form on the logit.
        """
        z = latent.z.flatten(0, 1).index_select(0, receivers)
        decoded, logits = self.decoder(z)
        squared_error = (decoded - (fields - self.low) / self.span) ** 2
        success = (squared_error.detach() < self.alpha).float()
        returned = self.cycle(torch.cat([decoded, torch.sigmoid(logits)], dim=-1))
        losses = {
            "reconstruction": _mean(squared_error),
            "sai": _mean(functional.binary_cross_entropy_with_logits(logits, success, reduction="none")),
            "cycle": _mean((returned - z) ** 2),
        }
        logs = {
            # a constant z would have no cycle loss at all, so its variance is watched
            "z_variance": z.detach().var(dim=0, correction=0).mean() if len(z) else z.new_zeros(()),
            "gate": _mean(latent.gate.detach().flatten().index_select(0, receivers)),
            "success": _mean(success),
        }
        return losses, logs


def _mean(values: Tensor) -> Tensor:
    """The mean, 0 over nothing."""
    return values.sum() / max(1, values.numel())
