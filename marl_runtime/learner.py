"""The learner: QMIX with double Q and a target network, and the losses of the communication module.

    L = L_TD + λ_rec · L_rec + λ_sai · L_SAI + λ_cyc · L_cyc          (LMAC section 5; one optimiser, one step)

Read `Learner.update` first. Axes: B episodes, T timesteps, N agents, A actions.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from buffers.episodes import EpisodeBatch
from marl_runtime.methods.base import Method
from marl_runtime.networks.batch import TensorBatch, masked_mean
from marl_runtime.networks.initialise import initialise
from marl_runtime.networks.mixers import Mixer

__all__ = ["Learner", "LearnerConfig", "RewardScale"]


@dataclass(frozen=True)
class LearnerConfig:
    """How the networks learn; the defaults are the published ones.

    `td_lambda` weighs longer returns in the target, 0 being one step. The target network is a copy that is renewed
    every `target_update_interval` updates, or with a `target_tau` moves by that share after every update.
    `reward_standardisation` is "off", "scale" (divide by the running root mean square: the best policy stays the
    best) or "published" (subtract the running mean, divide by the running standard deviation: this pays for longer
    or shorter episodes). With `timeout_is_terminal` a truncated step ends the task, as in stock SMAC; without
    it targets bootstrap from the observation after it, which no loss trains: nothing anchors the value of waiting.
    """

    gamma: float = 0.99
    lr: float = 5e-4
    grad_clip: float = 10.0
    target_update_interval: int = 200
    target_tau: float | None = None
    td_lambda: float = 0.0
    double_q: bool = True
    reward_standardisation: Literal["off", "scale", "published"] = "off"
    timeout_is_terminal: bool = True
    reconstruction_coef: float = 1.0
    sai_coef: float = 0.1
    cycle_coef: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma {self.gamma} is not between 0 and 1")
        if not self.lr > 0 or not self.grad_clip > 0:
            raise ValueError(f"lr {self.lr} and grad_clip {self.grad_clip} must be above 0")
        if self.target_update_interval < 1:
            raise ValueError(f"target_update_interval {self.target_update_interval} is below 1 update")
        if self.target_tau is not None and not 0 < self.target_tau <= 1:
            raise ValueError(f"target_tau {self.target_tau} is not in (0, 1]")
        if not 0 <= self.td_lambda <= 1:
            raise ValueError(f"td_lambda {self.td_lambda} is not between 0 and 1")
        if self.reward_standardisation not in ("off", "scale", "published"):
            raise ValueError(
                f"reward_standardisation {self.reward_standardisation!r} is not 'off', 'scale' or 'published'"
            )
        for name in ("reconstruction", "sai", "cycle"):
            if self.coefficient(name) < 0:
                raise ValueError(f"{name}_coef {self.coefficient(name)} is below 0")

    def coefficient(self, loss: str) -> float:
        """Return the weight of a method's own `loss`."""
        return float(getattr(self, f"{loss}_coef"))


