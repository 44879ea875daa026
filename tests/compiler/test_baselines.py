"""Protocols that nobody thought about: they keep the contract, and are as wide as they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buffers.dataset import DataSet
from buffers.schema import TaskSchema
from protocol_designer.compiler import CompilerConfig
from protocol_designer.designers.baselines import DEFAULT_WIDTH, RandomDesigner
from protocol_designer.designers.choice import choose
from protocol_designer.designing import DesignConfig, DesignResult, design
from protocol_designer.types import Brief
from protocol_designer.validation import validate
from sai import Episodes, SaiConfig

QUICK = SaiConfig(updates=60, decision_updates=40, decoder_seeds=1, decision_shuffles=1, hidden=32)


def designed(name: str, data: DataSet, folder: Path, width: int | None = None, seed: int = 0) -> DesignResult:
    config = DesignConfig(seed=seed, max_message_width=width, compiler=CompilerConfig(2, 0), sai=QUICK)
    return design(data, choose(name).make_designer, config, folder, {"task": "beacon"})


def test_everything_to_everyone_keeps_every_field_of_every_sender(beacon_data: DataSet, tmp_path: Path) -> None:
    manifest = designed("everything", beacon_data, tmp_path / "d").manifest
    schema = beacon_data.schema
    assert sum(int(component["width"]) for component in manifest.message) == schema.n_agents * schema.extended_dim
    assert (manifest.designer, manifest.model) == ("everything", "none")
    assert manifest.scores[1]["keep"] is True
    assert manifest.scores[1]["card"]["gain"]["low"] > 0.1


def test_a_random_choice_is_as_wide_as_the_budget_and_the_seed_decides(beacon_data: DataSet, tmp_path: Path) -> None:
    """All fields and senders but one: whichever is left out, the beacon or agent 1's place is told."""
    schema = beacon_data.schema
    varying = 2 + len(schema.action_names) + schema.n_agents
    width = varying * schema.n_agents - 1
    result = designed("random", beacon_data, tmp_path / "d", width)
    assert sum(int(component["width"]) for component in result.manifest.message) == width
    again = designed("random", beacon_data, tmp_path / "again", width)
    assert (result.folder / "part0.py").read_text() == (again.folder / "part0.py").read_text()


@pytest.mark.parametrize("width", [1, 5, None])
def test_a_random_part_obeys_the_rules_and_draws_what_varies(beacon_schema: TaskSchema, width: int | None) -> None:
    rng = np.random.default_rng(0)
    extended = rng.normal(size=(3, 4, 3, beacon_schema.extended_dim)).astype(np.float32)
    extended[..., 1] = 0.5
    episodes = Episodes(extended, np.zeros((3, 4, 3), dtype=np.float32), np.ones((3, 4, 3), dtype=bool))
    designer = RandomDesigner({"fit": episodes})
    sources = set()
    for seed in range(3):
        proposal = designer.propose(Brief(beacon_schema, 0, (), None, width, 10, seed))
        assert proposal is not None
        assert validate(proposal.source, schema=beacon_schema, part=0) == []
        kept = proposal.source.count("_from_")
        assert kept == (width or min(DEFAULT_WIDTH, (beacon_schema.extended_dim - 1) * beacon_schema.n_agents))
        assert 'own["own.x"]' not in proposal.source
        sources.add(proposal.source)
    assert len(sources) == (3 if width else 1)
    assert designer.propose(Brief(beacon_schema, 1, ("",), {}, width, 10, 0)) is None
