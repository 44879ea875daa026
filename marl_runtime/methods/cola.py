"""COLA: agents that see the same situation agree on a class for it, without a word (Xu et al. 2023)."""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from marl_runtime.methods.base import Features, Losses
from marl_runtime.methods.talking import Talking, pair_mean, two_layers
from marl_runtime.networks.batch import TensorBatch

__all__ = ["Cola"]


class Cola(Talking):
    """Each agent puts its own history into one of 8 classes; the class, one-hot, goes to the utility network.

    Consensus (weight 1): the cross-entropy between a teammate's class, centred over the batch and sharpened
    (temperature 0.04), and one's own (temperature 0.1), for each pair of living agents at each step. The teacher is the
    network itself with its gradient stopped, not a moving average of it, and its centre is the batch's own: an
    adaptation that keeps a method a function of its weights. The number of classes is ours. TD trains none of it.

    Nothing is sent when acting: an agent cannot learn from COLA what it does not see itself.
    """

    name = "cola"
    summary = "learned: a consensus class of one's own history, nothing is sent"
    needs_links = False
    classes = 8
    sharp, soft = 0.04, 0.1
    coefficients: ClassVar = {"consensus": 1.0}

    @property
    def heard_dim(self) -> int:
        """The class, one-hot."""
        return self.classes

    @property
    def sent_values(self) -> int | None:
        """Nothing."""
        return 0

    def build_talk(self, own_dim: int, n_agents: int) -> None:
        """Make the classifier."""
        self.classify = two_layers(own_dim, self.config.hidden_dim, self.classes)

    def talk(
        self, own: Float[Tensor, "*batch N H"], links: Bool[Tensor, "*batch N N"], learning: bool
    ) -> dict[str, Tensor]:
        """Return the classes; who reaches whom does not count."""
        logits = self.classify(own)
        chosen = functional.one_hot(logits.argmax(dim=-1), self.classes).to(own.dtype)
        return {"heard": chosen, "logits": logits}

    def own_losses(self, batch: TensorBatch, features: Features, q: Float[Tensor, "B T+1 N A"]) -> Losses:
        """Return the consensus loss, and in how many pairs both choose the same class."""
        logits, links, chosen = (features.parts[name] for name in ("logits", "links", "heard"))
        lives = batch.receivers.transpose(0, 1)[..., None]
        centre = (logits[:-1] * lives).sum(dim=(0, 1, 2)) / lives.sum().clamp(min=1)
        agree = chosen @ chosen.transpose(-1, -2)
        losses = {"consensus": pair_mean(self.disagreement(logits, centre), links, batch)}
        return Losses(losses, {"agreement": pair_mean(agree, links, batch)})

    def disagreement(
        self, logits: Float[Tensor, "*batch N K"], centre: Float[Tensor, K]
    ) -> Float[Tensor, "*batch N N"]:
        """Return -Σ_k teacher_jk log student_ik by student i and teacher j."""
        teacher = ((logits - centre).detach() / self.sharp).softmax(dim=-1)
        student = (logits / self.soft).log_softmax(dim=-1)
        return -(student @ teacher.transpose(-1, -2))
