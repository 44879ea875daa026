"""The communication protocol as something to compile: what it is run on, what refuses it, and what a score tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from buffers.dataset import DataSet
from buffers.errors import RejectedError
from protocol_designer.designers.field_views import extended_views, state_views
from protocol_designer.designing import read_split
from protocol_designer.protocol_contract import ProtocolContract, ProtocolRun, Recorded
from protocol_designer.protocol_score import ProtocolScore, shuffled_feedback
from protocol_designer.sandbox import Sandbox
from protocol_designer.store import Store
from sai import SaiConfig, Scorecard

BEACON = """def send(own):
    return {"beacon": own["beacon.x"] * own.is_role("scout"), "own": own["own.x"]}
"""
QUICK = SaiConfig(updates=60, decision_updates=40, decoder_seeds=1, hidden=32)


@pytest.fixture(scope="module")
def recorded(beacon_data: DataSet) -> dict[str, Recorded]:
    return {name: read_split(beacon_data, name) for name in ("fit", "select")}  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


def contract(data: DataSet, recorded: dict[str, Recorded], sandbox: Sandbox, width: int | None) -> ProtocolContract:
    return ProtocolContract(data.schema, recorded, sandbox, window=10, max_message_width=width)


@pytest.fixture(scope="module")
def outcome(beacon_data: DataSet, recorded: dict[str, Recorded], sandbox: Sandbox) -> ProtocolRun:
    found = contract(beacon_data, recorded, sandbox, 6).run((BEACON,))
    assert found.outcome is not None
    return found.outcome


def test_a_run_gives_what_receivers_keep_on_each_split(outcome: ProtocolRun, recorded: dict[str, Recorded]) -> None:
    """By sender: three entries of each component. The scout's beacon reaches agent 1; its own slot is empty."""
    select = recorded["select"].episodes
    full, empty = outcome.messages["select"].full, outcome.messages["select"].empty
    assert full.shape == (*select.valid.shape, 6)
    np.testing.assert_array_equal(full[:, :, 1, 0], select.extended[:, :, 0, 0])
    np.testing.assert_array_equal(full[:, :, 1, 5], select.extended[:, :, 2, 1])
    assert not full[:, :, 1, [1, 2, 4]].any()
    assert not empty.any()
    assert outcome.bandwidth.total == 64 + 32 + 32


def test_a_message_budget_is_the_one_that_the_prompt_quotes(
    beacon_data: DataSet, recorded: dict[str, Recorded], sandbox: Sandbox
) -> None:
    found = contract(beacon_data, recorded, sandbox, 5).run((BEACON,))
    assert found.outcome is None
    (diagnostic,) = found.diagnostics
    assert diagnostic.code == "PD460"
    assert "keep 6 numbers, the budget is 5" in diagnostic.message


def test_feedback_names_who_could_tell_whom(
    beacon_data: DataSet, recorded: dict[str, Recorded], outcome: ProtocolRun, tmp_path: Path
) -> None:
    """The scout alone knows the beacon, and agent 1 where it is itself."""
    store = Store(tmp_path / "d", {})
    score = ProtocolScore(beacon_data.schema, recorded, store, QUICK, data_hash="x")
    before = score.feedback(None, 1)
    assert [(source["field"], source["agents"]) for source in before["sources"]] == [
        ("beacon.x", [0]),
        ("agent_1.x", [1]),
    ]
    after = score.feedback(outcome, 1)
    assert after["success"][1]["beacon.x"] > before["success"][1]["beacon.x"] + 0.2
    assert {row["field"] for row in after["rows"]} == {"beacon.x", "agent_1.x"}
    assert len(after["part_rows"]) == 5 * 3 * 2
    scores = sorted(path.name for path in (tmp_path / "d/scores").iterdir())
    score.feedback(outcome, 2)
    assert sorted(path.name for path in (tmp_path / "d/scores").iterdir()) == scores
    other = ProtocolScore(beacon_data.schema, recorded, store, QUICK, data_hash="x", fields=(0,))
    assert {row["field"] for row in other.feedback(outcome, 1)["rows"]} == {"beacon.x"}


