"""Every exchange with a language model, as one line of JSON each: what was asked, what came back, what it cost.

The first line says of which task, layout and version the transcript is. A line that a kill cut short is dropped when
the file is opened again. No line holds a key.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypedDict

from buffers.errors import CorruptFileError, LayoutMismatchError, UsageError
from buffers.files import require_form
from buffers.schema import TaskSchema
from protocol_designer.clients.secrets import scrub
from protocol_designer.clients.types import Completion, Message

__all__ = ["TRANSCRIPT_VERSION", "CallName", "Exchange", "Transcript"]

TRANSCRIPT_VERSION = 1


@dataclass(frozen=True)
class CallName:
    """Which call of a design this is: the pass, the try within it, and the role of the prompt."""

    pass_index: int
    attempt: int
    role: str

    def __str__(self) -> str:
        return f"pass {self.pass_index}, try {self.attempt}, {self.role}"


@dataclass(frozen=True)
class Exchange:
    """One request and its reply, or what it failed with. `cost` is in US dollars, None when the price is unknown."""

    call: CallName
    system: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    completion: Completion | None = None
    error: str = ""
    provider: str = ""
    cost: float | None = None
    seconds: float = 0.0
    prompts: Mapping[str, str] = field(default_factory=dict)
    at: str = ""

    @property
    def key(self) -> str:
        """SHA-256 of what was asked."""
        return request_key(self.system, self.messages, self.max_output_tokens)

    @property
    def answered(self) -> bool:
        """Whether a reply came that can be read: neither refused nor empty."""
        reply = self.completion
        return reply is not None and reply.stop_reason != "refusal" and bool(reply.text.strip())

    def to_json(self) -> dict[str, Any]:
        """Return the exchange as plain JSON values."""
        value = {
            "call": {"pass": self.call.pass_index, "try": self.call.attempt, "role": self.call.role},
            "key": self.key,
            "request": {
                "system": self.system,
                "messages": list(self.messages),
                "max_output_tokens": self.max_output_tokens,
            },
            "reply": None if self.completion is None else self.completion.to_json(),
            "error": self.error,
            "provider": self.provider,
            "cost_usd": "unknown" if self.cost is None else self.cost,
            "seconds": round(self.seconds, 3),
            "prompts": dict(self.prompts),
            "at": self.at,
        }
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Exchange:
        """Read what `to_json` wrote."""
        call, request, reply = value["call"], value["request"], value["reply"]
        return cls(
            CallName(call["pass"], call["try"], call["role"]),
            request["system"],
            tuple(request["messages"]),
            request["max_output_tokens"],
            None if reply is None else Completion.from_json(reply),
            value["error"],
            value["provider"],
            None if value["cost_usd"] == "unknown" else float(value["cost_usd"]),
            value["seconds"],
            value["prompts"],
            value["at"],
        )


_CallLine = TypedDict("_CallLine", {"pass": int, "try": int, "role": str})


class _RequestLine(TypedDict):
    system: str
    messages: list[Message]
    max_output_tokens: int


class _Line(TypedDict):
    """The form of a transcript's line."""

    call: _CallLine
    request: _RequestLine
    reply: Completion | None
    error: str
    provider: str
    cost_usd: float | Literal["unknown"]
    seconds: float
    prompts: dict[str, str]
    at: str


def request_key(system: str, messages: Sequence[Message], max_output_tokens: int) -> str:
    """Return the SHA-256 of a request: the same question has the same key."""
    text = json.dumps([system, list(messages), max_output_tokens], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Transcript:
    """The exchanges of one design, in the order in which they happened, appended to a file that only grows."""

    def __init__(self, path: Path, schema: TaskSchema) -> None:
        self.path = path
        self._header = {"transcript": TRANSCRIPT_VERSION, "task": schema.name, "layout_hash": schema.layout_hash}
        self.exchanges: list[Exchange] = []
        if path.exists():
            self.exchanges = _read(path, schema, mend=True)

    @classmethod
    def stored(cls, path: Path, schema: TaskSchema) -> list[Exchange]:
        """Read the transcript at `path` to replay it; another task's or version's is refused with what differs."""
        if not path.is_file():
            raise UsageError(f"there is no transcript at {path}")
        return _read(path, schema, mend=False)

    def find(self, call: CallName, key: str) -> Exchange | None:
        """Return the exchange that answered this request in this call before, or None.

        A refusal or an empty reply answers nothing: a design that goes on asks again.
        """
        for exchange in reversed(self.exchanges):
            if exchange.call == call and exchange.key == key and exchange.answered:
                return exchange
        return None

    def append(self, exchange: Exchange) -> None:
        """Write an exchange; it is on the disk when this returns."""
        stamped = replace(exchange, at=exchange.at or datetime.now(UTC).isoformat(timespec="seconds"))
        lines = [] if self.path.exists() else [self._header]
        text = "".join(scrub(json.dumps(line)) + "\n" for line in (*lines, stamped.to_json()))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        self.exchanges.append(stamped)


def _read(path: Path, schema: TaskSchema, *, mend: bool) -> list[Exchange]:
    """Return a transcript's exchanges; `mend` cuts a last line off that is not whole."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if mend and len(whole) < len(content):
        os.truncate(path, len(whole))
    try:
        lines = [json.loads(line) for line in whole.decode("utf-8").split("\n")[:-1]]
    except ValueError as error:
        raise CorruptFileError(f"{path} is damaged: {error}") from error
    if not lines:
        if mend:
            path.unlink()
            return []
        raise CorruptFileError(f"{path} holds no exchange")
    _require_same(lines[0], schema, path)
    for number, line in enumerate(lines[1:], start=2):
        require_form(line, _Line, f"{path}, line {number},")
    return [Exchange.from_json(line) for line in lines[1:]]


def _require_same(header: Any, schema: TaskSchema, path: Path) -> None:
    if not isinstance(header, dict) or "transcript" not in header:
        raise CorruptFileError(f"{path} is no transcript: its first line does not say so")
    if header["transcript"] != TRANSCRIPT_VERSION:
        raise LayoutMismatchError(
            f"{path} is a transcript of version {header['transcript']!r}, this program reads {TRANSCRIPT_VERSION}"
        )
    if header.get("task") != schema.name:
        raise LayoutMismatchError(f"{path} is of task {header.get('task')!r}, not {schema.name!r}")
    if header.get("layout_hash") != schema.layout_hash:
        raise LayoutMismatchError(
            f"{path} was made for another layout of {schema.name!r}: {str(header.get('layout_hash'))[:12]}… there, "
            f"{schema.layout_hash[:12]}… here"
        )
