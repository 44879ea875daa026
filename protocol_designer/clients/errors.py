"""What can go wrong between this program and a language model, each with its own remedy.

ClientError                  exit 1: every error below
├── KeyMissingError          exit 2: no key where one is needed
├── WrongKeyError            exit 2: the key was refused
├── UnknownModelError        exit 2: the provider has no such model
├── RequestRefusedError      exit 2: the server does not take the request as it is
├── CallLimitError           exit 3: the next call would exceed the limit that was set
├── ModelRefusedError        exit 3: the model declined to answer
├── QuotaError               the account has no credit left
├── RateLimitError           the server asks to wait longer than there is time for
├── OverloadedError          the server failed or was overloaded, again and again
├── ContextTooLongError      the prompt does not fit into the model's context
├── EmptyReplyError          an answer without text: the budget went into reasoning
├── BadAnswerError           what came back is not what the wire format says
├── DeadlineError            no complete answer in time
└── UnreachableError         no connection

No message holds a key: `protocol_designer.clients.secrets` takes them out.
"""

from __future__ import annotations

from buffers.errors import ProtocolDesignerError

__all__ = [
    "BadAnswerError",
    "CallLimitError",
    "ClientError",
    "ContextTooLongError",
    "DeadlineError",
    "EmptyReplyError",
    "KeyMissingError",
    "ModelRefusedError",
    "OverloadedError",
    "QuotaError",
    "RateLimitError",
    "RequestRefusedError",
    "UnknownModelError",
    "UnreachableError",
    "WrongKeyError",
]


class ClientError(ProtocolDesignerError):
    """A call of a language model came to nothing."""


class KeyMissingError(ClientError):
    """A key is needed and none is set."""

    exit_code = 2


class WrongKeyError(ClientError):
    """The server refused the key."""

    exit_code = 2


class UnknownModelError(ClientError):
    """The server has no such model."""

    exit_code = 2


class RequestRefusedError(ClientError):
    """The server does not take the request as it is."""

    exit_code = 2


class CallLimitError(ClientError):
    """The next call would exceed the limit that was set."""

    exit_code = 3


class ModelRefusedError(ClientError):
    """The model declined to answer."""

    exit_code = 3


class QuotaError(ClientError):
    """The account has no credit left; trying again does not help."""


class RateLimitError(ClientError):
    """The server asks to wait longer than there is time for."""


class OverloadedError(ClientError):
    """The server failed or was overloaded at every try."""


class ContextTooLongError(ClientError):
    """The prompt does not fit into the model's context."""


class EmptyReplyError(ClientError):
    """The answer holds no text."""


class BadAnswerError(ClientError):
    """The answer is not in the wire format."""


class DeadlineError(ClientError):
    """No complete answer came in time."""


class UnreachableError(ClientError):
    """No connection to the server."""
