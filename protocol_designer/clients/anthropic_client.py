"""Anthropic's messages, and every server that speaks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protocol_designer.clients.calls import BrokeOffError, Clock, call, require_event_stream
from protocol_designer.clients.errors import ContextTooLongError
from protocol_designer.clients.settings import Endpoint
from protocol_designer.clients.types import Completion, Message, OnDelta, StopReason, Usage, say_nothing

__all__ = ["AnthropicClient"]

_STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "refusal": "refusal",
}


class AnthropicClient:
    """Asks one model of one server, by streaming; the system prompt, the same in every call, is marked for caching.

    What the server does not take is left out, remembered and noted.
    """

    provider = "anthropic"

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.model, self.price_list = endpoint.model, endpoint.price_list
        self._sampling = dict(endpoint.sampling)
        self.notes: list[str] = []

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        """Return the model's answer; every failure is a `ClientError`."""
        import anthropic

        def send(clock: Clock) -> Completion:
            with anthropic.Anthropic(
                api_key=self.endpoint.key,
                base_url=self.endpoint.base_url,
                max_retries=0,
                http_client=anthropic.DefaultHttpxClient(event_hooks={"response": [clock.watch]}),
            ) as client:
                while True:
                    try:
                        return self._stream(client, system, messages, max_output_tokens, on_delta, clock)
                    except anthropic.BadRequestError as error:
                        if not self._adapted(str(error)):
                            raise

        return call(anthropic, self.endpoint, send)

    def _adapted(self, refusal: str) -> bool:
        """Drop the parameter that the server refused; False when it refused something else."""
        for name in self._sampling:
            if name in refusal:
                del self._sampling[name]
                self.notes.append(f"the server takes no {name}; it was left out")
                return True
        return False

    def _stream(
        self,
        client: Any,
        system: str,
        messages: Sequence[Message],
        max_output_tokens: int,
        on_delta: OnDelta,
        clock: Clock,
    ) -> Completion:
        raw = client.messages.with_raw_response.create(
            model=self.model,
            max_tokens=max_output_tokens,
            system=[{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            messages=list(messages),
            stream=True,
            extra_body=dict(self._sampling) or None,  # the SDK has no parameters for sampling
            timeout=clock.left,
        )
        require_event_stream(raw.headers, self.endpoint, raw.http_response.read)
        pieces: list[str] = []
        counted: dict[str, int] = {}
        finish, model = "", ""
        for event in raw.parse():
            if event.type == "message_start":
                model = getattr(event.message, "model", None) or model
                counted |= _counts(getattr(event.message, "usage", None))
            elif event.type == "content_block_start" and event.content_block.type == "text":
                pieces.append(event.content_block.text or "")
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                pieces.append(event.delta.text)
                on_delta(event.delta.text)
            elif event.type == "message_delta":
                finish = event.delta.stop_reason or finish
                counted |= _counts(getattr(event, "usage", None))
        if not finish:
            raise BrokeOffError("the stream ended before the answer did")
        if finish == "model_context_window_exceeded":
            raise ContextTooLongError(f"prompt and answer do not fit into {self.model}'s context")
        stop = _STOP_REASONS.get(finish, "other")
        request_id = raw.headers.get("request-id", "")
        return Completion("".join(pieces), stop, _usage(counted), request_id, model or self.model, tuple(self.notes))


def _counts(usage: Any) -> dict[str, int]:
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    found = {name: getattr(usage, name, None) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, int)}


def _usage(counted: dict[str, int]) -> Usage:
    """Return the counts; Anthropic's input_tokens leave out what was read from or written to the cache."""
    read, written = counted.get("cache_read_input_tokens"), counted.get("cache_creation_input_tokens")
    fresh = counted.get("input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=counted.get("output_tokens"),
        cached_tokens=read,
        cache_write_tokens=written,
    )
