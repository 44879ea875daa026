"""No hostile module gets through: the static rules refuse it, and where they did not, the sandbox would contain it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hostile import Hostile
from trying import KINDS, Range, all_modules

MODULES = all_modules()
MORE = all_modules("more")
ALL = [
    *(pytest.param(kind, module, id=f"{kind}: {module.name}") for kind, module in MODULES),
    *(pytest.param(kind, module, id=f"{kind}: {module.name}", marks=pytest.mark.slow) for kind, module in MORE),
]


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Range]:
    found = Range(tmp_path_factory.mktemp("canary"))
    yield found
    found.close()


@pytest.mark.parametrize(("kind", "module"), ALL)
def test_a_hostile_module_is_refused_and_would_be_contained(attempts: Range, kind: str, module: Hostile) -> None:
    outcome = attempts.attempt(module)
    assert not outcome.escaped, outcome
    assert (module.static in outcome.static) if module.static else not outcome.static, outcome
    assert set(outcome.sandbox) <= set(module.contained), outcome
    assert bool(outcome.sandbox) == bool(module.contained), outcome


def test_the_corpus_is_large_and_every_kind_is_in_it() -> None:
    everything = [*MODULES, *MORE]
    assert len(MODULES) >= 400
    assert len(everything) >= 640
    assert {kind for kind, _ in MODULES} == set(KINDS)
    assert len({module.name for _, module in everything}) == len(everything)
