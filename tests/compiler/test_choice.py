"""Which designer is at hand, what it says of itself, and what it is refused for."""

from __future__ import annotations

from pathlib import Path

import pytest

from buffers.errors import UnknownNameError, UsageError
from protocol_designer.clients.errors import KeyMissingError
from protocol_designer.clients.settings import DEFAULT_MODELS, Endpoint, is_loopback
from protocol_designer.conversation import CallLimits
from protocol_designer.designers.choice import DESIGNERS, choose

OPENAI = {"OPENAI_API_KEY": "sk-canary-123"}
ANTHROPIC = {"ANTHROPIC_API_KEY": "sk-ant-canary-123"}
LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "search"),
        ({"OPENAI_API_KEY": "  "}, "search"),
        (ANTHROPIC, "anthropic"),
        (OPENAI, "openai"),
        (OPENAI | ANTHROPIC, "openai"),
    ],
)
def test_auto_takes_the_provider_whose_key_is_set_openais_first(environment: dict[str, str], name: str) -> None:
    chosen = choose("auto", environment=environment)
    assert chosen.name == name
    assert chosen.model == DEFAULT_MODELS.get(name, "ridge")


def test_it_says_which_with_which_model_why_and_at_most_how_many_calls() -> None:
    said = choose("auto", environment=OPENAI, passes=1, repairs=0).description
    assert said == f"designer: openai (OPENAI_API_KEY is set), model {DEFAULT_MODELS['openai']}, at most 5 calls"
    limited = choose("openai", environment=OPENAI, limits=CallLimits(max_calls=3)).description
    assert limited.endswith("at most 3 calls")
    searched = choose("auto", environment={}).description
    assert "search (OPENAI_API_KEY and ANTHROPIC_API_KEY are not set)" in searched
    assert "no calls" in searched


def test_no_key_is_in_what_is_remembered_or_shown() -> None:
    chosen = choose("openai", environment=OPENAI, base_url="https://models.example/v1")
    assert "canary" not in repr(chosen) + str(chosen.settings) + chosen.description
    assert chosen.settings["base_url"] == "https://models.example/v1"
    assert "canary" not in repr(Endpoint("openai", "m", LOCAL, "sk-canary-123"))


def test_a_missing_key_is_named_before_anything_is_done() -> None:
    with pytest.raises(KeyMissingError, match=r"ANTHROPIC_API_KEY is not set, and api\.anthropic\.com needs a key"):
        choose("anthropic", environment=OPENAI)
    with pytest.raises(KeyMissingError, match=r"models\.example"):
        choose("openai", environment={}, base_url="https://models.example/v1")


@pytest.mark.parametrize("name", ["openai", "anthropic", "auto"])
def test_a_server_on_this_machine_needs_no_key(name: str) -> None:
    chosen = choose(name, environment={}, base_url=LOCAL, model="my-model")
    assert chosen.model == "my-model"
    assert chosen.name == ("openai" if name == "auto" else name)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.53", True),
        ("http://[::1]:8080", True),
        ("https://127.0.0.1.models.example", False),
        ("http://10.0.0.1", False),
        ("https://api.openai.com/v1", False),
        ("nonsense", False),
    ],
)
def test_what_is_this_machine(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="anthropic"):
        choose("antropic")
    with pytest.raises(UsageError, match="--transcript"):
        choose("replay")
    with pytest.raises(UsageError, match="--transcript"):
        choose("search", transcript=Path("x"))
    with pytest.raises(UsageError, match="--base-url is for"):
        choose("search", base_url=LOCAL)
    with pytest.raises(UsageError, match="--model is for"):
        choose("search", model="x")
    with pytest.raises(UsageError, match="'ftp://x' is not an http"):
        choose("openai", base_url="ftp://x", environment=OPENAI)
    with pytest.raises(UsageError, match="--temperature and --llm-seed are for"):
        choose("search", sampling={"temperature": 0.1})
    assert choose("replay", transcript=Path("x")).name == "replay"
    assert choose("manual").description.startswith("designer: manual, at most 16 prompts")
    assert set(DESIGNERS) == {"auto", "search", "openai", "anthropic", "manual", "replay", "random", "everything"}
    with pytest.raises(UsageError, match="--feedback none is a control"):
        choose("search", feedback="none")
    with pytest.raises(UnknownNameError, match="shuffled"):
        choose("manual", feedback="shufled")  # type: ignore[arg-type]
