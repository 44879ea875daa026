"""The contract: what parts see, that step by step equals in batch, and that rows are independent."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buffers.errors import CorruptFileError, LayoutMismatchError, NotFrozenError
from buffers.schema import Field, TaskSchema
from generated_protocols.bandwidth import Component, measure_bandwidth
from generated_protocols.contract import ContractError
from generated_protocols.manifest import Manifest, freeze, read_manifest
from generated_protocols.protocol import Protocol

N, T1 = 3, 7


def schema_of(n_agents: int = N, extra: int = 0) -> TaskSchema:
    ally = [
        Field(f"ally_{s}.{q}", q, low=-1) for s in range(n_agents - 1) for q in ("visible", "relative_x", "relative_y")
    ]
    enemy = [Field(f"enemy_0.{q}", q, low=-1) for q in ("distance", "relative_x", "relative_y")]
    more = [Field(f"own.extra_{k}", "extra") for k in range(extra)]
    return TaskSchema(
        "toy",
        "an overseer that sees and two that do not",
        ("overseer", *("roach",) * (n_agents - 1)),
        (*enemy, *ally, Field("own.health", "health"), *more),
        (Field("enemy_0.x", "x", low=-1),),
        ("stay", "go"),
        T1 - 1,
    )


SCHEMA = schema_of()
OVERSEER = '''
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """What the Overseer sees, and where its comrades are."""
    sees = own.is_role("overseer") & (own["enemy_0.distance"] > 0)
    near = own.allies("visible") * sees[:, None]
    return {"sees": sees, "roach_dx": own["enemy_0.relative_x"] * sees, "near": near,
            "ally_dx": own.allies("relative_x") * near}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    near = inbox.addressed("near")
    return {"roach_dx": ((inbox["roach_dx"] - inbox.addressed("ally_dx")) * near).sum(axis=1),
            "known": near.max(axis=1), "heard": inbox["sees"].max(axis=1)}
'''
SAYS_HEALTH = "def send(own):\n    return {'x': own['own.health']}"
HISTORY = """
import numpy as np


def send(own):
    past = own.past("enemy_0.relative_x")
    moves = own.past("last_action.*")
    return {"mean": past.mean(axis=1), "sum": moves.sum(axis=1), "age": own.age, "oldest": past[:, 0]}


def receive(own, inbox):
    heard = inbox.past("mean")
    return {"was": heard.sum(axis=1), "first": heard[:, 0], "moves": inbox.past("sum")[:, -1].sum(axis=1),
            "own": own.past("own.health").sum(axis=1), "came": inbox.delivered}
