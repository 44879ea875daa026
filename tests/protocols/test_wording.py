"""A protocol in words, the difference between two, and who signed which version."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from buffers.errors import NotFrozenError, RejectedError, UsageError
from generated_protocols.manifest import part_sources, read_manifest, read_schema
from generated_protocols.protocol import Protocol
from protocol_designer.reviewing import sign_off
from protocol_designer.wording import agent_lines, compare_protocols, part_lines

SHIPPED = Path(__file__).resolve().parents[2] / "generated_protocols" / "bane_vs_hM" / "llm-a"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "bane_vs_hM" / "mine"))


def write_part(folder: Path, source: str | bytes) -> None:
    (folder / "part0.py").write_bytes(source if isinstance(source, bytes) else source.encode())


def test_words_come_from_docstrings_and_the_manifest(folder: Path) -> None:
    manifest = read_manifest(folder)
    write_part(
        folder, '"""What  \n  it does."""\ndef send(own):\n    """Its\x1b[31m health."""\n    return {"x": own["x"]}\n'
    )
    sources = {0: part_sources(folder)[0]}
    lines = part_lines(sources, manifest)
    assert lines[0] == "part0: What it does."
    assert lines[1] == "  sends: Its [31m health."
    sent = [c for c in manifest.payload if c["part"] == 0]
    assert lines[2].strip().startswith(sent[0]["name"])
    assert lines[3] == "  keeps: everything that the others send, by sender"
    said = agent_lines(manifest, read_schema(folder))
    assert len(said) == 3
    bits = manifest.bandwidth["bits_per_step"][0]
    assert said[0].startswith("agent 0 baneling: speaks in ")
    assert said[0].endswith(f"{bits:.1f} bits a step")


@pytest.mark.parametrize("source", ["def send(own:\n", b"\xff\xfe\x00", "x = '\x00'", "(" * 5000])
def test_an_edit_under_way_is_no_reason_to_show_nothing(folder: Path, source: str | bytes) -> None:
    write_part(folder, source)
    assert part_lines(part_sources(folder), read_manifest(folder))[0] == "part0:"


def test_a_protocol_does_not_differ_from_itself(folder: Path) -> None:
    found = compare_protocols(folder, folder)
    assert (found.source, found.components, found.notes) == ("", (), ())
    assert all(before == after is not None for _, before, after in found.figures)


def test_a_difference_names_components_widths_and_why_figures_do_not_compare(folder: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    manifest = json.loads((other / "manifest.json").read_text())
    first = manifest["payload"][0]
    first["width"] += 2
    gone = manifest["message"].pop()
    manifest["data_set"]["hash"] = "another"
    (other / "manifest.json").write_text(json.dumps(manifest))
    (other / "part1.py").write_text("# shorter\r\n# \x1b[2J\n", newline="")
    (other / "part2.py").unlink()
    found = compare_protocols(folder, other)
    assert found.components == (
        {
            "what": "sent",
            "part": first["part"],
            "component": first["name"],
            "before": first["width"] - 2,
            "after": first["width"],
        },
        {"what": "kept", "part": gone["part"], "component": gone["name"], "before": gone["width"], "after": None},
    )
    figures = {name: (before, after) for name, before, after in found.figures}
    before, after = figures["numbers sent"]
    assert before is not None
    assert after == before + 2
    assert "+# shorter\n+# \N{REPLACEMENT CHARACTER}[2J\n" in found.source
    assert f"--- {folder / 'part2.py'}\n+++ /dev/null\n" in found.source
    assert [note.split(":")[0] for note in found.notes] == [
        f"{other} was edited since it was frozen (part1.py, part2.py)",
        "they were scored on different episodes",
    ]


def test_one_side_may_be_a_frozen_version_or_never_frozen(folder: Path, tmp_path: Path) -> None:
    version = folder / "frozen" / str(read_manifest(folder).frozen)
    assert compare_protocols(version, folder).source == ""
    new = tmp_path / "new"
    new.mkdir()
    write_part(new, "def send(own):\n    return {'x': own['own.health']}\n")
    found = compare_protocols(folder, new)
    assert found.notes == (f"{new} was never frozen: nothing of it is measured",)
    assert all(after is None for _, _, after in found.figures)
    with pytest.raises(RejectedError, match=r"holds no part0\.py"):
        compare_protocols(folder, tmp_path)


def test_a_sign_off_is_of_one_version_and_changes_nothing_else(folder: Path) -> None:
    before = read_manifest(folder)
    entry, new = sign_off(folder, " Ann ", "the corner is well found")
    assert new
    assert (entry["name"], entry["version"]) == ("Ann", str(before.frozen))
    again, new = sign_off(folder, "Ann", "the corner is well found")
    assert (again, new) == (entry, False)
    after = read_manifest(folder)
    assert list(after.reviewed_by) == [*before.reviewed_by, entry]
    assert replace(after, reviewed_by=()) == replace(before, reviewed_by=(), joint=[])
    Protocol.load(folder, read_schema(folder))  # still frozen


def test_what_is_not_frozen_as_it_stands_is_not_signed(folder: Path) -> None:
    kept = (folder / "manifest.json").read_bytes()
    for name in ("", "  ", "two\nlines", "x" * 201, "\x1b[31m"):
        with pytest.raises(UsageError):
            sign_off(folder, name)
    with (folder / "part0.py").open("a") as part:
        part.write("# edited\n")
    with pytest.raises(NotFrozenError, match=r"part0\.py changed since.*freeze it first"):
        sign_off(folder, "Ann")
    assert (folder / "manifest.json").read_bytes() == kept
