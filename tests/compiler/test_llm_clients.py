"""Both clients against a real socket: what they send, what they read, and what every failure says."""

from __future__ import annotations

import time
from typing import Any

import pytest
from llm_server import Drip, Drop, Hang, LlmServer, Raw, Say, Status

from buffers.errors import UnknownNameError, UsageError
from protocol_designer.clients import DEFAULT_MODELS, Client, ClientError, Message, calls, errors, make_client
from protocol_designer.clients.secrets import scrub, secrets_of

PROVIDERS = ("openai", "anthropic")
KEY = "sk-secret-0123456789"
ENVIRONMENT = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
MESSAGES: list[Message] = [{"role": "user", "content": "write"}]
provider_wise = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture(autouse=True)
def _no_waiting_and_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_WAIT", 0.0)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def client_for(provider: str, server: LlmServer, deadline: float = 20.0) -> Client:
    return make_client(provider, "gpt-6-sol", server.url(provider), deadline=deadline, environment=ENVIRONMENT)


def ask(provider: str, server: LlmServer, **options: float) -> Any:
    return client_for(provider, server, **options).complete("be brief", MESSAGES, 500)


@provider_wise
def test_a_completion_carries_text_tokens_and_ids(provider: str) -> None:
    heard: list[str] = []
    with LlmServer([Say("hello there", input_tokens=900, output_tokens=30, cached_tokens=800)]) as server:
        done = client_for(provider, server).complete("be brief", MESSAGES, 500, heard.append)
    assert (done.text, done.stop_reason, done.model, done.request_id) == ("hello there", "stop", "gpt-6-sol", "req_1")
    assert (done.usage.input_tokens, done.usage.output_tokens, done.usage.cached_tokens) == (900, 30, 800)
    assert "".join(heard) == "hello there"
    assert len(heard) == 3


@provider_wise
def test_the_request_in_the_provider_s_own_form(provider: str) -> None:
    with LlmServer([Say("yes")]) as server:
        ask(provider, server)
        (request,) = server.requests
    body = request["body"]
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["stream"]) == ("gpt-6-sol", True)
    assert not {"temperature", "top_p", "top_k"} & set(body)
    if provider == "openai":
        assert request["path"] == "/v1/chat/completions"
        assert body["messages"] == [{"role": "system", "content": "be brief"}, *MESSAGES]
        assert body["max_completion_tokens"] == 500
        assert body["stream_options"] == {"include_usage": True}
    else:
        assert request["path"] == "/v1/messages"
        (system,) = body["system"]
        assert (system["text"], system["cache_control"]) == ("be brief", {"type": "ephemeral"})
        assert (body["messages"], body["max_tokens"]) == (MESSAGES, 500)


@provider_wise
@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_an_answer_that_did_not_end_by_itself_says_so(provider: str, stop: Any) -> None:
    with LlmServer([Say("```python\ndef send(own", stop)]) as server:
        assert ask(provider, server).stop_reason == stop


@provider_wise
def test_an_answer_without_its_end_is_not_taken_but_asked_for_again(provider: str) -> None:
    with LlmServer([Say("half an ans", ""), Say("a whole one")]) as server:
        assert ask(provider, server).text == "a whole one"


def fault(kind: str, message: str = f"sorry, {KEY} did not work", code: str = "") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message, "code": code}}