"""


def random_extended(rng: np.random.Generator, episodes: int, schema: TaskSchema = SCHEMA) -> np.ndarray:
    n = schema.n_agents
    extended = rng.normal(size=(episodes, T1, n, schema.extended_dim)).astype(np.float32)
    extended[..., schema.obs_dim + schema.n_actions :] = np.eye(n, dtype=np.float32)
    return extended


def test_the_overseer_tells_each_comrade_where_the_enemy_is() -> None:
    positions, enemy = np.array([2.0, 5.0, -3.0]), 4.0
    extended = np.zeros((1, T1, N, SCHEMA.extended_dim), dtype=np.float32)
    extended[..., SCHEMA.extended_index("enemy_0.distance")][:, :, 0] = 2.0
    extended[..., SCHEMA.extended_index("enemy_0.relative_x")][:, :, 0] = enemy - positions[0]
    for slot, other in ((0, 1), (1, 2)):
        extended[..., SCHEMA.extended_index(f"ally_{slot}.visible")][:, :, 0] = 1
        extended[..., SCHEMA.extended_index(f"ally_{slot}.relative_x")][:, :, 0] = positions[other] - positions[0]
    protocol = Protocol.from_sources([OVERSEER], SCHEMA)
    messages = protocol.messages(extended, np.ones((1, T1, N), dtype=bool))
    assert [(c.name, c.width) for c in protocol.components] == [("roach_dx", 1), ("known", 1), ("heard", 1)]
    np.testing.assert_allclose(messages[0, 0, 1], [enemy - positions[1], 1, 1])
    np.testing.assert_allclose(messages[0, 0, 2], [enemy - positions[2], 1, 1])
    np.testing.assert_allclose(messages[0, 0, 0], [0, 0, 0])  # one hears nothing of oneself


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), lossy=st.booleans())
def test_step_by_step_equals_in_batch(seed: int, lossy: bool) -> None:
    rng = np.random.default_rng(seed)
    extended, alive = random_extended(rng, 4), rng.random((4, T1, N)) > 0.2
    delivered = rng.random((4, T1, N, N)) > 0.3 if lossy else None
    protocol = Protocol.from_sources(
        [OVERSEER, HISTORY, "def send(own):\n    return {'h': own['own.health']}"], SCHEMA, window=4
    )
    batch = protocol.messages(extended, alive, delivered=delivered)
    stepper = protocol.stepper(4)
    for _ in range(2):  # a second episode remembers nothing of the first
        stepper.reset(np.ones(4, dtype=bool))
        for t in range(T1):
            now = stepper.step(extended[:, t], alive[:, t], None if delivered is None else delivered[:, t])
            np.testing.assert_allclose(now, batch[:, t], atol=1e-5)


def test_one_environment_may_begin_anew_while_others_go_on() -> None:
    rng = np.random.default_rng(3)
    extended, alive = random_extended(rng, 2), np.ones((2, T1, N), dtype=bool)
    protocol = Protocol.from_sources([HISTORY], SCHEMA, window=4)
    batch = protocol.messages(extended, alive)
    stepper = protocol.stepper(2)
    stepper.reset(np.ones(2, dtype=bool))
    for t in range(3):
        stepper.step(extended[:, t], alive[:, t])
    stepper.reset(np.array([True, False]))
    mixed = np.stack([extended[0, 0], extended[1, 3]])
    now = stepper.step(mixed, alive[:, 0])
    np.testing.assert_allclose(now[0], batch[0, 0], atol=1e-5)
    np.testing.assert_allclose(now[1], batch[1, 3], atol=1e-5)


def test_windows_end_now_and_are_zero_before_the_episode() -> None:
    source = "def send(own):\n    return {'w': own.past('own.health'), 'age': own.age}"
    protocol = Protocol.from_sources([source], SCHEMA, window=3)
    extended = np.zeros((1, T1, N, SCHEMA.extended_dim), dtype=np.float32)
    extended[0, :, :, SCHEMA.extended_index("own.health")] = np.arange(1, T1 + 1)[:, None]
    said = protocol.payloads(extended, np.ones((1, T1, N), dtype=bool))[0, :, 0]
    np.testing.assert_array_equal(said[0], [0, 0, 1, 0])
    np.testing.assert_array_equal(said[1], [0, 1, 2, 1])
    np.testing.assert_array_equal(said[4], [3, 4, 5, 2])


def test_a_poisoned_agent_reaches_others_through_the_inbox_alone() -> None:
    rng = np.random.default_rng(1)
    extended, alive = random_extended(rng, 3), np.ones((3, T1, N), dtype=bool)
    protocol = Protocol.from_sources([OVERSEER, HISTORY], SCHEMA, window=4)
    clean = protocol.messages(extended, alive, inbox="empty")
    poisoned = extended.copy()
    poisoned[1, 2, 0] = np.nan
    dirty = protocol.messages(poisoned, alive, inbox="empty")
    touched = np.zeros(clean.shape[:3], dtype=bool)
    touched[1, 2:6, 0] = True  # the agent's own rows while the step is in its window
    np.testing.assert_array_equal(clean[~touched], dirty[~touched])
    full = protocol.messages(poisoned, alive)
    np.testing.assert_array_equal(full[[0, 2]], protocol.messages(extended, alive)[[0, 2]])


def test_the_dead_the_silent_and_oneself_deliver_nothing() -> None:
    receive = "def receive(own, inbox):\n    return {'d': inbox.delivered, 'x': inbox['x']}"
    source = f"def send(own):\n    return {{'x': own['own.health']}}\n{receive}"
    protocol = Protocol.from_sources([source], SCHEMA)
    extended = np.zeros((1, 1, N, SCHEMA.extended_dim), dtype=np.float32)
    extended[0, 0, :, SCHEMA.extended_index("own.health")] = [1.0, 0.0, 3.0]
    alive = np.array([[[True, True, True]]])
    heard = protocol.messages(extended, alive)[0, 0]
    np.testing.assert_array_equal(heard, [[0, 0, 1, 0, 0, 3], [1, 0, 1, 1, 0, 3], [1, 0, 0, 1, 0, 0]])
    alive[0, 0, 2] = False
    heard = protocol.messages(extended, alive)[0, 0]
    np.testing.assert_array_equal(heard, [[0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0]])
    assert not protocol.messages(extended, alive, inbox="empty").any()


def test_without_receive_everything_is_kept_by_sender() -> None:
    protocol = Protocol.from_sources(["def send(own):\n    return {'a': own.group('enemy_0.relative_?')}"], SCHEMA)
    assert protocol.components == tuple(Component(0, f"a.from_{j}", 2) for j in range(N))
    extended = random_extended(np.random.default_rng(0), 1)
    messages = protocol.messages(extended, np.ones((1, T1, N), dtype=bool))
    columns = [SCHEMA.extended_index("enemy_0.relative_x"), SCHEMA.extended_index("enemy_0.relative_y")]
    np.testing.assert_array_equal(messages[0, 2, 1, 0:2], extended[0, 2, 0, columns])
    np.testing.assert_array_equal(messages[0, 2, 1, 2:4], [0, 0])
    np.testing.assert_array_equal(messages[0, 2, 1, 4:6], extended[0, 2, 2, columns])


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("own['enemy_0.relativ_x']", "PD456", "enemy_0.relative_x"),
        ("own[0]", "PD456", "a name is a string, not int"),
        ("own[own.age > 0]", "PD456", "not ndarray"),
        ("own.group('enemy_7.*')", "PD456", "no field matches"),
        ("own.allies('helth')", "PD456", "no quantity"),
        ("own.is_role('oversear')", "PD457", "unknown role"),
        ("own['own.health'].sum()", "PD455", "shape"),
        ("own['own.health'][:1]", "PD455", "shape"),
        ("'text'", "PD454", "type"),
    ],
)  # fmt: skip
def test_what_breaks_the_contract_is_named(body: str, code: str, says: str) -> None:
    with pytest.raises(ContractError) as caught:
        Protocol.from_sources([f"def send(own):\n    return {{'x': {body}}}"], SCHEMA)
    assert caught.value.code == code
    assert says in f"{caught.value.message} {caught.value.hint}"


def test_a_width_that_changes_is_refused() -> None:
    width = "1 + int(own['own.health'].max() > 0)"
    source = f"import numpy as np\ndef send(own):\n    return {{'x': np.zeros((len(own.age), {width}))}}"
    protocol = Protocol.from_sources([source], SCHEMA)
    with pytest.raises(ContractError, match="changed its components"):
        protocol.messages(np.ones((1, T1, N, SCHEMA.extended_dim), dtype=np.float32), np.ones((1, T1, N), dtype=bool))


def test_a_width_of_what_is_kept_that_changes_is_refused() -> None:
    kept = "np.zeros((len(own.age), 1 + int(own['own.health'].max() > 0)))"
    source = f"import numpy as np\n{SAYS_HEALTH}\ndef receive(own, inbox):\n    return {{'x': own.age, 'y': {kept}}}"
    protocol = Protocol.from_sources([source], SCHEMA)
    with pytest.raises(ContractError, match="changed its components"):
        protocol.messages(np.ones((1, T1, N, SCHEMA.extended_dim), dtype=np.float32), np.ones((1, T1, N), dtype=bool))


def test_the_dead_say_and_keep_zero_even_where_their_numbers_are_none() -> None:
    receive = "def receive(own, inbox):\n    return {'x': own['own.health'], 'heard': inbox['x'].sum(axis=1)}"
    protocol = Protocol.from_sources([f"{SAYS_HEALTH}\n{receive}"], SCHEMA)
    extended = random_extended(np.random.default_rng(5), 1)
    alive = np.ones((1, T1, N), dtype=bool)
    alive[0, 3, 1] = False
    dead = extended.copy()
    dead[0, 3, 1, : SCHEMA.obs_dim] = np.nan
    stepper = protocol.stepper(1)
    stepper.reset(np.ones(1, dtype=bool))
    for t in range(4):
        now = stepper.step(dead[:, t], alive[:, t])
    health = extended[0, 3, :, SCHEMA.extended_index("own.health")]
    expected = [[health[0], health[2]], [0, 0], [health[2], health[0]]]
    np.testing.assert_array_equal(now[0], expected)
    np.testing.assert_array_equal(protocol.messages(dead, alive)[0, 3], expected)
    np.testing.assert_array_equal(protocol.payloads(dead, alive)[0, 3, :, 0], [health[0], 0, health[2]])


def test_the_input_cannot_be_written() -> None:
    source = "def send(own):\n    x = own['own.health']\n    x[0] = 1\n    return {'x': x}"
    with pytest.raises(ValueError, match="read-only"):
        Protocol.from_sources([source], SCHEMA)


@pytest.mark.parametrize("statement", ["import os", "from generated_protocols import worker", "x = open('x')"])
def test_imports_and_builtins_are_those_of_the_contract(statement: str) -> None:
    with pytest.raises((ContractError, NameError, ImportError)):
        Protocol.from_sources([f"{statement}\ndef send(own):\n    return {{'x': own['own.health']}}"], SCHEMA)


def test_bandwidth_by_hand() -> None:
    payloads = np.zeros((1, 4, 2, 3), dtype=np.float32)
    payloads[0, :, 0] = [[1, 0.5, 7], [0, 0, 0], [1, 0.7, 7], [1, 0.9, 7]]  # agent 0: a bit, a value, two values
    valid = np.ones((1, 4, 2), dtype=bool)
    measured = measure_bandwidth(payloads, valid, [Component(0, "a", 1), Component(0, "b", 2)])
    assert measured.varying == (3, 0)
    assert measured.speaking == (0.75, 0.0)
    assert measured.bits_per_step == (0.75 * (1 + 32 + 1), 0.0)
    assert measured.total == 25.5


def frozen_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "part0.py").write_text(OVERSEER)
    freeze(folder, Manifest(task="toy", layout_hash=SCHEMA.layout_hash, window=4), SCHEMA)
    return folder


def test_freezing_and_loading(tmp_path: Path) -> None:
    folder = frozen_folder(tmp_path)
    protocol = Protocol.load(folder, SCHEMA)
    assert protocol.message_dim == 3
    assert protocol.window == 4
    assert (folder / "frozen/1/part0.py").read_text() == OVERSEER
    assert read_manifest(folder).frozen == 1


def test_an_edited_protocol_is_refused_and_told_how_to_freeze(tmp_path: Path) -> None:
    folder = frozen_folder(tmp_path)
    (folder / "part0.py").write_text(OVERSEER + "\n# a remark\n")
    with pytest.raises(NotFrozenError, match=r"part0\.py changed.*design-protocol freeze"):
        Protocol.load(folder, SCHEMA)
    (folder / "part0.py").write_text(OVERSEER)
    (folder / "part1.py").write_text(HISTORY)
    with pytest.raises(NotFrozenError, match=r"part1\.py"):
        Protocol.load(folder, SCHEMA)
    (folder / "part1.py").unlink()
    (folder / "part0.py").rename(folder / "part2.py")
    with pytest.raises(NotFrozenError, match=r"part0\.py, part2\.py"):
        Protocol.load(folder, SCHEMA)


def test_another_layout_is_refused_with_both_numbers(tmp_path: Path) -> None:
    with pytest.raises(LayoutMismatchError, match=r"13 observation fields.*has 10|10 observation fields.*has 13"):
        Protocol.load(frozen_folder(tmp_path), schema_of(extra=3))


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    folder = frozen_folder(tmp_path)
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text[: len(text) // 2])
    with pytest.raises(CorruptFileError, match="half-written"):
        Protocol.load(folder, SCHEMA)
    (folder / "manifest.json").write_text(json.dumps({**json.loads(text), "edited_by_hnd": True}))
    with pytest.raises(CorruptFileError, match="did you mean 'edited_by_hand'"):
        Protocol.load(folder, SCHEMA)


def test_what_runs_is_what_was_hashed_however_fast_it_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    folder = tmp_path / "fast"
    folder.mkdir()
    alive = np.ones((1, 1, N), dtype=bool)
    extended = np.zeros((1, 1, N, SCHEMA.extended_dim), dtype=np.float32)
    for k in range(20):
        (folder / "part0.py").write_text(f"def send(own):\n    return {{'x': own.age * 0 + {k + 10}}}")
        freeze(folder, Manifest(task="toy", layout_hash=SCHEMA.layout_hash), SCHEMA)
        assert Protocol.load(folder, SCHEMA).payloads(extended, alive)[0, 0, 0, 0] == k + 10
