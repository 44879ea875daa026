"""From a recorded task to a frozen protocol with a language model: the six calls, what they are told, what is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from buffers.dataset import DataSet
from buffers.errors import RejectedError, ResourceError
from buffers.files import held
from buffers.schema import TaskSchema
from generated_protocols.manifest import read_manifest
from generated_protocols.protocol import Protocol
from protocol_designer.clients.errors import OverloadedError
from protocol_designer.clients.types import Completion, Message, OnDelta, Usage, say_nothing
from protocol_designer.compiler import CompilerConfig
from protocol_designer.conversation import CallLimits, Conversation, Replay
from protocol_designer.designers.language_model import LanguageModelDesigner, most_calls
from protocol_designer.designing import DesignConfig, DesignResult, design
from protocol_designer.freezing import Recording, freeze_edited
from protocol_designer.rescoring import recordings, score_folder
from protocol_designer.sandbox import Sandbox
from protocol_designer.store import Store
from protocol_designer.transcript import Transcript
from protocol_designer.types import Designer
from sai import Episodes, SaiConfig

FIELDS = 'These matter:\n```json\n["beacon.x", "agent_1.x"]\n```\n'
BEACON = """def send(own):
    return {"beacon": own["beacon.x"] * own.is_role("scout")}


def receive(own, inbox):
    return {"beacon": inbox["beacon"].sum(axis=1)}
"""
PLACES = """def send(own):
    return {"place": own["own.x"] * (own.agent_id == 1)}


def receive(own, inbox):
    return {"place": inbox["place"].sum(axis=1) * own.is_role("scout")}
