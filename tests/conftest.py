"""What holds for every test: no network but loopback, and Ctrl-C means what it means at a terminal."""

from __future__ import annotations

import ipaddress
import signal
import socket
from typing import Any

import pytest


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """What starts the tests may have signals ignored, in them and in all that they start: SIGINT a shell in the
    background, SIGHUP nohup.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Any:
    """A test that reaches for the network fails at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = "127.0.0.1" if address[0] == "localhost" else address[0]
            if not ipaddress.ip_address(host).is_loopback:
                raise AssertionError(f"a test tried to connect to {address}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]
