"""The one place where providers, their default models and their keys' variables stand."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from buffers.errors import UnknownNameError, UsageError
from protocol_designer.clients.errors import KeyMissingError
from protocol_designer.clients.types import Client

__all__ = ["DEFAULT_MODELS", "KEY_VARIABLES", "Endpoint", "is_loopback", "make_client"]

DEFAULT_MODELS = {"openai": "gpt-6-sol", "anthropic": "claude-sonnet-5-5"}
"""Undated names that the providers keep alive; `--model` takes any other."""
KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_BASE_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_NO_KEY = "none"
"""The SDKs insist on a key; a server on loopback that wants none ignores this one."""


@dataclass(frozen=True)
class Endpoint:
    """Where calls go. `key` is sent there and shown nowhere; `deadline` bounds one call with all its retries.

    `sampling` holds the parameters that were set ("temperature", "seed"); what was not set is not sent.
    """

    provider: str
    model: str
    base_url: str
    key: str
    deadline: float = 600.0
    sampling: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.deadline > 0:
            raise ValueError(f"deadline {self.deadline} is not above 0")

    def __repr__(self) -> str:
        return f"Endpoint({self.provider!r}, {self.model!r}, {self.base_url!r})"

    @property
    def host(self) -> str:
        """The server, as messages name it."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def price_list(self) -> str:
        """The provider whose prices hold there; "" for any address but the provider's own."""
        official = urlsplit(_BASE_URLS[self.provider]).hostname
        return self.provider if urlsplit(self.base_url).hostname == official else ""

    @property
    def key_variable(self) -> str:
        """The environment variable that the key came from."""
        return KEY_VARIABLES[self.provider]


def is_loopback(url: str) -> bool:
    """Return whether `url` leads to this machine alone."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def make_client(
    provider: str,
    model: str = "",
    base_url: str = "",
    *,
    deadline: float = 600.0,
    sampling: Mapping[str, float] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Client:
    """Return a client of `provider`; nothing is imported and no request made before its first call.

    On loopback no key is needed. Elsewhere `KeyMissingError` names the variable that has to be set.
    """
    if provider not in DEFAULT_MODELS:
        raise UnknownNameError("provider", provider, DEFAULT_MODELS)
    if base_url and urlsplit(base_url).scheme not in ("http", "https"):
        raise UsageError(f"--base-url {base_url!r} is not an http:// or https:// address")
    url = base_url or environment.get(f"{provider.upper()}_BASE_URL", "") or _BASE_URLS[provider]
    key = environment.get(KEY_VARIABLES[provider], "").strip()
    if not key and not is_loopback(url):
        raise KeyMissingError(
            f"{KEY_VARIABLES[provider]} is not set, and {urlsplit(url).hostname} needs a key; set it, or use "
            "--designer search, which needs none"
        )
    endpoint = Endpoint(
        provider, model or DEFAULT_MODELS[provider], url, key or _NO_KEY, deadline, dict(sampling or {})
    )
    return _client_class(provider)(endpoint)


def _client_class(provider: str) -> Callable[[Endpoint], Client]:
    if provider == "openai":
        from protocol_designer.clients.openai_client import OpenAIClient

        return OpenAIClient
    from protocol_designer.clients.anthropic_client import AnthropicClient

    return AnthropicClient
