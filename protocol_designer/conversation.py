"""Asks a language model what a design needs to know, once: what was answered before is read from the transcript."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from protocol_designer.clients.errors import (
    BadAnswerError,
    CallLimitError,
    ClientError,
    EmptyReplyError,
    ModelRefusedError,
)
from protocol_designer.clients.secrets import scrub
from protocol_designer.clients.types import Client, Completion, Message, OnDelta, Usage, say_nothing
from protocol_designer.pricing import cost_of
from protocol_designer.transcript import CallName, Exchange, Transcript

__all__ = ["CallLimits", "Conversation", "Replay", "Says"]

Says = Callable[[str], None]
"""Tells the user one line."""


def silence(line: str) -> None:
    """Tell nobody."""


CHARACTERS_PER_TOKEN = 4.0
READ_SHARE = 0.4
"""A server that counts fewer tokens than this share of a rough count has cut the prompt."""


@dataclass(frozen=True)
class CallLimits:
    """How often a model is asked in one design, how much that may cost, and how long an answer may be."""

    max_calls: int = 20
    max_cost: float | None = None
    max_output_tokens: int = 16_000

    def __post_init__(self) -> None:
        for name in ("max_calls", "max_output_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is below 1")
        if self.max_cost is not None and not self.max_cost > 0:
            raise ValueError(f"max_cost {self.max_cost} is not above 0")


class Conversation:
    """Calls by name. A call that the transcript answers already is not made again; limits hold before a call is made.

    Each call is a conversation of its own: the system prompt and one message, as in the published loop.
    """

    def __init__(
        self,
        client: Client,
        transcript: Transcript,
        limits: CallLimits | None = None,
        says: Says = silence,
    ) -> None:
        self.client, self.transcript = client, transcript
        self.limits = limits or CallLimits()
        self._says = says

    def ask(self, call: CallName, system: str, prompt: str, prompts: Mapping[str, str]) -> Completion:
        """Return the model's answer to `prompt`; `prompts` are the versions of the templates that made it.

        A refusal or an answer without text is a `ClientError`; one that was cut comes back and says so.
        """
        messages: tuple[Message, ...] = ({"role": "user", "content": prompt},)
        asked = Exchange(call, system, messages, self.limits.max_output_tokens, prompts=prompts)
        known = self.transcript.find(call, asked.key)
        exchange = self._made(asked) if known is None else known
        assert exchange.completion is not None
        return self._usable(exchange.completion)

    def spent(self) -> dict[str, Any]:
        """Return requests, tokens and cost of all that was asked, as plain JSON values; cost is "unknown" if any is."""
        answered = [e for e in self.transcript.exchanges if e.completion is not None]
        usages = [e.completion.usage for e in answered if e.completion is not None]
        costs = [e.cost for e in answered]
        known = [cost for cost in costs if cost is not None]
        return {
            "requests": len(answered),
            "input_tokens": _total([u.input_tokens for u in usages]),
            "output_tokens": _total([u.output_tokens for u in usages]),
            "cached_tokens": _total([u.cached_tokens for u in usages]),
            "cost_usd": round(sum(known), 6) if len(known) == len(costs) else "unknown",
            "seconds": round(sum(e.seconds for e in answered), 1),
        }

    def _made(self, asked: Exchange) -> Exchange:
        self._require_within_limits(asked)
        began = time.monotonic()
        shown = _Shown(self._says, f"{self.client.model} answers ({asked.call})", began)
        try:
            completion = self.client.complete(asked.system, asked.messages, asked.max_output_tokens, shown.on_delta)
        except ClientError as error:
            self.transcript.append(
                replace(asked, error=str(error), provider=self.client.provider, seconds=time.monotonic() - began)
            )
            raise
        completion = replace(
            completion, text=scrub(completion.text), notes=(*completion.notes, *self._odd(asked, completion))
        )
        exchange = replace(
            asked,
            completion=completion,
            provider=self.client.provider,
            cost=cost_of(self.client.price_list, completion.model, completion.usage),
            seconds=time.monotonic() - began,
        )
        self.transcript.append(exchange)
        for note in completion.notes:
            self._says(note)
        return self.transcript.exchanges[-1]

    def _require_within_limits(self, asked: Exchange) -> None:
        made = len(self.transcript.exchanges)
        if made >= self.limits.max_calls:
            raise CallLimitError(
                f"{made} calls were made, the limit is {self.limits.max_calls}; raise it and run the same command "
                "again: what was answered is not asked again"
            )
        if self.limits.max_cost is not None:
            spent = sum(e.cost or 0.0 for e in self.transcript.exchanges)
            most = self._most_cost(asked)
            if most is None:
                raise CallLimitError(
                    f"no price is known for {self.client.model} there, so --max-cost cannot hold; leave it out and "
                    "limit the calls by --max-llm-calls"
                )
            if spent + most > self.limits.max_cost:
                raise CallLimitError(
                    f"${spent:.4f} are spent and the next call may cost up to ${most:.4f} (an answer of "
                    f"{asked.max_output_tokens:,} tokens), the limit is ${self.limits.max_cost:.4f}; raise --max-cost "
                    "or lower --max-output-tokens and run the same command again: what was answered is not asked again"
                )

    def _most_cost(self, asked: Exchange) -> float | None:
        """Return what a call can cost: the prompt at two characters a token, and the longest answer."""
        sent = len(asked.system) + sum(len(message["content"]) for message in asked.messages)
        return cost_of(
            self.client.price_list, self.client.model, Usage(sent // 2, asked.max_output_tokens, 0, sent // 2)
        )

    def _odd(self, asked: Exchange, completion: Completion) -> list[str]:
        """Return what looks wrong about an answer: a server that read far less than it was sent."""
        sent = len(asked.system) + sum(len(message["content"]) for message in asked.messages)
        expected, read = sent / CHARACTERS_PER_TOKEN, completion.usage.input_tokens
        if read is not None and 0 < read < READ_SHARE * expected:
            return [
                f"the server read only {read:,} tokens of about {expected:,.0f} that it was sent: its context is too "
                "small, and it cuts prompts without saying so"
            ]
        return []

    def _usable(self, completion: Completion) -> Completion:
        if completion.stop_reason == "refusal":
            raise ModelRefusedError(
                f"{completion.model} refused: {completion.text.strip()[:300] or 'it gave no reason'}"
            )
        if completion.text.strip():
            return completion
        if completion.stop_reason == "length":
            raise EmptyReplyError(
                f"{completion.model} used all of {self.limits.max_output_tokens:,} tokens before it wrote anything "
                "(it reasons at length); raise --max-output-tokens"
            )
        raise EmptyReplyError(f"{completion.model} answered without any text")


@dataclass
class _Shown:
    """Says now and then how much of an answer has come."""

    says: Says
    what: str
    last: float
    characters: int = 0

    def on_delta(self, delta: str) -> None:
        self.characters += len(delta)
        now = time.monotonic()
        if now - self.last >= 2.0:
            self.last = now
            self.says(f"{self.what}: {self.characters:,} characters")


class Replay(Conversation):
    """Gives the stored replies of another design, by the name of the call, and makes no request.

    A prompt that differs from the stored one gets the same reply, and `differing` names the call.
    """

    def __init__(self, stored: Sequence[Exchange], where: str, transcript: Transcript, says: Says = silence) -> None:
        self._where = where
        self._replies = {e.call: e for e in stored if e.completion is not None}
        self.differing: list[CallName] = []
        super().__init__(_Nobody(stored), transcript, says=says)

    def _made(self, asked: Exchange) -> Exchange:
        stored = self._replies.get(asked.call)
        if stored is None:
            raise BadAnswerError(
                f"{self._where} has no reply for {asked.call}: the design took another way than the stored one"
            )
        if stored.key != asked.key:
            self.differing.append(asked.call)
            self._says(f"the prompt of {asked.call} is not the stored one; its stored reply is used all the same")
        exchange = replace(stored, system=asked.system, messages=asked.messages, prompts=asked.prompts)
        self.transcript.append(replace(exchange, max_output_tokens=asked.max_output_tokens))
        return self.transcript.exchanges[-1]


class _Nobody:
    """The client of a replay: it knows who answered, and is never asked."""

    provider, price_list = "replay", ""

    def __init__(self, stored: Sequence[Exchange]) -> None:
        answered = [e.completion for e in stored if e.completion is not None]
        self.model = answered[0].model if answered else ""

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        raise AssertionError("a replay makes no request")


def _total(counts: Sequence[int | None]) -> int | str:
    return sum(c for c in counts if c is not None) if all(c is not None for c in counts) else "unknown"
