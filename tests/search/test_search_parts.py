"""The pieces under the search: sources, what is heard, regression, targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from buffers.schema import TaskSchema
from protocol_designer.designers.search.candidates import components_of, sources
from protocol_designer.designers.search.components import Column, Component, Listener, Reading
from protocol_designer.designers.search.rows import histories
from protocol_designer.designers.search.targets import feedback_success, target_values, targets_of

Data = Mapping[str, Any]


def everything(_: object) -> bool:
    return True


def component(name: str, form: str, senders: tuple[int, ...] = (0,), seen: str = "") -> Component:
    column = Column(Reading(name), seen=Reading(seen) if seen else None)
    return Component("c", "", (column,), form, "", senders)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def one_episode(schema: TaskSchema) -> np.ndarray:
    """The scout sees the target at steps 1 and 2 only, at x 0.5 and 0.25; three steps, window 2."""
    extended = np.zeros((1, 4, schema.n_agents, schema.extended_dim), dtype=np.float32)
    x, visible = schema.extended_index("target.relative_x"), schema.extended_index("target.visible")
    extended[0, 1:3, 0, x] = [0.5, 0.25]
    extended[0, 1:3, 0, visible] = 1
    return extended


@pytest.mark.parametrize(
    ("form", "heard"),
    [
        ("now", [[0, 0.5, 0.25, 0]]),
        ("sum", [[0, 0.5, 0.75, 0.25]]),
        ("mean", [[0, 0.25, 0.375, 0.125]]),
        ("last_seen", [[0, 0.5, 0.25, 0.25], [0, 0, 0, 0.5]]),  # and its age, as a share of the window
    ],
)
def test_forms_by_hand(schema: TaskSchema, one_episode: np.ndarray, form: str, heard: list[list[float]]) -> None:
    alive = np.ones((1, 4, schema.n_agents), dtype=bool)
    listener = Listener(schema, one_episode, alive, window=2, pooled_senders=4)
    said = listener.hear(component("target.relative_x", form, seen="target.visible"), receiver=1)
    np.testing.assert_allclose([values[0] for _, values in said], heard)


def test_nobody_hears_oneself_or_the_dead(schema: TaskSchema, one_episode: np.ndarray) -> None:
    alive = np.ones((1, 4, schema.n_agents), dtype=bool)
    alive[0, 2:, 0] = False
    listener = Listener(schema, one_episode, alive, window=2, pooled_senders=4)
    sent = component("target.relative_x", "now")
    assert listener.hear(sent, receiver=0) == []
    np.testing.assert_array_equal(listener.hear(sent, receiver=1)[0][1], [[0, 0.5, 0, 0]])


def test_large_roles_are_heard_as_the_mean_of_those_who_say_something(schema: TaskSchema) -> None:
    extended = np.zeros((1, 1, 3, schema.extended_dim), dtype=np.float32)
    extended[0, 0, :, schema.extended_index("target.relative_x")] = [0.5, 0.25, 0]
    listener = Listener(schema, extended, np.ones((1, 1, 3), dtype=bool), window=2, pooled_senders=2)
    sent = component("target.relative_x", "now", senders=(0, 1, 2))
    assert [listener.hear(sent, receiver)[0][1].item() for receiver in range(3)] == [0.25, 0.5, 0.375]


def test_what_never_varies_is_no_candidate(schema: TaskSchema) -> None:
    none = sources(schema, lambda name: False, 2)
    walls = sources(schema, lambda name: name.startswith("move."), 0)
    assert none == []
    assert {column.plus.name.partition(".")[0] for source in walls for column in source.columns} == {"move"}


def test_later_passes_add_products_and_anchors(schema: TaskSchema) -> None:
    names = [{source.name for source in sources(schema, everything, index)} for index in range(3)]
    assert "move_where_target" not in names[0]
    assert "move_where_target" in names[1]
    assert "target_from_agent_1" not in names[1]
    assert "target_from_agent_1" in names[2]


def test_a_role_that_has_nothing_to_say_is_left_out(schema: TaskSchema) -> None:
    target = next(source for source in sources(schema, everything, 0) if source.name == "target_xy")
    made = components_of(schema, target, lambda sender, column: sender == 0)
    assert {c.role for c in made} == {"scout"}


def test_histories_by_hand() -> None:
    values = np.array([1.0, 0.0, 2.0], dtype=np.float32)[None, :, None]
    now, mean, so_far, total = histories(values, decay=0.5)[0, :, 0].T
    np.testing.assert_allclose(now, [1, 0, 2])
    np.testing.assert_allclose(mean, [1, 0.5 / 1.5, 2.25 / 1.75], rtol=1e-6)
    np.testing.assert_allclose(so_far, [1, 0.5, 1])
    np.testing.assert_allclose(total, [1, 1, 3])


def test_relative_targets_are_the_state_minus_the_receiver(schema: TaskSchema) -> None:
    varies = [True] * schema.state_dim
    targets = targets_of(schema, varies, opponent_weight=4, plain_weight=0.5, relative_weight=1)
    state = np.arange(schema.state_dim, dtype=np.float32)[None].repeat(2, axis=0)
    values, present = target_values(targets, state, np.array([0, 2]))
    at = {target.name: index for index, target in enumerate(targets)}
    # agent i stands at (2i, 2i + 1), the target at (6, 7)
    np.testing.assert_array_equal(values[:, at["target.x from the receiver"]], [6, 2])
    np.testing.assert_array_equal(present[:, at["agent_2.y from the receiver"]], [True, False])
    assert targets[at["target.x"]].weight == 4
    assert targets[at["agent_0.x"]].weight == 1


def test_feedback_is_read_by_agent_number_or_name() -> None:
    feedback = {"success": {"0": {"x": 0.5}, "agent_1": {"x": 0.25, "y": float("nan")}, 7: {"x": 1.0}}}
    assert feedback_success(feedback, 3) == {(0, "x"): 0.5, (1, "x"): 0.25}
    assert feedback_success(None, 3) == {}
