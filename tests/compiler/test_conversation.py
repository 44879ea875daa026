"""Asking once: limits, what was answered before, prices, and answers that are no answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from compiler_fakes import SCHEMA

from buffers.errors import CorruptFileError
from protocol_designer.clients import make_client
from protocol_designer.clients.errors import (
    BadAnswerError,
    CallLimitError,
    ClientError,
    EmptyReplyError,
    ModelRefusedError,
    OverloadedError,
)
from protocol_designer.clients.manual_client import AwaitingReplyError, ManualClient
from protocol_designer.clients.types import Completion, Message, OnDelta, Usage, say_nothing
from protocol_designer.conversation import CallLimits, Conversation, Replay
from protocol_designer.transcript import CallName, Transcript

CALL = CallName(0, 0, "write_part")


class Listed:
    """A client that answers from a list."""

    provider, model, price_list = "anthropic", "claude-sonnet-5-5", "anthropic"

    def __init__(self, *answers: Completion | ClientError) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        self.asked.append(messages[-1]["content"])
        answer = self.answers.pop(0)
        if isinstance(answer, ClientError):
            raise answer
        on_delta(answer.text)
        return answer


def say(text: str, **changes: object) -> Completion:
    values: dict[str, object] = {"stop_reason": "stop", "usage": Usage(1_000, 100, 0, 0), "model": Listed.model}
    return Completion(text, **(values | changes))  # type: ignore[arg-type]


def transcript(folder: Path) -> Transcript:
    return Transcript(folder / "transcript.jsonl", SCHEMA)


def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    client = Listed(say("one"), say("two"))
    conversation = Conversation(client, transcript(tmp_path))
    assert conversation.ask(CALL, "s", "a", {}).text == "one"
    assert conversation.ask(CALL, "s", "a", {}).text == "one"
    later = Conversation(client, transcript(tmp_path))
    assert later.ask(CALL, "s", "a", {}).text == "one"
    assert client.asked == ["a"]
    assert later.ask(CALL, "s", "another question", {}).text == "two"
    assert client.asked == ["a", "another question"]


def test_the_call_that_would_exceed_the_limit_is_never_made(tmp_path: Path) -> None:
    client = Listed(say("one"), OverloadedError("broke off"), say("three"))
    conversation = Conversation(client, transcript(tmp_path), CallLimits(max_calls=2))
    conversation.ask(CALL, "s", "a", {})
    with pytest.raises(OverloadedError):
        conversation.ask(CALL, "s", "b", {})
    with pytest.raises(CallLimitError, match="2 calls were made, the limit is 2"):
        conversation.ask(CALL, "s", "c", {})
    assert client.asked == ["a", "b"]
    assert conversation.ask(CALL, "s", "a", {}).text == "one"


def test_the_call_that_would_exceed_the_cost_is_never_made(tmp_path: Path) -> None:
    """By the shipped table 1,000 and 100 tokens cost $0.003, and an answer of 400 tokens up to $0.004."""
    client = Listed(say("one"), say("two"))
    limits = CallLimits(max_cost=0.006, max_output_tokens=400)
    conversation = Conversation(client, transcript(tmp_path), limits)
    conversation.ask(CALL, "s", "a", {})
    assert conversation.spent() == {
        "requests": 1,
        "input_tokens": 1_000,
        "output_tokens": 100,
        "cached_tokens": 0,
        "cost_usd": 0.003,
        "seconds": 0.0,
    }
    with pytest.raises(CallLimitError, match=r"\$0\.0030 are spent and the next call may cost up to \$0\.0040"):
        conversation.ask(CALL, "s", "b", {})
    assert client.asked == ["a"]


def test_a_first_call_that_could_exceed_the_cost_is_not_made(tmp_path: Path) -> None:
    client = Listed(say("one"))
    limits = CallLimits(max_cost=0.1, max_output_tokens=16_000)
    with pytest.raises(CallLimitError, match=r"\$0\.0000 are spent and the next call may cost up to \$0\.16"):
        Conversation(client, transcript(tmp_path), limits).ask(CALL, "s", "a", {})
    assert not client.asked


def test_a_limit_of_cost_without_a_price_is_refused_before_any_call(tmp_path: Path) -> None:
    client = Listed(say("one"))
    client.price_list = ""
    with pytest.raises(CallLimitError, match="no price is known for claude-sonnet-5-5 there, so --max-cost"):
        Conversation(client, transcript(tmp_path), CallLimits(max_cost=5.0)).ask(CALL, "s", "a", {})
    assert not client.asked


def test_a_server_of_ones_own_has_no_price_whatever_its_model_is_called(tmp_path: Path) -> None:
    client = Listed(say("x"))
    client.price_list = ""
    conversation = Conversation(client, transcript(tmp_path))
    conversation.ask(CALL, "s", "a", {})
    assert conversation.spent()["cost_usd"] == "unknown"


@pytest.mark.parametrize(
    ("provider", "base_url", "price_list"),
    [
        ("openai", "", "openai"),
        ("openai", "https://api.openai.com/v1/", "openai"),
        ("openai", "http://127.0.0.1:8000/v1", ""),
        ("openai", "https://api.openai.com.example.org/v1", ""),
        ("anthropic", "", "anthropic"),
        ("anthropic", "http://localhost:1", ""),
    ],
)
def test_prices_are_those_of_the_address_that_is_called(provider: str, base_url: str, price_list: str) -> None:
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert make_client(provider, base_url=base_url, environment=keys).price_list == price_list


def test_a_price_or_count_that_is_not_known_is_called_unknown(tmp_path: Path) -> None:
    conversation = Conversation(Listed(say("x", model="my-own-model"), say("y", usage=Usage())), transcript(tmp_path))
    conversation.ask(CALL, "s", "a", {})
    assert conversation.spent()["cost_usd"] == "unknown"
    conversation.ask(CALL, "s", "b", {})
    assert conversation.spent()["input_tokens"] == "unknown"


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        (say("I will not", stop_reason="refusal"), ModelRefusedError, "refused: I will not"),
        (say("", stop_reason="refusal"), ModelRefusedError, "gave no reason"),
        (say(" \n", stop_reason="length"), EmptyReplyError, "all of 16,000 tokens .* --max-output-tokens"),
        (say("", stop_reason="stop"), EmptyReplyError, "without any text"),
    ],
)
def test_an_answer_that_is_none_ends_the_design_after_one_request(
    tmp_path: Path, answer: Completion, kind: type[ClientError], says: str
) -> None:
    client = Listed(answer)
    conversation = Conversation(client, transcript(tmp_path))
    with pytest.raises(kind, match=says):
        conversation.ask(CALL, "s", "a", {})
    assert len(client.asked) == 1
    assert conversation.spent()["requests"] == 1


def test_an_answer_that_was_cut_comes_back_and_says_so(tmp_path: Path) -> None:
    conversation = Conversation(Listed(say("x = 1", stop_reason="length")), transcript(tmp_path))
    assert conversation.ask(CALL, "s", "a", {}).stop_reason == "length"


def test_a_server_that_reads_less_than_it_was_sent_is_found_out(tmp_path: Path) -> None:
    said: list[str] = []
    client = Listed(say("x", usage=Usage(2_048, 10)), say("y", usage=Usage(9_000, 10)))
    conversation = Conversation(client, transcript(tmp_path), says=said.append)
    conversation.ask(CALL, "word " * 8_000, "a", {})
    assert said == [
        "the server read only 2,048 tokens of about 10,000 that it was sent: its context is too small, and it cuts "
        "prompts without saying so"
    ]
    conversation.ask(CALL, "word " * 8_000, "b", {})
    assert len(said) == 1


def test_a_key_in_a_reply_goes_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123")
    conversation = Conversation(Listed(say("your key: sk-canary-123")), transcript(tmp_path))
    assert conversation.ask(CALL, "s", "a", {}).text == "your key: [key]"


def test_a_replay_answers_by_the_name_of_the_call_and_says_when_the_prompt_differs(tmp_path: Path) -> None:
    first = Conversation(Listed(say("one\r\n"), say("two")), transcript(tmp_path / "a"))
    first.ask(CALL, "s", "a", {})
    first.ask(CallName(1, 0, "analyse"), "s", "b", {})
    said: list[str] = []
    stored = Transcript.stored(tmp_path / "a/transcript.jsonl", SCHEMA)
    replay = Replay(stored, "a/transcript.jsonl", transcript(tmp_path / "b"), said.append)
    assert replay.client.model == "claude-sonnet-5-5"
    assert replay.ask(CALL, "s", "a", {}).text == "one\r\n"
    assert replay.ask(CallName(1, 0, "analyse"), "s", "changed", {}).text == "two"
    assert replay.differing == [CallName(1, 0, "analyse")]
    assert len(said) == 1
    with pytest.raises(BadAnswerError, match=r"no reply for pass 2, try 0, write_part"):
        replay.ask(CallName(2, 0, "write_part"), "s", "c", {})
    assert len(transcript(tmp_path / "b").exchanges) == 2


def test_a_person_finds_the_prompt_in_a_file_and_puts_the_reply_beside_it(tmp_path: Path) -> None:
    def ask() -> Completion:
        client = ManualClient(tmp_path / "prompts")
        return Conversation(client, transcript(tmp_path)).ask(CALL, "the system", "# Pass 0: write\n\nplease", {})

    with pytest.raises(AwaitingReplyError, match="run the same command again"):
        ask()
    (prompt,) = (tmp_path / "prompts").iterdir()
    assert prompt.name.startswith("pass-0-write-")
    assert prompt.read_text(encoding="utf-8") == "the system\n\n# Pass 0: write\n\nplease\n"
    reply = prompt.with_name(prompt.name.replace(".prompt.md", ".reply.md"))
    reply.write_text("  \n")
    with pytest.raises(AwaitingReplyError):
        ask()
    reply.write_bytes(b"\xff\xfe\x00garbage")
    with pytest.raises(CorruptFileError, match="not text"):
        ask()
    reply.write_bytes(b"\xef\xbb\xbfmy answer\r\n")
    assert ask().text == "my answer\r\n"
    reply.unlink()
    assert ask().text == "my answer\r\n"


def test_a_person_who_is_there_is_waited_for(tmp_path: Path) -> None:
    asked: list[Path] = []

    def wait(prompt: Path, reply: Path) -> bool:
        asked.append(prompt)
        if len(asked) == 2:
            reply.write_text("done")
        return len(asked) < 3

    client = ManualClient(tmp_path, wait=wait)
    assert client.complete("s", [{"role": "user", "content": "?"}], 10).text == "done"
    assert len(asked) == 2


@pytest.mark.parametrize(("name", "value"), [("max_calls", 0), ("max_output_tokens", 0), ("max_cost", 0.0)])
def test_limits_out_of_range_are_quoted(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} {value}"):
        CallLimits(**{name: value})  # type: ignore[arg-type]
