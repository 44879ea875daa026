"""The sandbox says what an in-process protocol says, and catches parts that break the contract on the scored rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from sandbox_tasks import DEFAULT_RECEIVE, ENTRIES, HONEST, N_AGENTS, SCHEMA, recorded

from generated_protocols.protocol import Protocol
from protocol_designer.sandbox import Sandbox, SandboxLimits, SandboxRun, sandbox_layers

DATA = {"fit": recorded(60), "select": recorded(7, seed=1)}
ROWS = 60 * ENTRIES * N_AGENTS


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(seed=0) as sandbox:
        yield sandbox


def send(body: str, before: str = "", argument: str = "own") -> str:
    lines = "\n    ".join(body.split("\n"))
    return f"import numpy as np\n{before}\ndef send({argument}):\n    {lines}\n"


def run(sandbox: Sandbox, *sources: str) -> SandboxRun:
    return sandbox.run(sources, SCHEMA, 4, DATA)


def test_a_good_protocol_says_what_it_says_in_process(sandbox: Sandbox) -> None:
    found = run(sandbox, HONEST, DEFAULT_RECEIVE)
    assert found.diagnostics == ()
    protocol = Protocol.from_sources([HONEST, DEFAULT_RECEIVE], SCHEMA, window=4)
    assert found.components == protocol.components
    assert found.payload_components == protocol.payload_components
    assert set(found.messages) == {(split, inbox) for split in DATA for inbox in ("full", "empty")}
    for split, (extended, alive) in DATA.items():
        for inbox in ("full", "empty"):
            expected = protocol.messages(extended, alive, inbox=inbox)
            np.testing.assert_array_equal(found.messages[split, inbox], expected)
        np.testing.assert_array_equal(found.payloads[split], protocol.payloads(extended, alive))


def test_one_pass_gives_what_single_calls_give() -> None:
    protocol = Protocol.from_sources([HONEST, DEFAULT_RECEIVE], SCHEMA, window=4)
    extended, alive = DATA["fit"]
    payloads, messages = protocol.results(extended, alive, ("empty", "full"))
    np.testing.assert_array_equal(payloads, protocol.payloads(extended, alive))
    for inbox, kept in messages.items():
        np.testing.assert_array_equal(kept, protocol.messages(extended, alive, inbox=inbox))


CHECKS = "np.lib._npyio_impl.os.sys.modules['generated_protocols.contract_checks']"
BLIND_RECEIVE = f"checks = {CHECKS}\n    checks._identical = checks.agree = lambda *a: True\n    "
BLIND = f"checks = {CHECKS}\nchecks._identical = checks.agree = lambda *a: True\n"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        # the average over all episodes; the replay has other ones
        ("x = x + x.mean()", "PD416"),
        # the same for any whole batch, another one step by step
        ("x = x + (len(x) < 8 * 7 * 3)", "PD418"),
        # how often it was called: the replay calls less often
        ("calls.append(1)\nx = x + len(calls)", "PD416"),
    ],
)
def test_a_part_that_satisfies_the_checks_of_its_own_process_is_found_by_another(
    sandbox: Sandbox, body: str, code: str
) -> None:
    source = send(f"{BLIND}x = own['enemy_0.x']\n{body}\nreturn {{'x': x}}", "calls = []")
    (found,) = run(sandbox, source).diagnostics
    assert (found.code, found.file) == (code, "part0.py")
    assert re.match(r"component 'x(.from_0)?' differs by up to ", found.message)


@pytest.mark.parametrize("episodes", [7, 60])
def test_every_call_is_checked_whatever_its_number_of_rows(sandbox: Sandbox, episodes: int) -> None:
    # mixes the agents of a step, in whole episodes of either split
    rows = 3 * ENTRIES * episodes
    body = f"x = own['enemy_0.x']\nif len(x) == {rows}: x = x + x.reshape(-1, 3).sum(axis=1).repeat(3)"
    (found,) = run(sandbox, send(f"{body}\nreturn {{'x': x}}")).diagnostics
    assert found.code == "PD415"


@pytest.mark.parametrize("which", [0, -1, 17])
def test_one_row_that_leaks_into_the_last_digits_of_all_is_found(sandbox: Sandbox, which: int) -> None:
    # far below the tolerance that the order of additions needs
    body = f"x = own['enemy_0.x']\nreturn {{'x': x + np.float32(1e-6) * x[{which}] if len(x) > 100 else x}}"
    (found,) = run(sandbox, send(body)).diagnostics
    assert found.code == "PD415"


def test_receive_is_checked_where_nothing_arrives(sandbox: Sandbox) -> None:
    body = "n = inbox.delivered.sum()\n    x = own['own.health']\n    return {'x': x + x.sum() if n == 0 else x}"
    source = f"import numpy as np\n{DEFAULT_RECEIVE}\ndef receive(own, inbox):\n    {body}\n"
    (found,) = run(sandbox, source).diagnostics
    assert found.code == "PD415"


def test_receive_is_played_step_by_step_where_nothing_arrives(sandbox: Sandbox) -> None:
    body = "n = inbox.delivered.sum()\n    x = own['own.health']\n    return {'x': x + (n == 0 and len(x) < 30)}"
    source = f"import numpy as np\n{DEFAULT_RECEIVE}\ndef receive(own, inbox):\n    {BLIND_RECEIVE}{body}\n"
    (found,) = run(sandbox, source).diagnostics
    assert found.code == "PD418"


def test_without_data_it_gives_names_and_widths(sandbox: Sandbox) -> None:
    found = sandbox.run([DEFAULT_RECEIVE], SCHEMA)
    assert [(c.name, c.width) for c in found.payload_components] == [("health", 1), ("both", 2)]
    assert found.messages == {}


def test_it_says_which_layers_hold(sandbox: Sandbox) -> None:
    found = run(sandbox, DEFAULT_RECEIVE)
    layers = sandbox_layers()
    assert found.layers == tuple(map(str, layers))
    assert {layer.name for layer in layers} >= {"separate process", "resource limits", "Landlock", "seccomp"}
    for layer in layers:
        assert layer.active == ("MISSING" not in str(layer))


BROKEN = {
    "batch average": (send("x = own['enemy_0.x']\nreturn {'x': x - x.mean()}"), {"PD415", "PD417"}),
    "batch average on many rows only": (
        send(f"x = own['enemy_0.x']\nreturn {{'x': x - x.mean() if len(x) >= {ROWS} else x}}"),
        {"PD415"},
    ),
    "a little of the batch average": (
        send("x = own['enemy_0.x']\nreturn {'x': 1e-4 * x.mean() + x if len(x) > 500 else x}"),
        {"PD415"},
    ),
    "the row before": (send("return {'x': np.roll(own['enemy_0.x'], 1)}"), {"PD415"}),
    "maximum": (send("return {'x': np.nanmax(own['enemy_0.x']) + own['own.health']}"), {"PD415", "PD417"}),
    "number of rows": (send("return {'x': np.full(own.age.shape, len(own.age))}"), {"PD417"}),
    "index of a row": (send("return {'x': np.arange(len(own.age))}"), {"PD416"}),
    "counter in a default": (
        send("seen.append(1)\nreturn {'x': own['enemy_0.x'] + len(seen)}", argument="own, seen=[]"),
        {"PD412"},
    ),
    "counter on the function": (
        send("send.n = send.__dict__.get('n', 0) + 1\nreturn {'x': own['enemy_0.x'] + send.n}"),
        {"PD412"},
    ),
    "counter that stops after the small run": (
        send("seen.append(1)\nreturn {'x': own['enemy_0.x'] + (0 if len(seen) < 9 else len(seen))}", "seen = []"),
        {"PD412", "PD415", "PD416"},
    ),
    "remembers the first large batch": (
        send(
            "x = own['enemy_0.x']\nif not first and len(x) > 99:\n    first.append(x.mean())\n"
            "return {'x': x + sum(first)}",
            "first = []",
        ),
        {"PD415", "PD416", "PD417", "PD418"},
    ),
    "remembers the first batch": (
        send("x = own['enemy_0.x']\nfirst.append(float(x[0]))\nreturn {'x': x + first[0]}", "first = []"),
        {"PD415", "PD416", "PD417", "PD418"},
    ),
    "random": (send("return {'x': own['enemy_0.x'] + np.random.rand()}"), {"PD412"}),
    "not finite": (send("return {'x': own['enemy_0.x'] / 0}"), {"PD413"}),
    "beyond float32": (send("return {'x': own['enemy_0.x'] * 1e39}"), {"PD413"}),
    "width by value": (
        send("k = 1 + int(own['enemy_0.x'].max() > 0)\nreturn {'x': own.past('enemy_0.x')[:, :k]}"),
        {"PD414"},
    ),
    "other names for one row": (
        send("x = own['enemy_0.x']\nreturn {'x': x} if len(x) != 1 else {'y': x}"),
        {"PD414"},
    ),
    "input changed": (send("own.agent_id.base[...] = 0\nreturn {'x': own['enemy_0.x']}"), {"PD411"}),
    "unknown field": (send("return {'x': own['enemy_0.y']}"), {"PD456"}),
    "an exception": (send("return {'x': own['enemy_0.x'][5000]}"), {"PD410"}),
    "no Python": ("def send(own:\n", {"PD410"}),
}


@pytest.mark.parametrize(("source", "expected"), BROKEN.values(), ids=BROKEN)
def test_what_breaks_the_contract_is_refused(sandbox: Sandbox, source: str, expected: set[str]) -> None:
    found = run(sandbox, HONEST, source)
    assert len(found.diagnostics) == 1
    assert found.diagnostics[0].code in expected, found.diagnostics[0]
    assert found.diagnostics[0].file in ("part1.py", "")
    assert found.messages == {}
    assert found.payloads == {}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return {'x': inbox['health'].max(axis=0).sum() + own['own.health']}", {"PD415"}),
        ("return {'x': np.roll(inbox['health'], 1, axis=0)}", {"PD415"}),
        ("return {'x': inbox['health'] - own['own.health'].mean()}", {"PD415"}),
        ("inbox._received['health'].base[...] = 0\n    return {'x': inbox['health']}", {"PD410", "PD411"}),
    ],
)
def test_receive_is_held_to_the_contract(sandbox: Sandbox, body: str, code: set[str]) -> None:
    source = f"import numpy as np\n{DEFAULT_RECEIVE}\ndef receive(own, inbox):\n    {body}\n"
    found = run(sandbox, source)
    assert [diagnostic.code in code for diagnostic in found.diagnostics] == [True], found.diagnostics


def test_an_exception_is_placed_in_the_source(sandbox: Sandbox) -> None:
    source = "def helper(x):\n    return x[:, 3]\n\n\ndef send(own):\n    return {'x': helper(own['enemy_0.x'])}\n"
    (found,) = run(sandbox, DEFAULT_RECEIVE, source).diagnostics
    assert (found.code, found.file, found.line) == ("PD410", "part1.py", 2)
    assert "IndexError" in found.message


def test_results_beyond_the_limit_are_refused_before_they_are_made(sandbox: Sandbox) -> None:
    limits = SandboxLimits(result_bytes=10_000)
    found = sandbox.run([HONEST], SCHEMA, 4, DATA, limits=limits)
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["PD504"]


def test_a_message_of_absurd_width_is_refused_with_the_number_that_is_allowed(sandbox: Sandbox) -> None:
    source = send("return {'x': np.tile(own['enemy_0.x'][:, None], (1, 100000))}")
    (found,) = sandbox.run([source], SCHEMA, 4, DATA).diagnostics
    assert found.code == "PD504"
    assert re.search(r"100,000 sent per agent and step, at most 65,536 are allowed", found.message)


def test_conditions_and_splits_are_the_callers_choice(sandbox: Sandbox) -> None:
    found = sandbox.run([HONEST], SCHEMA, 4, {"fit": DATA["fit"]}, conditions=("empty",))
    assert set(found.messages) == {("fit", "empty")}
    heard = [c.name for c in found.components].index("x")
    assert not found.messages["fit", "empty"][..., heard].any()


def test_limits_must_be_above_zero() -> None:
    with pytest.raises(ValueError, match="seconds 0 is not above 0"):
        SandboxLimits(seconds=0)
