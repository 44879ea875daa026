"""Episodes recorded as data (`recording`, `playing`), then drawn as text (`terminal`) or as a page (`page`)."""

from __future__ import annotations

__all__: list[str] = []
