"""What the search writes on a toy whose answer is known: a scout sees the target, workers do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from buffers.schema import TaskSchema
from protocol_designer.designers.search import SearchConfig, SearchDesigner
from protocol_designer.types import Brief, Proposal, Rejection
from protocol_designer.validation import validate

Data = Mapping[str, Any]
CONFIG = SearchConfig(rows_per_regression=3000, screening_rows=2000, kept_sources=15)


def brief(schema: TaskSchema, pass_index: int = 0, **changes: Any) -> Brief:
    return replace(Brief(schema, pass_index, (), None, None, 10, 5), **changes)


def own_messages(sources: Sequence[str], extended: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Where the target is from the scout, as an accepted part would say it."""
    b, t, n, _ = extended.shape
    said = np.zeros((b, t, n, 2), dtype=np.float32)
    said[:, :, 1:] = (extended[:, :, :1, 5:7] * alive[:, :, :1, None]).repeat(n - 1, axis=2)
    return said


@pytest.fixture(scope="module")
def proposal(schema: TaskSchema, data: Data) -> Proposal:
    found = SearchDesigner(data, CONFIG).propose(brief(schema))
    assert found is not None
    return found


def test_the_scout_says_where_the_target_is(proposal: Proposal) -> None:
    scouts = [c["name"] for c in proposal.notes["components"] if "scout_target" in c["name"]]
    assert scouts
    assert proposal.notes["revealed"]["target.x"] > 0.3
    assert {"target.x", "target.y"} <= set(proposal.notes["target_fields"])


def test_the_change_of_frame_is_found_where_the_target_is_all_that_counts(schema: TaskSchema, data: Data) -> None:
    """In a worker's own frame the target is what the scout sees, minus the worker as the scout sees it."""
    designer = SearchDesigner(data, replace(CONFIG, opponent_weight=50.0, plain_weight=0.0))
    found = designer.propose(brief(schema))
    assert found is not None
    assert re.search(r'own\["target.relative_x"\]\[:, None\] - own.allies\("relative_x"\)', found.source)
    assert 'inbox.addressed("scout_target_for_x")' in found.source


def test_a_part_passes_the_validator_and_is_readable(proposal: Proposal, schema: TaskSchema) -> None:
    assert validate(proposal.source, schema=schema, part=0) == []
    assert proposal.source.startswith('"""Part 0 of the protocol for toy_scout')
    for component in proposal.notes["components"]:
        assert f"# gain {component['gain']:+.4f} [{component['low']:+.4f}, {component['high']:+.4f}]" in proposal.source
        assert f"- {component['name']}: every " in proposal.source


def test_the_same_seed_writes_the_same_text(proposal: Proposal, schema: TaskSchema, data: Data) -> None:
    again = SearchDesigner(data, CONFIG).propose(brief(schema))
    assert again == proposal


def test_nothing_is_proposed_where_nothing_tells_of_the_state(schema: TaskSchema, noise: Data) -> None:
    assert SearchDesigner(noise, CONFIG).propose(brief(schema)) is None


def test_at_most_six_lines(proposal: Proposal) -> None:
    returned = proposal.source.partition("def send")[2].partition("def receive")[0]
    assert 1 <= len(re.findall(r'^        "\w+":', returned, re.MULTILINE)) <= 6


@pytest.mark.parametrize("width", [3, 8])
def test_the_message_is_never_wider_than_allowed(
    schema: TaskSchema, data: Data, width: int, received: Callable[[str], Mapping[str, int]]
) -> None:
    found = SearchDesigner(data, CONFIG).propose(brief(schema, max_message_width=width))
    assert found is not None
    assert 1 <= sum(received(found.source).values()) <= width


def test_a_wide_inbox_is_narrowed_to_those_who_speak(
    schema: TaskSchema, data: Data, received: Callable[[str], Mapping[str, int]]
) -> None:
    found = SearchDesigner(data, replace(CONFIG, wide_message=6)).propose(brief(schema))
    assert found is not None
    assert "def receive(" in found.source
    assert not [name for name in received(found.source) if name.startswith("scout") and "_from_" in name]


