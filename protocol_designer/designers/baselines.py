"""Protocols that nobody thought about, to hold designed ones against: everything to everyone, and a random choice."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from buffers.schema import TaskSchema
from protocol_designer.types import Brief, Proposal
from sai import Episodes

__all__ = ["DEFAULT_WIDTH", "EverythingDesigner", "RandomDesigner"]

DEFAULT_WIDTH = 32
"""Numbers that a random protocol keeps where no budget names another width."""

_HEAD = """from generated_protocols import Array, Inbox, Observation
"""

_EVERYTHING = '''"""Everything to everyone: each agent sends its whole observation, all keep it by sender."""

from generated_protocols import Array, Observation


def send(own: Observation) -> dict[str, Array]:
    """Send every field of one's own extended observation."""
    return {"observation": own.group("*")}
'''


class EverythingDesigner:
    """Writes one part: the whole extended observation to everybody. The widest protocol that tells no history."""

    name, model = "everything", "none"

    def propose(self, brief: Brief) -> Proposal | None:
        """Return the one part in pass 0, and nothing to add after it."""
        return Proposal(_EVERYTHING, {"control": self.name}) if brief.pass_index == 0 and not brief.rejection else None


class RandomDesigner:
    """Writes one part that keeps as many numbers as the budget allows: fields and senders drawn at random.

    Fields that never change in the fit split are left out: they would make the control weaker than chance.
    """

    name, model = "random", "none"

    def __init__(self, data: Mapping[str, Episodes]) -> None:
        fit = data["fit"]
        seen = fit.extended[fit.valid]
        self._varying = np.flatnonzero(np.ptp(seen, axis=0) > 0)

    def propose(self, brief: Brief) -> Proposal | None:
        """Return the one part in pass 0, and nothing to add after it."""
        if brief.pass_index or brief.rejection:
            return None
        pairs = [(int(field), sender) for field in self._varying for sender in range(brief.schema.n_agents)]
        width = min(brief.max_message_width or DEFAULT_WIDTH, len(pairs))
        drawn = np.random.default_rng([brief.seed, 0xBA5E]).permutation(len(pairs))[:width]
        chosen = sorted(pairs[place] for place in drawn)
        return Proposal(_random_part(brief.schema, chosen), {"control": self.name, "width": width})


def _random_part(schema: TaskSchema, chosen: list[tuple[int, int]]) -> str:
    """Write a part that sends the fields of `chosen` and keeps each of its pairs of a field and a sender."""
    names = [field.name for field in schema.extended_fields]
    lines = [
        '"""A random choice of fields and senders: a control for designed protocols of the same width."""\n',
        _HEAD,
        "\ndef send(own: Observation) -> dict[str, Array]:",
        '    """Send fields drawn at random."""',
        "    return {",
        *(f'        "field_{field}": own["{names[field]}"],' for field in dict.fromkeys(f for f, _ in chosen)),
        "    }\n\n",
        "def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:",
        '    """Keep fields and senders drawn at random."""',
        "    return {",
        *(f'        "field_{field}_from_{sender}": inbox["field_{field}"][:, {sender}],' for field, sender in chosen),
        "    }",
    ]
    return "\n".join(lines) + "\n"
