"""OpenAI's chat completions, and every server that speaks them (vLLM, Ollama, llama.cpp, …)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protocol_designer.clients.calls import BrokeOffError, Clock, call, require_event_stream
from protocol_designer.clients.settings import Endpoint
from protocol_designer.clients.types import Completion, Message, OnDelta, StopReason, Usage, say_nothing

__all__ = ["OpenAIClient"]

_STOP_REASONS: dict[str, StopReason] = {"stop": "stop", "length": "length", "content_filter": "refusal"}


class OpenAIClient:
    """Asks one model of one server, by streaming. What the server does not know is left out and remembered."""

    provider = "openai"

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.model, self.price_list = endpoint.model, endpoint.price_list
        self._limit_name = "max_completion_tokens"
        self._counts_usage = True
        self._sampling = dict(endpoint.sampling)
        self.notes: list[str] = []

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        """Return the model's answer; every failure is a `ClientError`."""
        import openai

        turns = [{"role": "system", "content": system}, *messages]

        def send(clock: Clock) -> Completion:
            with openai.OpenAI(
                api_key=self.endpoint.key,
                base_url=self.endpoint.base_url,
                max_retries=0,
                http_client=openai.DefaultHttpxClient(event_hooks={"response": [clock.watch]}),
            ) as client:
                while True:
                    try:
                        return self._stream(client, turns, max_output_tokens, on_delta, clock)
                    except openai.BadRequestError as error:
                        if not self._adapted(str(error)):
                            raise

        return call(openai, self.endpoint, send)

    def _adapted(self, refusal: str) -> bool:
        """Drop or rename the parameter that a server refused; False when it refused something else."""
        if self._limit_name == "max_completion_tokens" and "max_completion_tokens" in refusal:
            self._limit_name = "max_tokens"
            self.notes.append("the server takes max_tokens, not max_completion_tokens")
            return True
        if self._counts_usage and "stream_options" in refusal:
            self._counts_usage = False
            self.notes.append("the server takes no stream_options, so tokens may not be counted")
            return True
        for name in self._sampling:
            if name in refusal:
                del self._sampling[name]
                self.notes.append(f"the server takes no {name}; it was left out")
                return True
        return False

    def _stream(
        self, client: Any, turns: Sequence[Any], max_output_tokens: int, on_delta: OnDelta, clock: Clock
    ) -> Completion:
        parameters: dict[str, Any] = {self._limit_name: max_output_tokens, **self._sampling}
        if self._counts_usage:
            parameters["stream_options"] = {"include_usage": True}
        raw = client.chat.completions.with_raw_response.create(
            model=self.model, messages=turns, stream=True, timeout=clock.left, **parameters
        )
        require_event_stream(raw.headers, self.endpoint, raw.http_response.read)
        pieces: list[str] = []
        refusal: list[str] = []
        finish, usage, model = "", Usage(), ""
        for chunk in raw.parse():
            model = getattr(chunk, "model", None) or model
            if getattr(chunk, "usage", None):
                usage = _usage(chunk.usage)
            for choice in getattr(chunk, "choices", None) or ():
                text = getattr(choice.delta, "content", None)
                if text:
                    pieces.append(text)
                    on_delta(text)
                refusal.append(getattr(choice.delta, "refusal", None) or "")
                finish = choice.finish_reason or finish
        if not finish:
            raise BrokeOffError("the stream ended before the answer did")
        refused = "".join(refusal)
        stop: StopReason = "refusal" if refused else _STOP_REASONS.get(finish, "other")
        request_id = raw.headers.get("x-request-id", "")
        return Completion("".join(pieces) or refused, stop, usage, request_id, model or self.model, tuple(self.notes))


def _usage(counted: Any) -> Usage:
    read = getattr(counted, "prompt_tokens_details", None)
    written = getattr(counted, "completion_tokens_details", None)
    return Usage(
        input_tokens=getattr(counted, "prompt_tokens", None),
        output_tokens=getattr(counted, "completion_tokens", None),
        cached_tokens=getattr(read, "cached_tokens", None),
        cache_write_tokens=getattr(read, "cache_write_tokens", None),
        reasoning_tokens=getattr(written, "reasoning_tokens", None),
    )
