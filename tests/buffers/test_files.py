"""A JSON file that is cut, damaged or something else is one clear error that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from buffers.errors import CorruptFileError, ResourceError
from buffers.files import held, read_json_object
from generated_protocols.manifest import read_schema
from marl_runtime.metrics import read_metrics


def test_an_object_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": [1, "\u00e9"]}', encoding="utf-8")
    assert read_json_object(tmp_path / "a.json") == {"a": [1, "\u00e9"]}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "half-written or damaged"),
        (b'{"a": 1', "half-written or damaged"),
        (b"\x00\xff", "half-written or damaged"),
        (b"[" * 200_000, "half-written or damaged"),
        (b"[]", "holds a list, expected an object"),
        (b"3", "holds a number, expected an object"),
    ],
)
def test_anything_else_is_named_with_its_place(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "schema.json"
    file.write_bytes(content)
    for read in (lambda: read_json_object(file), lambda: read_schema(tmp_path)):
        with pytest.raises(CorruptFileError, match=f"schema.json.*{says}"):
            read()


def test_what_is_held_cannot_be_held_again_until_it_is_let_go(tmp_path: Path) -> None:
    with (
        held(tmp_path / ".lock", "trained"),
        pytest.raises(ResourceError, match="is being trained by another process"),
        held(tmp_path / ".lock", "trained"),
    ):
        pytest.fail("it was held twice")
    with held(tmp_path / ".lock", "trained"):
        pass


def test_holding_a_file_does_not_change_it(tmp_path: Path) -> None:
    (tmp_path / "design.json").write_text("{}")
    with held(tmp_path / "design.json", "designed"):
        assert (tmp_path / "design.json").read_text() == "{}"


def test_a_file_that_is_not_there_is_left_to_the_caller(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_json_object(tmp_path / "none.json")
    with pytest.raises(CorruptFileError, match="missing"):
        read_schema(tmp_path)


@pytest.mark.parametrize("bad", [b'{"step": 2', b"[]", b'{"loss": 1}', b"\xff\xfe", b"null"])
def test_a_log_is_read_up_to_what_is_damaged(tmp_path: Path, bad: bytes) -> None:
    (tmp_path / "metrics.jsonl").write_bytes(b'{"step": 1}\n' + bad + b'\n{"step": 3}\n')
    assert read_metrics(tmp_path) == [{"step": 1}]
