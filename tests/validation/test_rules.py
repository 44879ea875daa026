"""Tables of sources that pass and of sources that are refused, with the code and the line of the refusal."""

from __future__ import annotations

import functools
from textwrap import indent

import pytest
from refused_modules import REFUSED_MODULES
from refused_statements import REFUSED_STATEMENTS
from validation_corpus import GOOD, small_schema

from protocol_designer.rules.child import read_source
from protocol_designer.rules.finding import Finding
from protocol_designer.rules.registry import TREE_RULES
from protocol_designer.rules.text import check_text
from protocol_designer.validation import schema_names


@functools.cache
def findings(source: str | bytes, with_schema: bool = True) -> list[Finding]:
    """What `validate` finds, read in this process; nothing in these tables can crash a parser."""
    text, found = check_text(source)
    return found or read_source(text, "part0.py", schema_names(small_schema()) if with_schema else None)


def assert_accepts(source: str | bytes) -> None:
    for with_schema in (True, False):
        assert not findings(source, with_schema)


def assert_rejects(source: str | bytes, code: str, line: int | None = None) -> None:
    found = findings(source)
    assert code in {f.code for f in found}, found
    if line is not None:
        assert line in {f.line for f in found if f.code == code}, found


def body(statements: str, *, top: str = "import numpy as np\nimport math") -> str:
    """A part whose `send` holds these statements from line 6 on, between `x = …` and a return."""
    return f'{top}\n\ndef send(own):\n    x = own["own.x"]\n{indent(statements, "    ")}\n    return {{"x": x}}\n'


@pytest.mark.parametrize("name", GOOD)
def test_good_protocols_pass(name: str) -> None:
    assert_accepts(GOOD[name])


@pytest.mark.parametrize(("statements", "code"), REFUSED_STATEMENTS)
def test_statements_that_are_refused(statements: str, code: str) -> None:
    first = 6
    last = first + statements.count("\n")
    found = findings(body(statements))
    assert [f for f in found if f.code == code and first <= f.line <= last], found


@pytest.mark.parametrize(("source", "code", "line"), REFUSED_MODULES)
def test_modules_that_are_refused(source: str | bytes, code: str, line: int) -> None:
    assert_rejects(source, code, line)


def test_every_rule_on_the_tree_refuses_something_here() -> None:
    shown = {code for _, code in REFUSED_STATEMENTS} | {code for _, code, _ in REFUSED_MODULES}
    assert shown >= {rule.code for rule in TREE_RULES}


def test_findings_come_in_the_order_of_the_lines() -> None:
    found = findings(body("y = open\nx *= 2\nz = eval"))
    assert [(f.line, f.code) for f in found] == [(6, "PD305"), (7, "PD320"), (8, "PD305")]