@pytest.mark.parametrize(
    ("success", "recovered", "balanced"),
    [
        ([0.95, 0.99, 0.96, 0.97], True, True),
        ([0.80, 0.82, 0.60, 0.64], False, True),
        ([0.80, 0.90, 0.60, 0.64], False, False),
    ],
)
def test_a_pass_is_skipped_when_what_it_is_for_holds_already(
    beacon_data: DataSet,
    recorded: dict[str, Recorded],
    outcome: ProtocolRun,
    tmp_path: Path,
    success: list[float],
    recovered: bool,
    balanced: bool,
) -> None:
    """Two agents on two fields: everything known to 95 % needs no recovery, a spread of 0.05 no balance."""

    class Known(ProtocolScore):
        def card(self, run: ProtocolRun | None, split: str = "select") -> Any:
            rows = {"agent": [0, 1, 0, 1], "field": ["a", "a", "b", "b"], "success_full": success, "scored": True}
            spread = {"field": ["a", "b"], "spread_full": [success[1] - success[0], success[3] - success[2]]}
            return Scorecard(pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame(spread), {}, 1)

    score = Known(beacon_data.schema, recorded, Store(tmp_path / "d", {}), QUICK, data_hash="x")
    assert score.satisfied(outcome, 1) is recovered
    assert score.satisfied(outcome, 2) is balanced
    assert not score.satisfied(outcome, 0)
    assert not score.satisfied(None, 1)


def test_fields_are_described_by_what_was_measured_and_by_who_sees_them(
    beacon_data: DataSet, recorded: dict[str, Recorded]
) -> None:
    fit = recorded["fit"].episodes
    views = {view.name: view for view in extended_views(beacon_data.schema, fit)}
    assert views["beacon.x"].seen == {"scout": 1.0, "worker": 0.0}
    assert views["agent_id.agent_1"].seen == {"scout": 0.0, "worker": 0.5}
    assert views["own.x"].low == pytest.approx(float(fit.extended[..., 1].min()), abs=1e-4)
    assert views["own.x"].high == pytest.approx(float(fit.extended[..., 1].max()), abs=1e-4)
    size = state_views(beacon_data.schema, fit)[2]
    assert (size.name, size.low, size.high, size.seen) == ("world.size", 0.5, 0.5, {})


def test_shuffled_feedback_has_the_same_figures_in_other_places() -> None:
    rows = [
        {"agent": agent, "field": name, "success_full": agent / 10 + len(name)} for agent in range(4) for name in "ab"
    ]
    sources = [{"field": name, "agents": [place]} for place, name in enumerate("abcdef")]
    given = {"rows": rows, "part_rows": rows, "imbalance": rows, "sources": sources, "summary": {"gain": 1}}
    dealt = shuffled_feedback(given, [0, 1])
    labels = [(row["agent"], row["field"]) for row in rows]
    for name in ("rows", "part_rows", "imbalance"):
        assert [(row["agent"], row["field"]) for row in dealt[name]] == labels
        figures = [row["success_full"] for row in dealt[name]]
        assert figures != [row["success_full"] for row in rows]
        assert sorted(figures) == sorted(row["success_full"] for row in rows)
    assert dealt["sources"] != sources
    assert dealt == shuffled_feedback(given, [0, 1]) != shuffled_feedback(given, [0, 2])
    assert dealt["summary"] == {"gain": 1}


def test_where_no_message_could_tell_anything_that_is_said(
    beacon_data: DataSet, recorded: dict[str, Recorded], tmp_path: Path
) -> None:
    """With a headroom of 1 whatever is known at all counts as known, as on a task where every agent sees everything."""
    generous = replace(QUICK, headroom=1.0)
    score = ProtocolScore(beacon_data.schema, recorded, Store(tmp_path / "d", {}), generous, data_hash="x")
    with pytest.raises(RejectedError, match=r"every agent knows every state field.*gather more --episodes"):
        score.card(None)
