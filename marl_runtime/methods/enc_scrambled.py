"""Controls of what messages say: LMAC's encoder, losses and parameters, and messages that say nothing of now.

Both are made in the rollout and stored as what was received, so that acting and learning see the same
(`marl_runtime.rollout.Rollout`).
"""

from __future__ import annotations

from marl_runtime.methods.lmac import Lmac

__all__ = ["EncRandom", "EncShuffled"]


class EncShuffled(Lmac):
    """LMAC that hears another episode: what is said has the right form and is about something else."""

    name = "enc_shuffled"
    summary = "control: the same encoder and losses, another episode's messages"
    scrambles = "shuffled"


class EncRandom(Lmac):
    """LMAC that hears standard normal noise, new at every step."""

    name = "enc_random"
    summary = "control: the same encoder and losses, noise for messages"
    scrambles = "random"
