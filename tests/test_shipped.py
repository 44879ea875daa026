"""The shipped protocols: frozen as they are, for the tasks as they are, and what their transcripts say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generated_protocols.manifest import part_sources, read_manifest
from generated_protocols.protocol import Protocol
from marl_runtime.tasks import find_task
from protocol_designer.reply import Module, find_module
from protocol_designer.screen import show_design
from protocol_designer.transcript import Transcript
from protocol_designer.validation import validate

ROOT = Path(__file__).parents[1] / "generated_protocols"
SHIPPED = sorted(path.parent for path in ROOT.glob("*/llm-*/manifest.json"))
each = pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: f"{folder.parent.name}/{folder.name}")


def test_there_is_one_for_every_task_that_a_model_has_designed_for() -> None:
    assert {folder.parent.name for folder in SHIPPED} == {"1o_2r_vs_4r", "bane_vs_hM", "Foraging-1s-8x8-2p-2f-coop"}
    assert len([folder for folder in SHIPPED if folder.parent.name == "1o_2r_vs_4r"]) >= 3


@each
def test_it_is_frozen_for_its_task_and_was_reviewed(folder: Path) -> None:
    schema = find_task(folder.parent.name).schema
    protocol = Protocol.load(folder, schema)
    manifest = read_manifest(folder)
    assert protocol.message_dim == sum(int(component["width"]) for component in manifest.message)
    assert manifest.designer == "manual"
    assert manifest.model
    assert manifest.reviewed_by
    assert manifest.scores[-1]["card"]["gain"]["low"] > 0
    for number, source in part_sources(folder).items():
        assert validate(source.decode(), schema=schema, part=number) == []


@pytest.mark.parametrize("task", ["1o_2r_vs_4r", "bane_vs_hM", "Foraging-1s-8x8-2p-2f-coop"])
def test_what_search_found_and_the_sweeps_train_with_is_frozen_as_it_is(task: str) -> None:
    folder, schema = ROOT / task / "search-a", find_task(task).schema
    protocol = Protocol.load(folder, schema)
    manifest = read_manifest(folder)
    assert (manifest.designer, manifest.task) == ("search", task)
    assert protocol.message_dim == sum(int(component["width"]) for component in manifest.message)
    assert manifest.scores[-1]["card"]["gain"]["low"] > 0
    for number, source in part_sources(folder).items():
        assert validate(source.decode(), schema=schema, part=number) == []


@each
def test_its_parts_are_what_the_model_wrote(folder: Path) -> None:
    schema = find_task(folder.parent.name).schema
    exchanges = Transcript.stored(folder / "transcript.jsonl", schema)
    written = []
    for exchange in exchanges:
        if exchange.call.role in ("write_part", "repair") and exchange.completion is not None:
            module = find_module(exchange.completion.text)
            assert isinstance(module, Module)
            written.append(module.source)
    parts = [source.decode() for source in part_sources(folder).values()]
    assert parts
    assert [source for source in dict.fromkeys(written) if source in parts] == parts
    roles = [exchange.call.role for exchange in exchanges]
    assert roles[:2] == ["choose_fields", "write_part"]
    assert all(exchange.prompts for exchange in exchanges)


@pytest.mark.parametrize("damage", ["", "agent,field\n0,a\n", "\x00\x01", "a\nb,c,d\n"])
def test_a_damaged_table_of_its_scores_is_named_and_the_rest_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(SHIPPED[0], folder)
    file = folder / "scores" / "none" / "table.csv"
    file.write_text(damage)
    show_design(folder, read_manifest(folder), folder.parent.name, found=True)
    shown = capsys.readouterr().out
    assert f"({file} is damaged: " in shown
    assert "each agent keeps" in shown
    file.unlink()
    show_design(folder, read_manifest(folder), folder.parent.name, found=True)
    assert "tables of the scores were removed" in capsys.readouterr().out