"""
NOTHING = 'def send(own):\n    return {"age": own.age > 20}\n'
QUICK = SaiConfig(
    updates=60, decision_updates=40, decision_episodes=200, decoder_seeds=1, decision_shuffles=1, hidden=32
)


def fenced(source: str, language: str = "python") -> str:
    return f"Here it is.\n\n```{language}\n{source}```\nThat is all."


class Scripted:
    """A client that says one text after the other; None means that the connection breaks."""

    provider, model, price_list = "openai", "gpt-6-sol", "openai"

    def __init__(self, *texts: str | None) -> None:
        self.texts = list(texts)
        self.prompts: list[str] = []

    def complete(
        self, system: str, messages: Sequence[Message], max_output_tokens: int, on_delta: OnDelta = say_nothing
    ) -> Completion:
        text = self.texts.pop(0)
        if text is None:
            raise OverloadedError("it is gone")
        self.prompts.append(messages[-1]["content"])
        return Completion(text, "stop", Usage(5_000, 200, 0), "req", self.model)


def run(
    data: DataSet, folder: Path, client: Scripted, passes: int = 2, repairs: int = 1, **changes: int
) -> DesignResult:
    def make(schema: TaskSchema, episodes: Mapping[str, Episodes], store: Store) -> Designer:
        conversation = Conversation(
            client, Transcript(store.folder / "transcript.jsonl", schema), CallLimits(**changes)
        )
        return LanguageModelDesigner("openai", conversation, schema, episodes["fit"], repairs=repairs)

    config = DesignConfig(compiler=CompilerConfig(passes, repairs), sai=QUICK)
    return design(data, make, config, folder, {"task": "beacon"})


@pytest.fixture(scope="module")
def designed(beacon_data: DataSet, tmp_path_factory: pytest.TempPathFactory) -> tuple[DesignResult, Scripted]:
    folder = tmp_path_factory.mktemp("designed") / "d"
    texts = (FIELDS, fenced(BEACON), "send agent 1's place", fenced(PLACES), "nothing is left", fenced(NOTHING))
    client = Scripted(*texts)
    return run(beacon_data, folder, client), client


def test_the_published_six_calls_end_in_a_frozen_protocol(
    designed: tuple[DesignResult, Scripted], beacon_schema: TaskSchema
) -> None:
    result, client = designed
    assert [prompt.partition("\n")[0] for prompt in client.prompts] == [
        "# Choose the state fields that matter",
        "# Pass 0: write the first module",
        "# Pass 1: analyse what was measured",
        "# Pass 1: write the next module",
        "# Pass 2: analyse what was measured",
        "# Pass 2: write the next module",
    ]
    assert (result.folder / "part0.py").read_text() == BEACON
    assert (result.folder / "part1.py").read_text() == PLACES
    assert not (result.folder / "part2.py").exists()
    protocol = Protocol.load(result.folder, beacon_schema)
    assert protocol.message_dim == 1 + 1
    kept = [(score.get("pass"), score.get("keep")) for score in result.manifest.scores]
    assert kept == [(None, None), (0, True), (1, True), (2, False), ("held_out", None)]


def test_the_manifest_says_who_wrote_it_from_what_and_for_how_much(designed: tuple[DesignResult, Scripted]) -> None:
    manifest = designed[0].manifest
    assert (manifest.designer, manifest.model) == ("openai", "gpt-6-sol")
    assert set(manifest.prompt_versions) == {"_figures", "system", "choose_fields", "write_part", "analyse"}
    assert manifest.calls["requests"] == 6
    assert manifest.calls["input_tokens"] == 30_000
    assert manifest.calls["cost_usd"] > 0
    assert set(manifest.state_fields) == {"beacon.x", "agent_1.x"}


def test_the_model_sees_what_was_measured_and_no_figures_twice(designed: tuple[DesignResult, Scripted]) -> None:
    prompts = designed[1].prompts
    assert "send agent 1's place" in prompts[3]
    assert BEACON.strip() in prompts[3]
    rows = [line for line in prompts[2].splitlines() if line.count(", ") == 8]
    scored = {tuple(row.split(", ")[:3]) for row in rows[1:]}
    assert ("1", "worker", "beacon.x") in scored
    assert "early" in prompts[4]
    assert "success with, success without" not in prompts[4]
    assert not {line for line in prompts[2].splitlines() if "±0" in line} & set(prompts[4].splitlines())
    assert "Do not write them again" not in prompts[4]


def test_scored_again_it_is_worth_what_it_was(
    beacon_data: DataSet, designed: tuple[DesignResult, Scripted], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(designed[0].folder, folder)
    said = [entry for entry in read_manifest(folder).scores if entry.get("part")][-1]
    card, entry = score_folder(folder, beacon_data, config=QUICK)
    assert entry["card"]["success_full"] == pytest.approx(said["card"]["success_full"], abs=1e-9)
    assert set(card.table.field) == set(said["card"]["scored"])
    splits, scorer, _ = recordings(folder, beacon_data, config=QUICK)
    recorded = {name: Recording(value.extended, value.alive, value.episodes.valid) for name, value in splits.items()}
    with Sandbox() as sandbox, (folder / "part0.py").open("a") as part:
        part.write("# read by a person\n")
        part.flush()
        report = freeze_edited(folder, beacon_data.schema, sandbox, recorded=recorded, scorer=scorer)
    assert report.before is not None
    assert report.before.scores is not None
    assert report.before.scores["success_full"] == pytest.approx(said["card"]["success_full"], abs=1e-9)


def test_two_processes_do_not_design_in_one_folder(beacon_data: DataSet, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    with pytest.raises(OverloadedError):
        run(beacon_data, folder, Scripted(None))
    client = Scripted(FIELDS)
    with held(folder / "design.json", "designed"), pytest.raises(ResourceError, match="is being designed by another"):
        run(beacon_data, folder, client)
    assert not client.prompts


def test_every_attempt_is_kept_with_its_prompt_and_its_reply(designed: tuple[DesignResult, Scripted]) -> None:
    attempts = designed[0].folder / "attempts"
    assert sorted(path.name for path in attempts.iterdir()) == ["0-0", "1-0", "2-0"]
    assert (attempts / "2-0/source.py").read_text() == NOTHING
    assert (attempts / "2-0/reply.md").read_text() == fenced(NOTHING)
    assert "# Pass 2: write the next module" in (attempts / "2-0/prompt.md").read_text()
    assert json.loads((attempts / "2-0/decision.json").read_text())["keep"] is False
    assert json.loads((attempts / "1-0/proposal.json").read_text())["notes"]["chosen"] == ["beacon.x", "agent_1.x"]


def test_a_complete_design_is_found_and_asks_nothing(
    designed: tuple[DesignResult, Scripted], beacon_data: DataSet
) -> None:
    again = run(beacon_data, designed[0].folder, Scripted())
    assert again.found
    assert again.to_json()["manifest"] == json.loads(json.dumps(designed[0].manifest.to_json()))


def test_a_replay_gives_the_same_bytes_without_a_request(
    designed: tuple[DesignResult, Scripted], beacon_data: DataSet, tmp_path: Path
) -> None:
    stored = designed[0].folder / "transcript.jsonl"
    replays: list[Replay] = []

    def make(schema: TaskSchema, episodes: Mapping[str, Episodes], store: Store) -> Designer:
        own = Transcript(store.folder / "transcript.jsonl", schema)
        replays.append(Replay(Transcript.stored(stored, schema), str(stored), own))
        return LanguageModelDesigner("replay", replays[0], schema, episodes["fit"], repairs=1)

    config = DesignConfig(compiler=CompilerConfig(2, 1), sai=QUICK)
    result = design(beacon_data, make, config, tmp_path / "r", {"task": "beacon"})
    for name in ("part0.py", "part1.py"):
        assert (result.folder / name).read_bytes() == (designed[0].folder / name).read_bytes()
    assert replays[0].differing == []
    assert (result.manifest.designer, result.manifest.model) == ("replay", "gpt-6-sol")


def test_a_design_that_broke_off_goes_on_and_pays_for_nothing_twice(beacon_data: DataSet, tmp_path: Path) -> None:
    """The connection breaks in the analysis of pass 1, after a repair in pass 0."""
    bad = fenced("import os\n" + BEACON)
    first = Scripted(FIELDS, bad, fenced(BEACON), None)
    with pytest.raises(OverloadedError):
        run(beacon_data, tmp_path / "d", first, passes=1)
    second = Scripted("send agent 1's place", fenced(PLACES))
    result = run(beacon_data, tmp_path / "d", second, passes=1)
    assert len(first.prompts) + len(second.prompts) == 5
    assert [score.get("tries") for score in result.manifest.scores[1:3]] == [2, 1]
    assert result.manifest.calls["requests"] == 5


def test_a_repair_is_told_what_was_wrong_and_where(beacon_data: DataSet, tmp_path: Path) -> None:
    crash = BEACON.replace('own["beacon.x"] * own.is_role("scout")', 'own["beacon.x"].reshape(-1, 7)')
    client = Scripted(FIELDS, fenced(crash), "no code at all", fenced(BEACON))
    run(beacon_data, tmp_path / "d", client, passes=0, repairs=2)
    ran, no_module = client.prompts[2], client.prompts[3]
    assert "PD410" in ran
    assert "cannot reshape" in ran
    assert '2 |     return {"beacon": own["beacon.x"].reshape(-1, 7)}' in ran
    assert "Tries left" in ran
    assert "PD480" in no_module
    assert "This is the last try." in no_module
    assert json.loads((tmp_path / "d/attempts/0-1/diagnostics.json").read_text())[0]["code"] == "PD480"


def test_rejected_to_the_end_nothing_is_frozen_and_every_attempt_is_kept(beacon_data: DataSet, tmp_path: Path) -> None:
    client = Scripted(FIELDS, fenced("import os\n"), fenced("import sys\n"), "analysis", fenced(NOTHING))
    with pytest.raises(RejectedError, match=r"no part was worth keeping .*every attempt is kept"):
        run(beacon_data, tmp_path / "d", client, passes=1)
    assert not (tmp_path / "d/manifest.json").exists()
    assert not (tmp_path / "d/part0.py").exists()
    assert sorted(path.name for path in (tmp_path / "d/attempts").iterdir()) == ["0-0", "0-1", "1-0"]
    silent = Scripted()
    with pytest.raises(RejectedError, match="no part was worth keeping"):
        run(beacon_data, tmp_path / "d", silent, passes=1)


def test_an_answer_that_names_no_field_is_asked_for_once_more_and_then_all_are_scored(
    beacon_data: DataSet, tmp_path: Path
) -> None:
    client = Scripted('```json\n["beacon.y"]\n```', "none", fenced(BEACON))
    result = run(beacon_data, tmp_path / "d", client, passes=0)
    assert "beacon.y" in client.prompts[1]
    assert set(result.manifest.state_fields) == {"beacon.x", "agent_1.x"}


def test_the_most_calls_are_those_of_a_design_in_which_everything_fails() -> None:
    """Two tries to choose, three passes with three repairs each, two analyses."""
    assert most_calls(passes=2, repairs=3) == 2 + 3 * 4 + 2
