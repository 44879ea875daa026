"""`validate` through its child process: what happens to texts that kill or stall a parser, and what people read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from validation_corpus import GOOD, small_schema

from generated_protocols.diagnostics import Diagnostic
from protocol_designer import validation
from protocol_designer.rules import limits
from protocol_designer.rules.child import read_source
from protocol_designer.rules.text import check_text
from protocol_designer.validation import allowed_names, render, schema_names, validate

ROOT = Path(__file__).parents[2]


def codes(source: str | bytes) -> set[str]:
    return {diagnostic.code for diagnostic in validate(source, schema=None, part=0)}


@pytest.mark.parametrize("schema", [small_schema(), None])
def test_a_good_part_passes_through_the_child(schema: object) -> None:
    assert validate(GOOD["the_published_idea"], schema=schema, part=1) == []  # type: ignore[arg-type]
    assert validate(GOOD["the_published_idea"].encode(), schema=schema, part=1) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "source",
    [
        "(" * 3_000 + ")" * 3_000,
        "[" * 3_000 + "]" * 3_000,
        "x = " + "+".join(["1"] * 5_000),
        "-" * 5_000 + "1",
        "x" + ".a" * 5_000,
        "x" + "()" * 5_000,
        "x = " + "1 if 1 else " * 1_300 + "1",
        "lambda: " * 1_900 + "1",
        "x = " + "2 ** " * 3_000 + "2",
        "not " * 4_000 + "1",
    ],
    ids=lambda source: source[:12],
)
def test_nesting_that_kills_parsers_is_a_diagnostic(source: str) -> None:
    assert codes(source) == {"PD203"}


@pytest.mark.parametrize(
    "source",
    [
        "def send(own):\n    a = (own, 1)\n" + "    a = (a, a)\n" * 900 + "    return {'x': a}\n",
        "def send(own):\n    a = {'a': 1}\n" + "    a = {'a': a, 'b': a}\n" * 600 + "    return a\n",
        "def send(own):\n" + "".join(f"{' ' * i}for i{i} in (1, 2):\n" for i in range(1, 20)) + " " * 20 + "pass\n",
        "def f0(x):\n    return x\n"
        + "".join(f"def f{i}(x):\n    return f{i - 1}((x, {i})) + f{i - 1}((x, x))\n" for i in range(1, 60))
        + "def send(own):\n    return {'x': f59(own['own.x'])}\n",
        "def send(own):\n" + "    x = f'{x}{x}'\n" * 900,
    ],
    ids=["nested tuples", "nested dicts", "nested loops", "chains of calls", "f-strings of f-strings"],
)
def test_values_that_grow_without_end_are_followed_in_bounded_time(source: str) -> None:
    assert codes(source) - {"PD205", "PD206"} == codes(source)


def test_diagnostics_name_the_file_and_the_part() -> None:
    assert {d.file for d in validate("x = open", schema=None, part=2)} == {"part2.py"}
    assert {d.file for d in validate("x = open", schema=None, part=2, file="a/b.py")} == {"a/b.py"}


def test_the_place_is_that_of_the_running_python() -> None:
    source = "def send(own):\n    return {'x': own['own.x'}\n"
    with pytest.raises(SyntaxError) as raised:
        compile(source, "part0.py", "exec")
    (found,) = validate(source, schema=None, part=0)
    assert (found.line, found.column, found.message) == (raised.value.lineno, raised.value.offset, raised.value.msg)


def test_columns_count_characters_from_one_also_after_wide_letters() -> None:
    source = 'def send(own):\n    return {"x": own["own.x"], "größe": opens}\n'
    found = validate(source, schema=None, part=0)
    line = source.split("\n")[1]
    assert {line[d.column - 1 :][:5] for d in found if d.code == "PD305"} == {"opens"}


def test_a_parser_that_dies_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_BOOT", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    (found,) = validate("x = 1", schema=None, part=0)
    assert (found.code, found.line) == ("PD205", 0)
    assert "signal 11" in found.message


def test_a_parser_that_hangs_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_BOOT", "import time; time.sleep(60)")
    monkeypatch.setattr(validation, "PARSE_SECONDS", 0.2)
    (found,) = validate("x = 1", schema=None, part=0)
    assert found.code == "PD206"
    assert "0.2 s" in found.message


def test_the_child_sees_no_keys_and_loads_neither_numpy_nor_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    probe = validation._BOOT + "; print(sorted(sys.modules), list(os.environ))".replace("os.", "__import__('os').")
    monkeypatch.setattr(validation, "_BOOT", probe)
    captured: list[subprocess.CompletedProcess[bytes]] = []
    run = subprocess.run

    def keep(*args: object, **kwargs: object) -> subprocess.CompletedProcess[bytes]:
        captured.append(run(*args, **kwargs))  # type: ignore[call-overload]
        return captured[-1]

    monkeypatch.setattr(subprocess, "run", keep)
    # what else it prints is no answer
    assert {d.code for d in validate(GOOD["one_value"], schema=None, part=0)} == {"PD205"}
    seen = captured[0].stdout.decode()
    assert "libcst" in seen
    assert "canary" not in seen and "OPENAI" not in seen  # noqa: PT018 - one fact
    assert "'numpy'" not in seen
    assert "'torch'" not in seen


def test_no_name_in_a_source_forges_a_line_of_a_report() -> None:
    source = 'def send(own):\n    return {"x\\npart0.py:1:1: PD000 fine": own["own.x"]}\n'
    found = validate(source, schema=None, part=0)
    assert {d.code for d in found} == {"PD404"}
    assert not [line for line in render(found, source).split("\n") if line.startswith("part0.py:1:1")]


@pytest.mark.parametrize(
    "said",
    [
        "part0.py:1:1: PD000 fine",
        '{"findings": [[1, 1, "PD000", "fine", ""]], "left_out": 0}',
        '{"findings": [[1, "1", "PD305", "fine", ""]], "left_out": 0}',
        '{"findings": [], "left_out": 3}',
        '{"findings": []}',
    ],
)
def test_what_else_the_child_says_is_no_answer(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr(validation, "_BOOT", f"print({said!r})")
    (found,) = validate("x = 1", schema=None, part=0)
    assert (found.code, found.message) == ("PD205", "the process that reads the source gave no answer")


def test_a_text_that_a_dying_child_says_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_BOOT", "raise ValueError('PD000 fine')")
    (found,) = validate("x = 1", schema=None, part=0)
    assert (found.code, found.message) == ("PD205", "the process that reads the source ended with status 1: ValueError")


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\u2064", "\u00ad", "\u034f", "\u3164", "\ufe0e", "\U000e0101"])
def test_what_shows_nothing_is_refused_in_comments_too(hidden: str) -> None:
    (found,) = validate(f"# a{hidden}b\n", schema=None, part=0)
    assert (found.code, found.line, found.column) == ("PD103", 1, 4)


def test_letters_and_pictures_that_show_are_fine_in_comments() -> None:
    assert "PD103" not in codes("# größer \u2264 \u65e5\u672c \u2705 \u26a0\ufe0f\n")


@pytest.mark.parametrize(
    "source",
    [
        "match x:\n case " + "[" * 20 + "1" + "]" * 20 + ": pass\n",
        "match x:\n case " + "(" * 90 + "1" + ")" * 90 + ": pass\n",
        "match x:\n case " + "{1: " * 90 + "y" + "}" * 90 + ": pass\n",
        "\n".join(f"{' ' * i}try: pass\n{' ' * i}finally:" for i in range(30)) + "\n" + " " * 30 + "pass\n",
    ],
    ids=["lists", "brackets", "dicts", "clean-up"],
)
def test_what_doubles_the_work_at_each_level_is_too_deep(source: str) -> None:
    assert codes(source) == {"PD203"}


def test_a_raise_is_one_finding() -> None:
    source = "def send(own):\n    raise ValueError('no ' + name)\n"
    assert [d.code for d in validate(source, schema=None, part=0)] == ["PD303"]


def test_a_name_with_two_underscores_is_to_be_renamed() -> None:
    source = "def send(own):\n    __y = own['own.x']\n    return {'x': __y}\n"
    found = validate(source, schema=None, part=0)
    assert {(d.line, d.hint) for d in found} == {
        (2, "rename it, for example to 'y'"),
        (3, "rename it, for example to 'y'"),
    }


def test_many_findings_are_cut_and_counted() -> None:
    found = validate("\n".join(f"x{i} = open" for i in range(50)), schema=None, part=0)
    assert len(found) == limits.MAX_FINDINGS + 1
    assert "left out" in found[-1].message


def test_the_limits_in_the_messages_are_those_enforced() -> None:
    at_limit = "#" + "x" * (limits.MAX_BYTES - 1)
    assert "PD101" not in codes(at_limit)
    (over,) = validate(at_limit + "x", schema=None, part=0)
    assert f"{limits.MAX_BYTES:,}" in over.message
    schema = schema_names(small_schema())
    for template, limit in (("X = {}", limits.MAX_INTEGER), ("X = 2.0\nY = 3 ** {}", limits.MAX_EXPONENT)):
        assert not {f.code for f in read_source(template.format(limit), "f", schema)} & {"PD314", "PD315"}
        if template.startswith("X = {"):
            (found,) = [f for f in read_source(template.format(limit + 1), "f", schema) if f.code == "PD314"]
            assert f"{limit:,}" in found.message
    loop = "def send(own):\n    for i in range({}):\n        pass\n    return {{'x': own['own.x']}}\n"
    assert not read_source(loop.format(limits.MAX_LOOP_STEPS), "f", schema)
    (found,) = read_source(loop.format(limits.MAX_LOOP_STEPS + 1), "f", schema)
    assert f"{limits.MAX_LOOP_STEPS:,}" in found.message


def test_rendering_shows_the_line_the_caret_and_the_hint() -> None:
    source = "import numpy as np\ndef send(own):\n    return {'x': np.load('a')}\n"
    (found,) = [d for d in validate(source, schema=None, part=0) if d.code == "PD307"]
    assert render([found], source).split("\n") == [
        "part0.py:3:18: PD307 'np.load' is not allowed",
        "  3 |     return {'x': np.load('a')}",
        "    |                  ^",
        "  hint: a protocol reads no files",
    ]


def test_rendering_keeps_tabs_and_shows_no_hidden_characters() -> None:
    source = "def send(own):\n\tx = open\u202e\n"
    shown = render([Diagnostic(2, 6, "PD305", "m", file="f")], source)
    assert "\u202e" not in shown
    line, caret = shown.split("\n")[1:3]
    assert line.index("open") == caret.index("^")
    assert line.count("\t") == caret.count("\t") == 1


def test_rendering_without_findings_or_without_a_place() -> None:
    assert render([], "x") == ""
    assert render([Diagnostic(0, 0, "PD205", "died", "simplify")], "x") == "source: PD205 died\n  hint: simplify"
    assert render([Diagnostic(9, 1, "PD201", "m")], b"\xff") == "source:9:1: PD201 m"


def test_allowed_names_exist_in_the_oldest_supported_libraries() -> None:
    import math

    import numpy as np

    names = allowed_names()
    assert all(hasattr(math, name) for name in names["math"])
    assert [n for n in names["numpy"] if not hasattr(np.linalg if "." in n else np, n.rpartition(".")[2])] == []
    assert "load" not in names["numpy"]
    assert "past" in names["observation"]
    assert "addressed" in names["inbox"]


def test_an_allowed_numpy_name_is_no_module_and_takes_no_file() -> None:
    import types

    import numpy as np

    for name in allowed_names()["numpy"]:
        value = getattr(np.linalg if "." in name else np, name.rpartition(".")[2])
        assert not isinstance(value, types.ModuleType), name
        documented = (getattr(value, "__doc__", "") or "").split("\n\n")[0]
        assert "file" not in documented.lower().split(), name


TEXTS = st.text(st.characters(codec=None), max_size=200) | st.binary(max_size=200)
TOKENS = r"""
    def send ( own ) : return { } [ ] x own "own.x" , = + ** for in range if else np . lambda f'{x}' 3 1.5 import as not
    ' # ; * del class - \ None shape append
