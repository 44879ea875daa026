"""A reply that a person pastes into the terminal, or saves and confirms."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from protocol_designer.commands.console import wait_for_reply


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "a.prompt.md").write_text("# Write a part\n", encoding="utf-8")
    return tmp_path / "a.prompt.md", tmp_path / "a.reply.md"


def answer(text: str, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr("sys.stdin", Terminal(text))
    return wait_for_reply(*files)


def test_the_prompt_is_shown_and_a_pasted_reply_ends_with_end(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer("Here:\n\n```python\nx = 1\n```\nEND\nnot this\n", files, monkeypatch)
    assert files[1].read_text() == "Here:\n\n```python\nx = 1\n```\n"
    shown = capsys.readouterr()
    assert "# Write a part" in shown.err
    assert str(files[1]) in shown.err
    assert not shown.out


def test_enter_looks_for_the_file_and_the_end_of_input_stops(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer("\n", files, monkeypatch)
    assert not answer("", files, monkeypatch)
    assert not answer("half a reply\n", files, monkeypatch)
    assert not files[1].exists()


def test_nobody_is_asked_where_there_is_no_terminal(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("text\nEND\n"))
    assert not wait_for_reply(*files)
    assert not capsys.readouterr().err
