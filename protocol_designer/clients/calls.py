"""One call with all that can happen to it: retries, waits, an overall deadline, and errors that say what to do.

Both SDKs name their exceptions alike; they are read by name from the module, so that neither is imported here. The
SDKs' own retries are off: they would sleep past any deadline.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from protocol_designer.clients.errors import (
    BadAnswerError,
    ClientError,
    ContextTooLongError,
    DeadlineError,
    ModelRefusedError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    RequestRefusedError,
    UnknownModelError,
    UnreachableError,
    WrongKeyError,
)
from protocol_designer.clients.secrets import scrub
from protocol_designer.clients.settings import Endpoint

__all__ = ["BrokeOffError", "Clock", "call", "require_event_stream"]

Answer = TypeVar("Answer")
MAX_TRIES = 5
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
"""Waits double from the first to the longest, unless the server names its own."""


class Clock:
    """The overall deadline of one call. A connection that is watched is shut when time is up, however it drips."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._timers: list[threading.Timer] = []

    @property
    def left(self) -> float:
        """Seconds left, at least a moment."""
        return max(self._end - time.monotonic(), 0.01)

    @property
    def expired(self) -> bool:
        """Whether time is up."""
        return time.monotonic() >= self._end

    def watch(self, response: Any) -> None:
        """Shut the connection of an httpx response when time is up: an event hook for responses."""
        stream = response.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream is not None else None
        if isinstance(connection, socket.socket):
            timer = threading.Timer(self.left, _shut, [connection])
            timer.daemon = True
            timer.start()
            self._timers.append(timer)

    def stop(self) -> None:
        """Let go of the connections that were watched."""
        for timer in self._timers:
            timer.cancel()


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):  # it was closed meanwhile
        connection.shutdown(socket.SHUT_RDWR)


def require_event_stream(headers: Mapping[str, str], endpoint: Endpoint, read: Callable[[], bytes]) -> None:
    """Raise `BadAnswerError` when an answer with status 200 is no event stream: a web page, a proxy's apology."""
    kind = headers.get("content-type", "nothing").partition(";")[0].strip()
    if kind != "text/event-stream":
        text = scrub(" ".join(read()[:2_000].decode("utf-8", "replace").split()))[:160]
        raise BadAnswerError(
            f"{endpoint.host} answered with {kind}, not with a stream of events; is --base-url {endpoint.base_url} "
            f"the address of an API? It said: {text!r}"
        )


def call(sdk: ModuleType, endpoint: Endpoint, send: Callable[[Clock], Answer]) -> Answer:
    """Return what `send` gives; try again what may pass, within the endpoint's deadline, else say what to do."""
    import httpx2

    clock = Clock(endpoint.deadline)
    for number in range(MAX_TRIES):
        try:
            return send(clock)
        except ClientError:
            raise
        except (sdk.APIError, httpx2.HTTPError, ValueError) as error:
            # ValueError: JSON that is broken in the middle of a stream reaches us as it is
            if clock.expired:
                raise _deadline_error(endpoint) from None
            trouble = _classify(sdk, endpoint, error)
        finally:
            clock.stop()
        wait = trouble.wait if trouble.wait is not None else min(FIRST_WAIT * 2**number, LONGEST_WAIT)
        if not trouble.passing or number + 1 == MAX_TRIES or wait >= clock.left:
            raise trouble.error from None
        time.sleep(wait)
    raise AssertionError("the last try raises")


class BrokeOffError(ValueError):
    """A stream of events ended without saying that the answer is complete."""


@dataclass(frozen=True)
class _Trouble:
    error: ClientError
    passing: bool = False
    wait: float | None = None


def _deadline_error(endpoint: Endpoint) -> DeadlineError:
    return DeadlineError(
        f"{endpoint.host} gave no complete answer within {endpoint.deadline:g} s; nothing of it is used. Run the same "
        "command again to go on"
    )


def _classify(sdk: ModuleType, endpoint: Endpoint, error: Exception) -> _Trouble:
    said = scrub(_message_of(error))
    where = f"{endpoint.host} said: {said}"
    if isinstance(error, sdk.APIStatusError):
        return _classify_status(endpoint, error, where)
    if isinstance(error, sdk.APITimeoutError | sdk.APIConnectionError):
        return _Trouble(UnreachableError(f"no connection to {endpoint.host}: {said}"), passing=True)
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return _Trouble(BadAnswerError(f"{endpoint.host} sent broken JSON: {said}"))
    if isinstance(error, sdk.APIError | BrokeOffError):
        return _Trouble(OverloadedError(f"the answer broke off; {where}"), passing=True)
    return _Trouble(UnreachableError(f"the connection to {endpoint.host} broke off: {said}"), passing=True)


def _classify_status(endpoint: Endpoint, error: Any, where: str) -> _Trouble:
    status, code = int(error.status_code), _code_of(error)
    about = f"{code} {where}".lower()
    if status in (401, 403):
        return _Trouble(
            WrongKeyError(
                f"{endpoint.host} refused the key of {endpoint.key_variable} (status {status}); set another, or "
                f"--base-url when the key belongs to another server"
            )
        )
    if status == 404:
        return _Trouble(
            UnknownModelError(
                f"{endpoint.host} knows no model {endpoint.model!r} at {endpoint.base_url}; name another with --model. "
                f"{where}"
            )
        )
    if status == 413 or "context_length" in about or "context length" in about or "prompt is too long" in about:
        return _Trouble(ContextTooLongError(f"the prompt does not fit into {endpoint.model}'s context; {where}"))
    if status == 429 and ("insufficient_quota" in about or "credit balance" in about):
        return _Trouble(QuotaError(f"the account of {endpoint.key_variable} has no credit left; {where}"))
    if status == 429:
        wait = _retry_after(error)
        named = f" (it asks to wait {wait:g} s)" if wait is not None else ""
        return _Trouble(RateLimitError(f"rate limit{named}; {where}. Run the same command later"), True, wait)
    if status in (408, 409) or status >= 500:
        return _Trouble(OverloadedError(f"the server fails (status {status}); {where}"), True, _retry_after(error))
    if "content_filter" in about or "content management policy" in about:
        return _Trouble(ModelRefusedError(f"the provider's filter refused the prompt; {where}"))
    return _Trouble(RequestRefusedError(f"the request was refused (status {status}); {where}"))


def _message_of(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping) and isinstance(inner.get("message"), str):
            return str(inner["message"])[:500]
    return " ".join(str(error).split())[:500]


def _code_of(error: Any) -> str:
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    return f"{inner.get('code', '')} {inner.get('type', '')}" if isinstance(inner, Mapping) else ""


def _retry_after(error: Any) -> float | None:
    headers = error.response.headers
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(float(headers[name]) * scale, 0.0)
        except (KeyError, ValueError):
            continue
    return None
