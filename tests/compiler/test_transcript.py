"""Exchanges on disk: whole lines, no keys, and nothing of another task or version."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from compiler_fakes import SCHEMA

from buffers.errors import CorruptFileError, LayoutMismatchError, UsageError
from protocol_designer.clients.types import Completion, Usage
from protocol_designer.transcript import CallName, Exchange, Transcript

WRITE = CallName(1, 0, "write_part")


def exchange(text: str = "a reply", prompt: str = "write", call: CallName = WRITE) -> Exchange:
    usage = Usage(1_000, 50, 800, 0, 10)
    completion = Completion(text, "stop", usage, "req_1", "some-model", ("a note",))
    messages = ({"role": "user", "content": prompt},)
    return Exchange(call, "system", messages, 100, completion, "", "openai", 0.25, 1.5, {"system": "1"})  # type: ignore[arg-type]


def test_an_exchange_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    written = Transcript(path, SCHEMA)
    written.append(exchange("first\r\nreply"))
    written.append(replace(exchange(), completion=None, error="it failed", cost=None))
    assert Transcript(path, SCHEMA).exchanges == written.exchanges
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {"transcript": 1, "task": "words", "layout_hash": SCHEMA.layout_hash}
    assert lines[1]["reply"]["text"] == "first\r\nreply"
    assert [line["cost_usd"] for line in lines[1:]] == [0.25, "unknown"]


def test_a_question_is_found_again_by_its_call_and_its_text(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "transcript.jsonl", SCHEMA)
    asked = exchange()
    transcript.append(replace(asked, completion=None, error="broke off"))
    assert transcript.find(WRITE, asked.key) is None
    transcript.append(asked)
    found = transcript.find(WRITE, asked.key)
    assert found is not None
    assert found.completion == asked.completion
    assert transcript.find(WRITE, exchange(prompt="write!").key) is None
    assert transcript.find(CallName(1, 1, "write_part"), asked.key) is None


def test_a_line_that_a_kill_cut_short_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    transcript = Transcript(path, SCHEMA)
    transcript.append(exchange("kept"))
    whole = path.read_bytes()
    line = whole.splitlines()[1]
    for cut in (1, len(line) // 2, len(line)):
        path.write_bytes(whole + line[:cut])
        again = Transcript(path, SCHEMA)
        assert [e.completion.text for e in again.exchanges if e.completion] == ["kept"]
        assert path.read_bytes() == whole
    again.append(exchange("next"))
    assert len(Transcript(path, SCHEMA).exchanges) == 2


def test_a_first_line_that_was_cut_short_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text('{"transcript": 1, "ta')
    transcript = Transcript(path, SCHEMA)
    transcript.append(exchange())
    assert len(Transcript(path, SCHEMA).exchanges) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"transcript": 9}, "version 9, this program reads 1"),
        ({"task": "other"}, "of task 'other', not 'words'"),
        ({"layout_hash": "0" * 64}, "another layout of 'words': 000000000000"),
    ],
)
def test_what_was_made_for_something_else_is_refused_with_what_differs(
    tmp_path: Path, change: dict[str, object], says: str
) -> None:
    path = tmp_path / "transcript.jsonl"
    Transcript(path, SCHEMA).append(exchange())
    first, rest = path.read_text(encoding="utf-8").split("\n", 1)
    path.write_text(json.dumps(json.loads(first) | change) + "\n" + rest, encoding="utf-8")
    with pytest.raises(LayoutMismatchError, match=says):
        Transcript.stored(path, SCHEMA)


@pytest.mark.parametrize("content", ["", "hello\n", '{"a": 1}\n', "[1]\n"])
def test_what_is_no_transcript_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text(content)
    with pytest.raises(CorruptFileError, match=r"transcript\.jsonl"):
        Transcript.stored(path, SCHEMA)
    with pytest.raises(UsageError, match="no transcript at"):
        Transcript.stored(tmp_path / "nothing", SCHEMA)


def test_a_line_of_another_form_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    Transcript(path, SCHEMA).append(exchange())
    header, line = path.read_text(encoding="utf-8").splitlines()
    damaged = json.loads(line)
    damaged["reply"]["usage"] = 12
    path.write_text(f"{header}\n{line}\n{json.dumps(damaged)}\n", encoding="utf-8")
    with pytest.raises(CorruptFileError, match=r"transcript\.jsonl, line 3, is damaged: .*at `\$\.reply\.usage`"):
        Transcript.stored(path, SCHEMA)


def test_no_key_is_written_even_when_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary-123")
    path = tmp_path / "transcript.jsonl"
    Transcript(path, SCHEMA).append(replace(exchange("the key is sk-canary-123"), error="sk-canary-123?"))
    assert "sk-canary-123" not in path.read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8").count("[key]") == 2