FAILURES: dict[str, tuple[Any, type[ClientError], str, int]] = {
    "wrong key": (Status(401, fault("authentication_error")), errors.WrongKeyError, "_API_KEY", 2),
    "no permission": (Status(403, fault("permission_error")), errors.WrongKeyError, "refused the key", 2),
    "unknown model": (Status(404, fault("not_found_error")), errors.UnknownModelError, "--model", 2),
    "no credit": (Status(429, fault("x", code="insufficient_quota")), errors.QuotaError, "no credit", 1),
    "rate limit, wait too long": (
        Status(429, fault("rate_limit_error"), {"retry-after": "3600"}),
        errors.RateLimitError,
        "wait 3600 s",
        1,
    ),
    "too long": (Status(413, fault("request_too_large")), errors.ContextTooLongError, "context", 1),
    "too long, as 400": (
        Status(400, fault("x", code="context_length_exceeded")),
        errors.ContextTooLongError,
        "context",
        1,
    ),
    "bad request": (Status(400, fault("invalid_request_error")), errors.RequestRefusedError, "status 400", 2),
    "filtered": (Status(400, fault("x", code="content_filter")), errors.ModelRefusedError, "filter", 3),
    "a web page": (Raw(b"<html><title>Portal</title>", "text/html"), errors.BadAnswerError, "text/html", 1),
    "JSON where a stream belongs": (Raw(b"{}"), errors.BadAnswerError, "application/json", 1),
    "broken JSON in the stream": (
        Raw(b'event: message_start\ndata: {"type": "mess\n\n', "text/event-stream"),
        errors.BadAnswerError,
        "broken JSON",
        1,
    ),
}


@provider_wise
@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_says_what_to_do_and_is_not_tried_again(provider: str, case: str) -> None:
    step, kind, says, status = FAILURES[case]
    with LlmServer([step]) as server:
        with pytest.raises(ClientError) as caught:
            ask(provider, server)
        assert len(server.requests) == 1
    assert type(caught.value) is kind, caught.value
    assert says in str(caught.value)
    assert caught.value.exit_code == status
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


PASSING: dict[str, tuple[Any, type[ClientError]]] = {
    "rate limit": (Status(429, fault("rate_limit_error"), {"retry-after-ms": "5"}), errors.RateLimitError),
    "server error": (Status(500, fault("api_error")), errors.OverloadedError),
    "unavailable": (Status(503, fault("api_error")), errors.OverloadedError),
    "overloaded": (Status(529, fault("overloaded_error")), errors.OverloadedError),
    "connection lost before an answer": (Hang(0.0), errors.UnreachableError),
    "connection lost in an answer": (Drop(), errors.UnreachableError),
}


@provider_wise
@pytest.mark.parametrize("case", PASSING)
def test_what_may_pass_is_tried_again(provider: str, case: str) -> None:
    with LlmServer([PASSING[case][0], PASSING[case][0], Say("at last")]) as server:
        assert ask(provider, server).text == "at last"
        assert len(server.requests) == 3


@provider_wise
@pytest.mark.parametrize("case", PASSING)
def test_what_does_not_pass_is_given_up_with_its_own_error(provider: str, case: str) -> None:
    step, kind = PASSING[case]
    with LlmServer([step] * calls.MAX_TRIES) as server:
        with pytest.raises(kind) as caught:
            ask(provider, server)
        assert len(server.requests) == calls.MAX_TRIES
    assert KEY not in str(caught.value)


@provider_wise
@pytest.mark.parametrize("step", [Hang(30.0), Drip()], ids=["silence", "words without end"])
def test_the_deadline_holds_for_the_whole_call(provider: str, step: Any) -> None:
    began = time.monotonic()
    with LlmServer([step] * calls.MAX_TRIES) as server, pytest.raises(errors.DeadlineError, match=r"0\.5 s"):
        ask(provider, server, deadline=0.5)
    assert time.monotonic() - began < 10.0


@provider_wise
def test_nobody_listens(provider: str) -> None:
    with LlmServer() as server:
        url = server.url(provider)
    client = make_client(provider, "m", url, deadline=20.0, environment={})
    with pytest.raises(errors.UnreachableError, match=r"127\.0\.0\.1"):
        client.complete("s", MESSAGES, 10)


