"""What a language model is to this program: a function from messages to a completion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict

__all__ = ["Client", "Completion", "Message", "OnDelta", "StopReason", "Usage", "Wait", "say_nothing"]

StopReason = Literal["stop", "length", "refusal", "other"]
OnDelta = Callable[[str], None]
"""Called with each piece of text as it comes."""


Wait = Callable[[Path, Path], bool]
"""Gets a prompt's file and its reply's; returns True to look again, False to stop until the next run."""


def say_nothing(delta: str) -> None:
    """Show nothing of what comes."""


class Message(TypedDict):
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counted them; None where it did not say.

    `input_tokens` are all that were read, those from the cache too; `cached_tokens` are those from the cache.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_json(self) -> dict[str, int | None]:
        """Return the counts as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Completion:
    """What came back: the text, why it ends, and what it cost in tokens.

    A text whose `stop_reason` is "length" was cut, however whole it looks. `notes` tell what the client had to change
    in the request, and what looked odd.
    """

    text: str
    stop_reason: StopReason
    usage: Usage = field(default_factory=Usage)
    request_id: str = ""
    model: str = ""
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the completion as plain JSON values."""
        return {**asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Completion:
        """Read what `to_json` wrote."""
        return cls(**{**value, "usage": Usage(**value["usage"]), "notes": tuple(value["notes"])})


class Client(Protocol):
    """A language model that can be asked. Every failure is a `ClientError`.

    `price_list` is the provider whose prices its calls cost, "" where nobody knows: a server of one's own, a person.
    """

    provider: str
    model: str
    price_list: str

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        """Return the model's answer, complete or saying that it was cut."""
