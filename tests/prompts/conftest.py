"""An explicit flag rewrites the golden prompts; the difference is then reviewed as code."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def update_prompts() -> bool:
    """Whether `UPDATE_PROMPTS=1` asks for the golden prompts to be written anew."""
    return os.environ.get("UPDATE_PROMPTS") == "1"