def test_no_width_left_proposes_nothing(schema: TaskSchema, data: Data) -> None:
    designer = SearchDesigner(data, CONFIG, run_parts=own_messages)
    assert designer.propose(brief(schema, 1, accepted=("said",), max_message_width=2)) is None


def test_what_an_accepted_part_says_is_not_said_again(schema: TaskSchema, data: Data) -> None:
    first = SearchDesigner(data, CONFIG).propose(brief(schema))
    later = SearchDesigner(data, CONFIG, run_parts=own_messages).propose(brief(schema, 1, accepted=("said",)))
    assert first is not None
    assert "scout_target_xy" in {c["name"] for c in first.notes["components"]}
    assert later is None or "scout_target_xy" not in {c["name"] for c in later.notes["components"]}


def test_the_recovery_pass_goes_after_the_weak_fields(schema: TaskSchema, data: Data) -> None:
    """With the target known to all and agent 2 to nobody, only what tells of agent 2 is worth a line."""
    fields = [f.name for f in schema.state_fields]
    table = {agent: {name: 0.0 if name.startswith("agent_2") else 1.0 for name in fields} for agent in range(3)}
    found = SearchDesigner(data, CONFIG).propose(brief(schema, 1, feedback={"success": table}))
    assert found is not None
    revealed = found.notes["revealed"]
    assert max(revealed, key=lambda name: revealed[name]).startswith("agent_2")
    assert not any("target" in c["name"] for c in found.notes["components"])


def test_the_balance_pass_reads_parts_of_the_episode(schema: TaskSchema, data: Data) -> None:
    fields = [f.name for f in schema.state_fields]
    table = {
        f"agent_{agent}": {name: 0.9 if agent == 0 else 0.1 for name in fields if name.startswith("target")}
        for agent in range(3)
    }
    parts = {name: {"agent_1": 0.1} for name in ("early", "early_mid", "mid", "mid_late", "late")}
    found = SearchDesigner(data, CONFIG).propose(brief(schema, 2, feedback={"success": table, "parts": parts}))
    assert found is not None
    assert validate(found.source, schema=schema, part=2) == []
    assert any("scout_target" in c["name"] for c in found.notes["components"])


def test_a_repair_is_not_the_same_text_again(proposal: Proposal, schema: TaskSchema, data: Data) -> None:
    rejected = brief(schema, rejection=Rejection(proposal.source, ()))
    assert SearchDesigner(data, CONFIG).propose(rejected) is None


def test_the_real_decoder_has_the_last_word(schema: TaskSchema, data: Data) -> None:
    asked: list[str] = []

    def rescore(sources: Sequence[str]) -> float:
        asked.append(sources[-1])
        return -float(sources[-1].count("# gain"))

    found = SearchDesigner(data, CONFIG, rescore=rescore).propose(brief(schema))
    assert found is not None
    assert 2 <= len(asked) <= CONFIG.rescored_sets
    assert found.source in asked
    assert found.source.count("# gain") == min(source.count("# gain") for source in asked)


def test_the_budget_of_the_real_decoder_ends_it(schema: TaskSchema, data: Data) -> None:
    asked: list[str] = []

    def rescore(sources: Sequence[str]) -> float:
        asked.append(sources[-1])
        return 0.0

    SearchDesigner(data, replace(CONFIG, rescore_seconds=0.0), rescore=rescore).propose(brief(schema))
    assert len(asked) == 1


def test_roles_that_vary_are_never_asked_for(varying: tuple[TaskSchema, Data]) -> None:
    schema, data = varying
    found = SearchDesigner(data, CONFIG).propose(brief(schema))
    assert found is not None
    assert "is_role" not in found.source
    assert validate(found.source, schema=schema, part=0) == []


def test_both_splits_are_needed(data: Data) -> None:
    with pytest.raises(ValueError, match="missing: select"):
        SearchDesigner({"fit": data["fit"]})


def test_settings_quote_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"decay is 1\.5"):
        SearchConfig(decay=1.5)
    with pytest.raises(ValueError, match="max_components is 0"):
        SearchConfig(max_components=0)
