"""The guide for people who edit a part: its generated parts are fresh, and its examples pass."""

from __future__ import annotations

import re

import pytest
from validation_corpus import small_schema

from protocol_designer.rules import limits
from protocol_designer.rules.guide import GUIDE, code_entries, name_lists, refreshed
from protocol_designer.validation import validate

TEXT = GUIDE.read_text(encoding="utf-8")
EXAMPLES = [example for example in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if "return" in example]


def test_the_generated_parts_are_fresh() -> None:
    assert refreshed(TEXT) == TEXT, "run: python -m protocol_designer.rules.guide"
    assert name_lists() in TEXT


def test_every_code_is_explained_once_with_a_remedy() -> None:
    entries = code_entries()
    assert len({code for code, *_ in entries}) == len(entries)
    for code, title, meaning, remedy in entries:
        assert re.fullmatch(r"PD[1-4]\d\d", code)
        assert title[0].islower() or title.startswith(("Python", "send"))
        assert meaning.endswith((".", ")")), code
        assert len(remedy) > 10, code
        assert f"| {code} |" in TEXT


@pytest.mark.parametrize(
    ("code", "figures"),
    [
        ("PD101", [f"{limits.MAX_BYTES // 1024} KiB"]),
        ("PD203", [f"{limits.MAX_DEPTH} levels"]),
        ("PD312", [f"{limits.MAX_LOOP_STEPS:,}"]),
        ("PD314", [f"{limits.MAX_INTEGER:,}"]),
        ("PD315", [f"at most {limits.MAX_EXPONENT} ", f"at most {limits.MAX_SHIFT}"]),
        ("PD316", [f"{limits.MAX_ARRAY_SIZE:,}", f"{limits.MAX_LOOP_STEPS:,}"]),
        ("PD404", [f"{limits.MAX_NAME_LENGTH} characters"]),
    ],
)
def test_the_figures_in_the_guide_are_the_limits(code: str, figures: list[str]) -> None:
    (meaning,) = [meaning for known, _, meaning, _ in code_entries() if known == code]
    assert all(figure in meaning for figure in figures)


def test_every_code_in_the_program_is_in_the_guide() -> None:
    root = GUIDE.parents[1]
    sources = [*root.glob("generated_protocols/*.py"), *root.glob("protocol_designer/**/*.py")]
    codes = {code for path in sources for code in re.findall(r'"(PD\d{3})"', path.read_text(encoding="utf-8"))}
    assert len(codes) > 40
    assert not sorted(code for code in codes if f"| {code} |" not in TEXT)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_pass(example: str) -> None:
    source = example if "import numpy" in example else "import numpy as np\n\n" + example
    assert validate(source, schema=small_schema(), part=0) == []


def test_the_quoted_message_is_the_one_given() -> None:
    source = 'import numpy as np\n\ndef send(own):\n    x = own["enemy_0.helth"]\n    return {"x": x}\n'
    (found,) = validate(source, schema=small_schema(), part=0)
    assert found.message in TEXT
    assert found.hint in TEXT
    assert f"part0.py:{found.line}:" in TEXT