def test_an_older_server_s_names_are_learnt_once() -> None:
    refusals = [
        Status(400, fault("x", "Unsupported parameter: max_completion_tokens")),
        Status(400, fault("x", "unknown field stream_options")),
    ]
    with LlmServer([*refusals, Say("one"), Say("two")]) as server:
        client = client_for("openai", server)
        assert [client.complete("s", MESSAGES, 10).text for _ in range(2)] == ["one", "two"]
        bodies = [request["body"] for request in server.requests]
    assert len(bodies) == 4
    assert all("max_completion_tokens" not in body and body["max_tokens"] == 10 for body in bodies[1:])
    assert all("stream_options" not in body for body in bodies[2:])


@provider_wise
def test_thoughts_in_blocks_of_their_own_are_not_the_answer(provider: str) -> None:
    heard: list[str] = []
    with LlmServer([Say("the answer", thoughts="```python\nno\n```")]) as server:
        done = client_for(provider, server).complete("s", MESSAGES, 10, heard.append)
    assert done.text == "".join(heard) == "the answer"


@provider_wise
def test_sampling_is_sent_when_it_is_set_and_what_is_refused_is_left_out_and_noted(provider: str) -> None:
    refusals = [Status(400, fault("x", f"{name}: this model does not support it")) for name in ("temperature", "seed")]
    sampling = {"temperature": 0.5, "seed": 3}
    with LlmServer([Say("one"), *refusals, Say("two"), Say("three")]) as server:
        url = server.url(provider)
        client = make_client(provider, "m", url, sampling=sampling, environment=ENVIRONMENT)
        answers = [client.complete("s", MESSAGES, 10) for _ in range(3)]
        bodies = [request["body"] for request in server.requests]
    sent = [{name: body[name] for name in ("temperature", "seed") if name in body} for body in bodies]
    assert sent == [sampling, sampling, {"seed": 3}, {}, {}]
    assert [answer.text for answer in answers] == ["one", "two", "three"]
    assert not answers[0].notes
    expected = ("the server takes no temperature; it was left out", "the server takes no seed; it was left out")
    assert answers[1].notes == answers[2].notes == expected


@provider_wise
def test_no_key_is_needed_on_loopback_and_none_is_sent(provider: str) -> None:
    with LlmServer([Say("local")]) as server:
        client = make_client(provider, "", server.url(provider), environment={})
        assert client.complete("s", MESSAGES, 10).text == "local"
        (request,) = server.requests
    assert client.model == DEFAULT_MODELS[provider]
    assert KEY not in str(request)


@provider_wise
def test_elsewhere_a_key_is_needed_and_its_variable_named(provider: str) -> None:
    for url in ("", "https://models.example.org/v1", "http://127.0.0.1.example.org", "http://10.0.0.1/v1"):
        with pytest.raises(errors.KeyMissingError, match=f"{provider.upper()}_API_KEY") as caught:
            make_client(provider, "", url, environment={})
        assert caught.value.exit_code == 2


def test_addresses_and_providers_that_do_not_exist() -> None:
    with pytest.raises(UsageError, match="http://"):
        make_client("openai", "", "127.0.0.1:8000")
    with pytest.raises(UnknownNameError, match="openai"):
        make_client("opnai")


def test_default_models_are_not_date_stamped() -> None:
    assert set(DEFAULT_MODELS) == set(PROVIDERS)
    assert not [
        name for name in DEFAULT_MODELS.values() if any(part.isdigit() and len(part) >= 4 for part in name.split("-"))
    ]


@provider_wise
def test_a_client_shows_no_key(provider: str) -> None:
    client: Any = make_client(provider, "", "https://models.example.org", environment=ENVIRONMENT)
    assert KEY not in repr(client.endpoint) + repr(client) + str(vars(client))


def test_keys_are_taken_out_longest_first_and_placeholders_stay() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-long",
        "X_API_KEY": "sk-long-and-more",
        "Y_API_KEY": "none",
        "PATH": "/usr/bin",
    }
    assert secrets_of(environment) == ("sk-long-and-more", "sk-long")
    assert scrub("none: sk-long-and-more, sk-long, /usr/bin", environment) == "none: [key], [key], /usr/bin"