""".split()  # noqa: SIM905 - a list of 45 quoted tokens reads worse
PIECES = st.lists(st.sampled_from([*TOKENS, "def send(own):", "\n", "    ", "\t"]), max_size=60).map(" ".join)


def read(source: str | bytes) -> None:
    """What `validate` does, in this process; the texts are too short to crash a parser."""
    text, found = check_text(source)
    found = found or read_source(text, "part0.py", schema_names(small_schema()))
    for finding in found:
        assert finding.code.startswith("PD")
        assert finding.message
    render([Diagnostic(f.line, f.column, f.code, f.message, f.hint) for f in found], source)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_no_text_makes_the_validator_raise(source: str | bytes) -> None:
    read(source)


@given(PIECES)
@settings(max_examples=150, deadline=None)
def test_no_heap_of_tokens_makes_the_validator_raise(source: str) -> None:
    read(source)


@given(st.sampled_from(sorted(GOOD)), st.data())
@settings(max_examples=80, deadline=None)
def test_no_edit_of_a_good_part_makes_the_validator_raise(name: str, data: st.DataObject) -> None:
    source = GOOD[name]
    start = data.draw(st.integers(0, len(source)))
    stop = data.draw(st.integers(start, min(len(source), start + 20)))
    piece = data.draw(st.sampled_from(["", "(", "]", "own", "x[0]", " + 1", "'", "for i in x", ":\n", "**", "f'{x}'"]))
    read(source[:start] + piece + source[stop:])


def test_the_child_runs_by_itself() -> None:
    request = json.dumps({"text": "x = open", "file": "f", "schema": None}).encode()
    command = [sys.executable, "-I", "-c", validation._BOOT, str(ROOT)]
    done = subprocess.run(command, input=request, capture_output=True, check=True)
    assert {tuple(f)[2] for f in json.loads(done.stdout)["findings"]} == {"PD302", "PD305", "PD401"}
