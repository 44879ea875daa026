"""No key is ever written, however its characters are written."""

from __future__ import annotations

import json

import pytest

from protocol_designer.clients.secrets import scrub


@pytest.mark.parametrize("key", ["sk-plain-123456", 'sk-"quoted"-1', "sk-back\\slash", "sk-ünïcode-9"])
def test_a_key_is_scrubbed_from_text_and_from_json(key: str) -> None:
    environment = {"OPENAI_API_KEY": key}
    text = f"wrong key {key} given"
    for written in (text, json.dumps({"error": text}), json.dumps({"error": text}, ensure_ascii=False)):
        cleaned = scrub(written, environment)
        assert "[key]" in cleaned
        assert key not in cleaned
        assert json.dumps(key)[1:-1] not in cleaned


def test_placeholders_are_left_alone() -> None:
    assert scrub("none of this", {"OPENAI_API_KEY": "none"}) == "none of this"