class Learner:
    """Trains a method and a mixer; `method` is also the network that acts.

    All weights are drawn anew from `seed`, whoever built the modules. Dropout draws from torch's global generator,
    which is the caller's to seed and to checkpoint; nothing else here is random. On a CPU with one thread the same seed
    and batches give the same weights, bit for bit.
    """

    def __init__(
        self, method: Method, mixer: Mixer, config: LearnerConfig, device: torch.device | str = "cpu", seed: int = 0
    ) -> None:
        self.config = config
        self.device = torch.device(device)
        generator = torch.Generator().manual_seed(seed)
        for module in (method, mixer):
            initialise(module, generator)
        self.method = method.to(self.device).train()
        self.mixer = mixer.to(self.device).train()
        # a copy is moved too, although it is there already: `to` lays a GRU's weights out for cuDNN
        self._target_method = copy.deepcopy(method).to(self.device).eval().requires_grad_(False)
        self._target_mixer = copy.deepcopy(mixer).to(self.device).eval().requires_grad_(False)
        self._groups = method.parameter_groups()
        self._groups["utility"] = [*self._groups["utility"], *mixer.parameters()]
        self._optimiser = torch.optim.Adam(
            [p for group in self._groups.values() for p in group], lr=config.lr, fused=True
        )
        self._reward_scale = RewardScale(config.reward_standardisation)
        self.updates = 0

    def update(self, batch: EpisodeBatch) -> dict[str, float]:
        """Take one gradient step on B whole episodes and return the metrics; see docs/metrics.md.

        A loss that is not finite raises FloatingPointError.
        """
        tensors = TensorBatch.from_episodes(
            batch, self.method.inputs.schema, self.device, messages=self.method.needs_messages
        )
        rewards = self._reward_scale(tensors)

        # Each agent's history (and z, detached) gives its utilities; those of the actions taken are mixed into Q_tot.
        unrolled = self.method.unroll(tensors)
        chosen = unrolled.q[:, :-1].gather(-1, tensors.actions[..., None])[..., 0]
        best = greatest(unrolled.q[:, :-1].detach(), tensors.avail_actions[:, :-1])
        q_tot = self.mixer(chosen, best, tensors.actions, tensors.state[:, :-1])
        target = self.td_target(tensors, rewards, unrolled.q)

        # L = L_TD + λ_rec · L_rec + λ_sai · L_SAI + λ_cyc · L_cyc, over the steps that were played
        td_error = q_tot - target
        td_loss = masked_mean(td_error**2, tensors.filled)
        loss = td_loss
        for name, value in unrolled.losses.items():
            loss = loss + self.coefficient(name) * value

        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        # One optimiser and one step, but a large TD gradient must not shrink the encoder's: clipped per group.
        norms = {name: nn.utils.clip_grad_norm_(group, self.config.grad_clip) for name, group in self._groups.items()}
        self._optimiser.step()
        self.updates += 1
        self._update_target()

        return self._metrics(
            {
                "loss": loss,
                "td_loss": td_loss,
                "td_error_abs": masked_mean(td_error.abs(), tensors.filled),
                "q_tot": masked_mean(q_tot, tensors.filled),
                "target": masked_mean(target, tensors.filled),
                **{f"{name}_loss": value for name, value in unrolled.losses.items()},
                **unrolled.logs,
                **{f"grad_norm_{name}": norm for name, norm in norms.items()},
            }
        )

    def coefficient(self, loss: str) -> float:
        """Return the weight of the method's own `loss`: the method's, or the configuration's."""
        published = self.method.coefficients
        return published[loss] if loss in published else self.config.coefficient(loss)

    @torch.inference_mode()
    def td_target(
        self, tensors: TensorBatch, rewards: Float[Tensor, "B T"], q: Float[Tensor, "B T+1 N A"]
    ) -> Float[Tensor, "B T"]:
        """Return TD(λ) targets: the reward plus gamma times what follows, which is nothing after a terminal step.

        What follows is the joint value of the next greedy actions, and with the share λ the target of the next step,
        where one was played. With double Q the online utilities `q` choose and the target network values.
        """
        next_q = self._target_method.unroll(tensors).q[:, 1:]
        available = tensors.avail_actions[:, 1:]
        chooser = q[:, 1:] if self.config.double_q else next_q
        greedy = chooser.masked_fill(~available, -torch.inf).argmax(dim=-1, keepdim=True)
        value = self._target_mixer(
            next_q.gather(-1, greedy)[..., 0], greatest(next_q, available), greedy[..., 0], tensors.state[:, 1:]
        )
        terminal = tensors.terminated
        if self.config.timeout_is_terminal:
            terminal = terminal | tensors.truncated
        follows = value.masked_fill(terminal, 0.0)
        targets = rewards + self.config.gamma * follows
        share = self.config.td_lambda
        if share:
            for t in range(targets.shape[1] - 2, -1, -1):
                goes_on = tensors.filled[:, t + 1] & ~terminal[:, t]
                longer = torch.where(goes_on, torch.lerp(follows[:, t], targets[:, t + 1], share), follows[:, t])
                targets[:, t] = rewards[:, t] + self.config.gamma * longer
        return targets

    @torch.no_grad()
    def _update_target(self) -> None:
        """Copy the networks when it is time, or move their copies a little."""
        tau = self.config.target_tau
        if tau is None and self.updates % self.config.target_update_interval:
            return
        pairs = ((self._target_method, self.method), (self._target_mixer, self.mixer))
        for target, online in pairs:
            if tau is None:
                target.load_state_dict(online.state_dict())
            else:
                for slow, fast in zip(target.parameters(), online.parameters(), strict=True):
                    slow.lerp_(fast, tau)

    def state_dict(self) -> dict[str, Any]:
        """Return everything that the next update depends on but torch's global generator, as tensors and primitives.

        The tensors are the live ones: save or copy them before the next update.
        """
        return {
            "method": self.method.state_dict(),
            "mixer": self.mixer.state_dict(),
            "target_method": self._target_method.state_dict(),
            "target_mixer": self._target_mixer.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "reward_scale": self._reward_scale.state_dict(),
            "updates": self.updates,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what `state_dict` returned; another architecture raises torch's own RuntimeError."""
        self.method.load_state_dict(state["method"])
        self.mixer.load_state_dict(state["mixer"])
        self._target_method.load_state_dict(state["target_method"])
        self._target_mixer.load_state_dict(state["target_mixer"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._reward_scale.load_state_dict(state["reward_scale"])
        self.updates = int(state["updates"])

    def start_from(self, weights: Mapping[str, Any]) -> None:
        """Begin with the `weights` of another learner, its "method" and "mixer", and a fresh optimiser."""
        for online, target, name in (
            (self.method, self._target_method, "method"),
            (self.mixer, self._target_mixer, "mixer"),
        ):
            online.load_state_dict(weights[name])
            target.load_state_dict(weights[name])

    def _metrics(self, tensors: Mapping[str, Tensor]) -> dict[str, float]:
        """Fetch all metrics from the device at once."""
        values = torch.stack([value.detach() for value in tensors.values()]).tolist()
        metrics = dict(zip(tensors, values, strict=True))
        if not math.isfinite(metrics["loss"]):
            raise FloatingPointError(f"the loss of update {self.updates} is {metrics['loss']}: {metrics}")
        return metrics


class RewardScale:
    """Running mean and variance of the rewards that were sampled, padding left out.

    The published code counts padding as rewards of 0, so its scale depends on how episodes are padded; here it does
    not.
    """

    def __init__(self, kind: Literal["off", "scale", "published"]) -> None:
        self.kind = kind
        self.mean, self.variance, self.count = 0.0, 1.0, 1e-4

    def __call__(self, batch: TensorBatch) -> Float[Tensor, "B T"]:
        """Take the batch's rewards into account and return them standardised."""
        if self.kind == "off":
            return batch.rewards
        played = batch.rewards[batch.filled].double()
        n = played.numel()
        variance, mean = (value.item() for value in torch.var_mean(played, correction=0)) if n else (0.0, 0.0)
        total = self.count + n
        delta = mean - self.mean
        squares = self.variance * self.count + variance * n + delta**2 * self.count * n / total
        self.mean, self.variance, self.count = self.mean + delta * n / total, squares / total, total
        if self.kind == "published":
            return (batch.rewards - self.mean) / math.sqrt(self.variance)
        return batch.rewards / math.sqrt(self.variance + self.mean**2)

    def state_dict(self) -> dict[str, float]:
        """Return the statistics."""
        return {"mean": self.mean, "variance": self.variance, "count": self.count}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """Restore the statistics."""
        self.mean, self.variance, self.count = state["mean"], state["variance"], state["count"]


def greatest(q: Float[Tensor, "*batch A"], available: Bool[Tensor, "*batch A"]) -> Float[Tensor, "*batch"]:
    """Return the greatest utility of an available action."""
    return q.masked_fill(~available, -torch.inf).amax(dim=-1)
