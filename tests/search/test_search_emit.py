"""What the search computed is what the emitted source computes: every source, form and role, run under the contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from buffers.schema import TaskSchema
from generated_protocols.protocol import Protocol
from protocol_designer.designers.search.candidates import components_of, sources
from protocol_designer.designers.search.components import Component, Listener
from protocol_designer.designers.search.emit import write_part
from protocol_designer.designers.search.selection import Chosen, Interval
from protocol_designer.validation import validate

WINDOW = 6
GAIN = Interval(0.1, 0.05, 0.15)


def kinds(schema: TaskSchema) -> list[Component]:
    """Return one component of each kind: form, role, addressed, differences, gates, and one column or more."""
    found: dict[tuple[object, ...], Component] = {}
    for source in sources(schema, lambda name: True, 2):
        for one in components_of(schema, source, lambda sender, column: True):
            column = one.columns[0]
            shape = (one.form, one.role, one.addressed, column.minus is None, bool(column.gates), len(one.columns) > 1)
            found.setdefault(shape, one)
    return list(found.values())


def heard_by(schema: TaskSchema, data: Any, component: Component, receiver: int, pooled: int) -> NDArray[np.float32]:
    listener = Listener(schema, data.extended, data.valid, WINDOW, pooled)
    found = [values for _, values in listener.hear(component, receiver)]
    return np.stack(found, axis=-1) if found else np.zeros((*data.valid.shape[:2], 0), dtype=np.float32)


def nonzero(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the columns of `[R, C]` that say something, in an order that only their values decide."""
    kept = values[:, np.abs(values).max(axis=0, initial=0) > 1e-6]
    return kept[:, np.lexsort(np.round(kept, 4))]


@pytest.mark.parametrize(("wide", "pooled"), [(1000, 4), (0, 4), (0, 1)], ids=["default inbox", "receive", "pooled"])
def test_the_source_says_what_the_search_measured(
    schema: TaskSchema, few: Mapping[str, Any], wide: int, pooled: int
) -> None:
    episodes = few["toy"]
    for component in kinds(schema):
        source = write_part(schema, 0, [Chosen(component, GAIN)], pooled_senders=pooled, wide=wide, why=["A reason."])
        protocol = Protocol.from_sources([source], schema, window=WINDOW)
        messages = protocol.messages(episodes.extended, episodes.valid)
        for receiver in range(schema.n_agents):
            alive = episodes.valid[:, :, receiver]
            mine = nonzero(heard_by(schema, episodes, component, receiver, pooled)[alive])
            theirs = nonzero(messages[:, :, receiver][alive])
            assert mine.shape == theirs.shape, component.name
            np.testing.assert_allclose(theirs, mine, atol=1e-5, err_msg=component.name)


def test_all_kinds_pass_the_validator_in_one_part(schema: TaskSchema) -> None:
    chosen = [Chosen(component, GAIN) for component in kinds(schema)[:20]]
    source = write_part(schema, 1, chosen, pooled_senders=4, wide=0, why=['Quotes """ and \\ do no harm.'])
    assert validate(source, schema=schema, part=1) == []


def test_a_receive_names_each_speaker(schema: TaskSchema) -> None:
    chosen = [Chosen(c, GAIN) for c in kinds(schema) if c.form == "now" and not c.addressed]
    source = write_part(schema, 0, chosen, pooled_senders=4, wide=0, why=[])
    protocol = Protocol.from_sources([source], schema, window=WINDOW)
    narrow = sum(c.width * len(c.senders) for c in (entry.component for entry in chosen))
    assert sum(c.width for c in protocol.components) == narrow
