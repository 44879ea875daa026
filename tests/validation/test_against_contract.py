"""What the validator accepts runs under the contract, with the names that it allows."""

from __future__ import annotations

import numpy as np
import pytest
from validation_corpus import GOOD, small_schema

from generated_protocols import execution
from generated_protocols.protocol import Protocol
from protocol_designer.rules.allowed import BUILTINS
from protocol_designer.rules.limits import MAX_NAME_LENGTH
from protocol_designer.validation import validate

SCHEMA = small_schema()


def extended_observations() -> np.ndarray:
    """Two episodes of 12 steps, `[B, T, N, D]`, with the agents' ids where they belong."""
    extended = np.random.default_rng(0).normal(size=(2, 12, SCHEMA.n_agents, SCHEMA.extended_dim)).astype(np.float32)
    first = SCHEMA.extended_index("agent_id.agent_0")
    extended[..., first : first + SCHEMA.n_agents] = np.eye(SCHEMA.n_agents)
    return extended


@pytest.mark.parametrize("name", GOOD)
def test_good_protocols_run_and_give_finite_messages(name: str) -> None:
    extended = extended_observations()
    protocol = Protocol.from_sources([GOOD[name]], SCHEMA)
    messages = protocol.messages(extended, np.ones(extended.shape[:3], dtype=bool))
    assert messages.shape == (*extended.shape[:3], sum(c.width for c in protocol.components))
    assert np.isfinite(messages).all()
    assert messages.any()


def test_the_loader_offers_every_builtin_that_the_rules_allow() -> None:
    assert set(execution._BUILTINS) | {"True", "False", "None"} == BUILTINS


@pytest.mark.parametrize("length", [MAX_NAME_LENGTH, MAX_NAME_LENGTH + 1])
def test_rules_and_contract_agree_on_how_long_a_name_may_be(length: int) -> None:
    source = f"def send(own):\n    return {{'{'x' * length}': own['own.x']}}\n"
    found = {d.code for d in validate(source, schema=SCHEMA, part=0)}
    extended = extended_observations()
    alive = np.ones(extended.shape[:3], dtype=bool)
    if length <= MAX_NAME_LENGTH:
        assert not found
        Protocol.from_sources([source], SCHEMA).messages(extended, alive)
    else:
        assert found == {"PD404"}
        with pytest.raises(Exception, match="component named"):
            Protocol.from_sources([source], SCHEMA).messages(extended, alive)
