"""Good modules in many styles pass the static rules and the contract: a validator that refuses them is a fault, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from buffers.schema import TaskSchema
from marl_runtime.tasks import find_task
from protocol_designer.freezing import imagined_episodes
from protocol_designer.rules.child import read_source
from protocol_designer.rules.text import check_text
from protocol_designer.sandbox import Sandbox
from protocol_designer.validation import schema_names

FOLDER = Path(__file__).parent / "good"
MODULES = sorted(FOLDER.glob("*/*.py"))
EPISODES = {task.name: imagined_episodes(find_task(task.name).schema, episodes=8) for task in FOLDER.iterdir()}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as warm:
        yield warm


def schema_of(module: Path) -> TaskSchema:
    return find_task(module.parent.name).schema


@pytest.mark.parametrize("module", MODULES, ids=lambda module: f"{module.parent.name}/{module.stem}")
def test_a_good_module_passes(module: Path, sandbox: Sandbox) -> None:
    schema = schema_of(module)
    text, findings = check_text(module.read_bytes())
    findings += read_source(text, module.name, schema_names(schema))
    assert not findings
    run = sandbox.run([text], schema, 10, {"imagined": EPISODES[schema.name]})
    assert not run.diagnostics
    assert any(messages.any() for messages in run.messages.values())


def test_no_two_are_the_same() -> None:
    texts = {" ".join(module.read_text(encoding="utf-8").split()) for module in MODULES}
    assert len(texts) == len(MODULES)
