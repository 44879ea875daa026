"""Language models behind one small interface; the SDKs are imported when a call is made."""

from protocol_designer.clients.errors import ClientError
from protocol_designer.clients.settings import DEFAULT_MODELS, KEY_VARIABLES, make_client
from protocol_designer.clients.types import Client, Completion, Message, OnDelta, Usage

__all__ = [
    "DEFAULT_MODELS",
    "KEY_VARIABLES",
    "Client",
    "ClientError",
    "Completion",
    "Message",
    "OnDelta",
    "Usage",
    "make_client",
]
