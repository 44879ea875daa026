"""Modules that are cut, mixed and misspelt: reading them never fails, and what is accepted holds nothing it must not.

The oracle is another one than the rules: Python's own `ast`, a short list of what no accepted text may hold, and the
sandbox.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile import SCHEMA
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trying import Range, all_modules

from protocol_designer.rules.child import read_source
from protocol_designer.rules.text import check_text
from protocol_designer.validation import schema_names

_FIELDS = (
    (r"""own\[f?["'][^"']*["']\]""", 'own["enemy_0.x"]'),
    (r"""\.(group|past)\(f?["'][^"']*[*?][^"']*["']""", r'.\1("ally_*.x"'),
    (r"""\.past\(f?["'](?!ally_\*)[^"']*["']""", '.past("own.health"'),
    (r"""\.allies\(["'][^"']*["']""", '.allies("x"'),
    (r"""\.is_role\(["'][^"']*["']""", '.is_role("scout"'),
)


def for_the_toy(text: str) -> str:
    """A good module with the names of the toy task's fields in the place of its own."""
    for pattern, field in _FIELDS:
        text = re.sub(pattern, field, text)
    return text


GOOD = [
    for_the_toy(path.read_text(encoding="utf-8")) for path in sorted((Path(__file__).parent / "good").glob("*/*.py"))
]
HOSTILE = [m.source for kind, m in all_modules() if isinstance(m.source, str) and kind not in ("parsers", "encoding")]
REACHING = (
    *("os", "sys", "open", "eval", "exec", "compile", "getattr", "globals", "tofile", "load", "lib", "ctypes"),
    *("__import__", "__class__", "__builtins__"),
)
_STATEMENTS = (ast.While, ast.Try, ast.With, ast.ClassDef, ast.Lambda, ast.AsyncFunctionDef, ast.Global, ast.Delete)


def tokens(text: str) -> list[str]:
    """The tokens of a text, white space in between kept; the lines of one that Python cannot cut into tokens."""
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return text.splitlines(keepends=True)
    pieces, at = [], (1, 0)
    lines = text.splitlines(keepends=True) or [""]
    for token in found:
        if token.start[0] > len(lines) or token.end[0] > len(lines):
            break
        between = lines[token.start[0] - 1][at[1] if at[0] == token.start[0] else 0 : token.start[1]]
        pieces += [between, token.string]
        at = token.end
    return [piece for piece in pieces if piece]


CUT = [tokens(text) for text in (*GOOD, *HOSTILE)]


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A module with some tokens dropped, doubled, swapped or replaced by those of another one."""
    pieces = list(draw(st.sampled_from(CUT)))
    other = draw(st.sampled_from(CUT))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(pieces) - 1, 0)))
        match draw(st.sampled_from(["drop", "double", "swap", "word", "splice", "letter"])):
            case "drop":
                del pieces[place : place + draw(st.integers(1, 3))]
            case "double":
                pieces[place:place] = pieces[place : place + draw(st.integers(1, 8))]
            case "swap" if len(pieces) > 1:
                with_ = draw(st.integers(0, len(pieces) - 1))
                pieces[place], pieces[with_] = pieces[with_], pieces[place]
            case "word":
                pieces[place : place + 1] = [draw(st.sampled_from(REACHING))]
            case "splice" if other:
                first = draw(st.integers(0, len(other) - 1))
                pieces[place:place] = other[first : first + draw(st.integers(1, 30))]
            case _:
                pieces[place:place] = [draw(st.characters(codec="utf-8"))]
    return "".join(pieces)


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Range]:
    found = Range(tmp_path_factory.mktemp("canary"))
    yield found
    found.close()


def reaches(tree: ast.AST) -> list[str]:
    """What no accepted module may hold, by Python's own syntax tree."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, _STATEMENTS):
            found.append(type(node).__name__)
        elif isinstance(node, ast.Import) and any(alias.name not in ("numpy", "math") for alias in node.names):
            found.append("import")
        elif isinstance(node, ast.ImportFrom) and node.module not in ("generated_protocols", "__future__"):
            found.append("import from")
        elif isinstance(node, ast.Attribute) and (node.attr.startswith("_") or node.attr in REACHING):
            found.append(f".{node.attr}")
        elif isinstance(node, ast.Name) and (node.id.startswith("__") or node.id in REACHING):
            # a name that the module binds itself is its own
            found.append(node.id) if isinstance(node.ctx, ast.Load) else None
    return found


def accepted(text: str) -> bool:
    checked, findings = check_text(text)
    return not (findings or read_source(checked, "part0.py", schema_names(SCHEMA)))


@pytest.mark.slow
def test_much_of_what_is_mutated_would_be_accepted_as_it_is() -> None:
    assert sum(accepted(text) for text in GOOD) > len(GOOD) // 2


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(text=mutants())
def test_what_is_accepted_reaches_nothing_and_runs_or_is_refused(attempts: Range, text: str) -> None:
    checked, findings = check_text(text)
    if not findings:
        findings = read_source(checked, "part0.py", schema_names(SCHEMA))
    if findings:
        assert all(finding.code.startswith("PD") and finding.message for finding in findings)
        return
    bound = {node.id for node in ast.walk(ast.parse(checked)) if isinstance(node, ast.Name)} & {
        node.id
        for node in ast.walk(ast.parse(checked))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } | {node.arg for node in ast.walk(ast.parse(checked)) if isinstance(node, ast.arg)}
    assert not [name for name in reaches(ast.parse(checked)) if name not in bound]
    assert not attempts.escapes_of(checked)
