"""A design's chapter against the files it is made of; what is damaged is named and the rest is shown."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from protocol_designer.reporting import design_chapter, is_design
from protocol_designer.reporting.cost import component_rows, gain_rows, link_graph
from protocol_designer.reporting.reading import read_design
from reporting.page import plain


def chart(chapter: Any, title: str) -> Any:
    """Return the block of this title, wherever it is."""

    def found(value: Any) -> Any:
        if isinstance(value, dict):
            if value.get("title") == title and "block" in value:
                return value
            value = list(value.values())
        if isinstance(value, list):
            return next((hit for inner in value if (hit := found(inner))), None)
        return None

    return found(plain(chapter))


def texts(chapter: Any) -> str:
    return json.dumps(plain(chapter), ensure_ascii=False)


def test_the_heat_map_holds_what_the_tables_hold(design: Path) -> None:
    rows = chart(design_chapter(design), "Known fields by agent, pass by pass")["spec"]["data"]["values"]
    assert list(dict.fromkeys(row["stage"] for row in rows)) == [
        "no protocol", "after pass 0", "after pass 2", "empty inbox"
    ]  # fmt: skip
    with (design / "scores" / "pass2" / "table.csv").open() as file:
        known = {(row["agent"], row["field"]): row for row in csv.DictReader(file)}
    for row in rows:
        if row["stage"] == "after pass 2":
            mine = known[row["agent"].split()[0], row["field"]]
            assert row["success"] == pytest.approx(float(mine["success_full"]))
        if row["stage"] == "empty inbox":
            mine = known[row["agent"].split()[0], row["field"]]
            assert row["success"] == pytest.approx(float(mine["success_empty"]))
    # 18 fields are scored of some agent; every one has a cell for each of 3 agents in each of 4 panels
    assert len(rows) == 18 * 3 * 4
    assert {row["name"] for row in rows} >= {"enemy_0.x (map units)", "agent_1.health (hit points)"}
    assert next(row["meaning"] for row in rows if row["field"] == "agent_0.x").startswith("how far east")


def test_gain_per_bit_is_what_a_part_added_over_what_it_added_to_the_traffic(design: Path) -> None:
    # part0: 0.28704 for 354 bits is 0.0811 per 100; part1: 0.003111 for 490 - 354 = 136 bits is 0.0023 per 100
    rows = gain_rows(read_design(design))
    assert [(row["part"], row["pass"], row["bits"]) for row in rows] == [("part0.py", 0, 354), ("part1.py", 2, 136)]
    assert [row["per_100_bits"] for row in rows] == pytest.approx([0.081085, 0.0022879], rel=1e-4)


def test_components_are_those_of_kept_attempts_with_the_numbers_they_send(design: Path) -> None:
    proposal = design / "attempts" / "0-0" / "proposal.json"
    told = json.loads(proposal.read_text())
    told["notes"]["components"] = [{"name": "near", "gain": 0.6}, {"name": "side", "gain": 0.4}]
    proposal.write_text(json.dumps(told))
    dropped = design / "attempts" / "1-0" / "proposal.json"
    told["notes"]["components"] = [{"name": "health", "gain": 5.0}]
    dropped.write_text(json.dumps(told))
    # near sends 3 numbers: 0.6 / 3; side is sent as side_x and side_y: 0.4 / 2; pass 1 was dropped
    rows = component_rows(read_design(design))
    assert [(row["component"], row["width"]) for row in rows] == [("near", 3), ("side", 2)]
    assert [row["per_number"] for row in rows] == pytest.approx([0.2, 0.2])


def test_a_link_goes_from_each_sender_to_each_other_agent() -> None:
    # two agents stand above each other, at (0, 1) and (0, -1); the second says nothing, so one link is left. It runs
    # straight down, beside the line between them by 0.05 to the west, and its head is turned by half a circle
    graph = link_graph(["0 a", "1 b"], [32.0, 0.0])
    (link,) = graph["layer"][0]["data"]["values"]
    assert (link["from"], link["to"], link["bits"]) == ("0 a", "1 b", 32)
    assert (link["x"], link["y"], link["x2"], link["y2"]) == pytest.approx((-0.05, 0.83, -0.05, -0.8))
    assert abs(link["angle"]) == pytest.approx(180)
    assert "0 a sends 32 bits per step; 1 b sends 0 bits per step" in graph["description"]


def test_the_time_line_has_every_call_with_its_texts(design: Path) -> None:
    chapter = design_chapter(design)
    rows = chart(chapter, "Calls of the language model")["spec"]["data"]["values"]
    assert len(rows) == 2 * 6
    lines = (design / "transcript.jsonl").read_text().splitlines()[1:]
    replies = [json.loads(line)["reply"]["text"] for line in lines]
    assert [row["size"] for row in rows if row["what"] == "reply"] == [len(text) for text in replies]
    everything = texts(chapter)
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in everything for text in replies)
    attempts = chart(chapter, "Attempts, in order")["rows"]
    assert [(row["pass"], row["outcome"]) for row in attempts] == [(0, "kept"), (1, "dropped"), (2, "kept")]
    assert attempts[0]["gain"] == pytest.approx(0.2870412)


def test_rejections_are_shown_with_their_findings(design: Path) -> None:
    finding = {"line": 3, "column": 1, "code": "PD301", "message": "import of 'os'", "hint": "leave it out", "file": ""}
    (design / "attempts" / "1-0" / "diagnostics.json").write_text(json.dumps([finding]))
    chapter = design_chapter(design)
    row = chart(chapter, "Attempts, in order")["rows"][1]
    assert (row["outcome"], row["reason"]) == ("rejected: 1 finding", "PD301 import of 'os'")
    assert chart(chapter, "Findings")["rows"] == [finding]


def test_an_edit_is_shown_as_a_diff_without_this_machine_s_paths(design: Path) -> None:
    source = (design / "part0.py").read_text()
    (design / "part0.py").write_text(source.replace('"side_x": (east', '"side_z": (east'))
    found = chart(design_chapter(design), "from version 2 to as it is now, not frozen")
    assert found["kind"] == "diff"
    assert '-        "side_x": (east - west) * scout,' in found["text"]
    assert '+        "side_z": (east - west) * scout,' in found["text"]
    assert str(design.parent) not in found["text"]
    assert "part0.py changed since the last freeze" in texts(design_chapter(design))


@pytest.mark.parametrize(
    ("name", "content", "told", "still"),
    [
        ("scores/pass2/table.csv", b"agent,role\n\xff", "scores/pass2/table.csv is damaged", "How it was made"),
        ("manifest.json", b"{", "manifest.json is half-written or damaged", "What each agent knows"),
        ("schema.json", b"[]", "schema.json holds a list", "What each agent knows"),
        (
            "transcript.jsonl",
            b'{"transcript": 1}\n{"call": 3}\n',
            "transcript.jsonl, line 2, is cut",
            "What each agent knows",
        ),
        ("attempts/0-0/decision.json", b'{"keep": "yes"}', "0-0/decision.json is damaged", "What each agent knows"),
        ("attempts/0-0/proposal.json", b"\x00", "0-0/proposal.json is half-written", "What each agent knows"),
        ("attempts/0-0/diagnostics.json", b"{", "0-0/diagnostics.json is half-written", "What each agent knows"),
    ],
)
def test_what_is_damaged_is_named_and_the_rest_is_shown(
    design: Path, name: str, content: bytes, told: str, still: str
) -> None:
    (design / name).write_bytes(content)
    chapter = design_chapter(design)
    first = chapter.sections[0]
    assert first.title == "What could not be read"
    assert any(told in block.text for block in first.blocks)  # type: ignore[union-attr]
    assert still in [section.title for section in chapter.sections]


def test_a_damaged_version_costs_its_diff_alone(design: Path) -> None:
    (design / "frozen" / "1" / "manifest.json").write_text("{")
    chapter = design_chapter(design)
    assert "What changed from version 1 to version 2 cannot be said" in texts(chapter)
    assert chart(chapter, "Pass by pass")["rows"][1]["decision"] == "kept"


def test_a_manifest_of_odd_values_loses_a_section_at_most(design: Path) -> None:
    manifest = json.loads((design / "manifest.json").read_text())
    manifest["bandwidth"] = {"bits_per_step": [1.0, 2.0, 3.0], "varying": [1], "speaking": []}
    manifest["scores"][1].pop("card")
    (design / "manifest.json").write_text(json.dumps(manifest))
    titles = [section.title for section in design_chapter(design).sections]
    assert "What each agent knows" in titles
    assert "How it was made" in titles


def test_a_folder_is_a_design_when_it_holds_one(design: Path, tmp_path: Path) -> None:
    assert is_design(design)
    assert is_design(design / "frozen" / "1")
    assert not is_design(tmp_path)
    (design / "config.json").write_text("{}")  # a run's own copy of a protocol lies a folder deeper
    assert not is_design(design)
