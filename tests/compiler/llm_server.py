"""A language model that says what a test planned, over a real socket, in both wire formats.

Chat completions are answered at `/v1/chat/completions`, messages at `/v1/messages`; both as a stream of events, in
chunks, as the providers do.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

__all__ = ["Drip", "Drop", "Hang", "LlmServer", "Raw", "Say", "Status"]

_FINISH = {
    "openai": {"stop": "stop", "length": "length", "refusal": "content_filter", "": None},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal", "": None},
}


@dataclass(frozen=True)
class Say:
    """Answer with a text, in three pieces. `input_tokens` are all that were read, `cached_tokens` among them.

    `thoughts` come in blocks of their own, one before the text and one behind it.
    """

    text: str
    stop: Literal["stop", "length", "refusal", ""] = "stop"
    input_tokens: int = 1_000
    output_tokens: int = 200
    cached_tokens: int = 0
    thoughts: str = ""


@dataclass(frozen=True)
class Status:
    """Answer with an HTTP status and a JSON body."""

    code: int
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Answer with status 200 and these very bytes."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """Say nothing for so many seconds, or until the server is closed; then close the connection."""

    seconds: float = 60.0


@dataclass(frozen=True)
class Drip:
    """Begin an answer, and go on with a word now and then, without end."""

    pause: float = 0.05


@dataclass(frozen=True)
class Drop:
    """Begin an answer and lose the connection."""


Step = Say | Status | Raw | Hang | Drip | Drop


class LlmServer:
    """Plays `plan` from the front, one step a request; past its end every request gets status 500.

    `requests` are the requests that came, as dicts of `path`, `headers` (names in lower case) and `body`.
    """

    def __init__(self, plan: Sequence[Step] = ()) -> None:
        self.plan: list[Step] = list(plan)
        self.requests: list[dict[str, Any]] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url_openai(self) -> str:
        """The base URL that OpenAI's SDK wants."""
        return f"{self.url_anthropic}/v1"

    @property
    def url_anthropic(self) -> str:
        """The base URL that Anthropic's SDK wants."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def url(self, provider: str) -> str:
        """The base URL that the SDK of `provider` wants."""
        return self.url_openai if provider == "openai" else self.url_anthropic

    def next_step(self, request: dict[str, Any]) -> Step:
        """Note a request and return the step that answers it."""
        with self._lock:
            self.requests.append(request)
            return self.plan.pop(0) if self.plan else Status(500, {"error": {"message": "the plan is used up"}})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: LlmServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on the terminal."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        step = self.server.owner.next_step({"path": self.path, "headers": headers, "body": body})
        try:
            self._play(step, str(body.get("model", "")))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _play(self, step: Step, model: str) -> None:
        provider = "anthropic" if self.path.endswith("/messages") else "openai"
        if isinstance(step, Status):
            self._whole(step.code, json.dumps(step.body).encode(), "application/json", step.headers)
        elif isinstance(step, Raw):
            self._whole(200, step.body, step.content_type, {})
        elif isinstance(step, Hang):
            self.server.owner.closing.wait(step.seconds)
            self.close_connection = True
        else:
            self._begin_stream()
            for event, value in _events(provider, step, model):
                if self.server.owner.closing.is_set():
                    break
                named = f"event: {event}\n" if provider == "anthropic" else ""
                self._chunk(f"{named}data: {value if isinstance(value, str) else json.dumps(value)}\n\n")
            if isinstance(step, Say):
                self._chunk("")
            else:
                self.close_connection = True

    def _whole(self, code: int, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in {"content-type": content_type, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin_stream(self) -> None:
        self.send_response(200)
        for name, value in (
            ("content-type", "text/event-stream; charset=utf-8"),
            ("transfer-encoding", "chunked"),
            ("request-id", "req_1"),
            ("x-request-id", "req_1"),
        ):
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


Event = tuple[str, dict[str, Any] | str]


def _pieces(step: Say | Drip | Drop) -> Iterator[str]:
    if isinstance(step, Say):
        third = len(step.text) // 3
        yield from (step.text[:third], step.text[third : 2 * third], step.text[2 * third :])
    elif isinstance(step, Drop):
        yield "```python\ndef send(own):\n"
    else:
        while True:
            yield "word "
            time.sleep(step.pause)


def _events(provider: str, step: Say | Drip | Drop, model: str) -> Iterator[Event]:
    usage = step if isinstance(step, Say) else Say("")
    finish = _FINISH[provider][usage.stop]
    make = _openai_events if provider == "openai" else _anthropic_events
    for event in make(_pieces(step), usage, finish, model):
        if isinstance(step, Drop) and (event[0] in ("content_block_stop", "finish")):
            return
        yield event


def _openai_events(pieces: Iterator[str], usage: Say, finish: str | None, model: str) -> Iterator[Event]:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    if usage.thoughts:  # as servers of open models send them
        thought = {"index": 0, "delta": {"reasoning_content": usage.thoughts}, "finish_reason": None}
        yield "delta", {**base, "choices": [thought]}
    for piece in pieces:
        delta = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}
        yield "delta", {**base, "choices": [delta]}
    yield "finish", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    counted = {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
    yield "usage", {**base, "choices": [], "usage": counted}
    yield "done", "[DONE]"


def _thinking(text: str, index: int) -> list[dict[str, Any]]:
    """Return the events of a block of thoughts; none where there are none."""
    if not text:
        return []
    block = {"type": "thinking", "thinking": "", "signature": ""}
    delta = {"type": "thinking_delta", "thinking": text}
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def _anthropic_events(pieces: Iterator[str], usage: Say, finish: str | None, model: str) -> Iterator[Event]:
    read = {
        "input_tokens": usage.input_tokens - usage.cached_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": read,
    }  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        *_thinking(usage.thoughts, 0),
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    ]
    yield from ((str(value["type"]), value) for value in events)
    for piece in pieces:
        delta = {"type": "text_delta", "text": piece}
        yield "content_block_delta", {"type": "content_block_delta", "index": 1, "delta": delta}
    end = {"stop_reason": finish, "stop_sequence": None}
    events = [
        {"type": "content_block_stop", "index": 1},
        *_thinking(usage.thoughts, 2),
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": usage.output_tokens}},
        {"type": "message_stop"},
    ]
    yield from ((str(value["type"]), value) for value in events)
