"""Messages that say nothing of now, for controls: stored and heard like any other, so acting and learning agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marl_runtime.rollout import MessageSource, MessageStepper

__all__ = ["Scrambled"]


class Scrambled:
    """A protocol whose messages the rollout replaces.

    "random": by standard normal numbers from the episode's own generator. "shuffled": each episode hears what the next
    one of its round hears, and the last one what the first does; so an episode depends on its neighbour, and a round
    needs two at least. One that has ended goes on saying what it said last.
    """

    def __init__(self, protocol: MessageSource, kind: str) -> None:
        if kind not in ("random", "shuffled"):
            raise ValueError(f"messages are scrambled 'random' or 'shuffled', not {kind!r}")
        self.protocol = protocol
        self.kind = kind

    @property
    def message_dim(self) -> int:
        """The protocol's own."""
        return self.protocol.message_dim

    def stepper(self, num_envs: int) -> MessageStepper:
        """Return the protocol's own stepper; the rollout scrambles what it says."""
        return self.protocol.stepper(num_envs)
